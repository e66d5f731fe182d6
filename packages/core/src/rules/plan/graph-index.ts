import { appendTo } from '../value/append-to.js'
import type { CollectionNode } from './collection-node.js'
import type { DatasetGraph } from './dataset-graph.js'
import type { ReferenceEdge } from './reference-edges.js'

/** The parts of a graph by place, in the order of the graph. Without it, each question would go through all of them. */
interface GraphIndex {
  /** By collection, the references from or to it. */
  readonly edges: ReadonlyMap<string, readonly ReferenceEdge[]>
  /** By key of a dataset, its collections. */
  readonly nodes: ReadonlyMap<string, readonly CollectionNode[]>
  /** By name, the collections of all datasets. */
  readonly named: ReadonlyMap<string, readonly CollectionNode[]>
}

const indexes = new WeakMap<DatasetGraph, GraphIndex>()

function indexOf(graph: DatasetGraph): GraphIndex {
  const known = indexes.get(graph)
  if (known) return known
  const edges = new Map<string, ReferenceEdge[]>()
  const nodes = new Map<string, CollectionNode[]>()
  const named = new Map<string, CollectionNode[]>()
  for (const edge of graph.edges) for (const end of new Set([edge.from, edge.to])) appendTo(edges, end, edge)
  for (const node of graph.nodes.values()) {
    appendTo(nodes, node.dataset.service_key, node)
    appendTo(named, node.collection.name, node)
  }
  const index = { edges, nodes, named }
  indexes.set(graph, index)
  return index
}

/** The references from or to a collection. */
export function edgesAt(graph: DatasetGraph, address: string): readonly ReferenceEdge[] {
  return indexOf(graph).edges.get(address) ?? []
}

/** The collections of a dataset. */
export function nodesOf(graph: DatasetGraph, key: string): readonly CollectionNode[] {
  return indexOf(graph).nodes.get(key) ?? []
}

/** The collections with a name, in all datasets. */
export function nodesNamed(graph: DatasetGraph, name: string): readonly CollectionNode[] {
  return indexOf(graph).named.get(name) ?? []
}
