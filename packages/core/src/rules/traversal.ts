import { resolveAddress } from '../model/address.js'
import { type Arrow, orient } from './arrows.js'
import type { CollectionNode, DatasetGraph } from './dataset-graph.js'
import type { Finding } from './findings.js'
import { leastFirst } from './heap.js'
import type { ReferenceEdge } from './reference-edges.js'

export interface Traversal {
  /** Addresses in the order of §7.2. */
  readonly order: readonly string[]
  readonly arrows: readonly Arrow[]
  /** X → collections that X comes `after`, among those reached. */
  readonly after: ReadonlyMap<string, readonly string[]>
  readonly findings: readonly Finding[]
}

/**
 * Walks from the collections that identities enter over every reference that may be followed, and says which way each
 * undirected one runs (§7.2, §7.6). Collections outside `searchable` are not there.
 */
export function traverse(
  graph: DatasetGraph,
  entered: ReadonlySet<string>,
  searchable: (address: string) => boolean,
): Traversal {
  const isOpen = (edge: ReferenceEdge) => searchable(edge.from) && searchable(edge.to)
  const edges = graph.edges.every(isOpen) ? graph.edges : graph.edges.filter(isOpen)
  const distance = distances(edges, entered)
  const reached = edges.filter((edge) => distance.has(edge.from) && distance.has(edge.to))
  const findings: Finding[] = []
  const after = precedence(graph, distance, findings)
  const order = visit(graph, edges, entered, distance, after, findings)
  const arrows = orient(graph, reached, entered, new Map(order.map((address, at) => [address, at])), findings)
  return { order, arrows, after, findings }
}

type Neighbours = ReadonlyMap<string, readonly string[]>

/** The same references are walked from many places, for each identity anew. */
const knownNeighbours = new WeakMap<readonly ReferenceEdge[], Neighbours>()

/** What each collection leads to. */
export function neighbours(edges: readonly ReferenceEdge[]): Neighbours {
  const known = knownNeighbours.get(edges)
  if (known) return known
  const next = new Map<string, string[]>()
  const add = (from: string, to: string) => {
    const list = next.get(from)
    if (list) list.push(to)
    else next.set(from, [to])
  }
  for (const edge of edges) {
    add(edge.from, edge.to)
    if (!edge.directed) add(edge.to, edge.from)
  }
  knownNeighbours.set(edges, next)
  return next
}

/** References from the nearest identity, for everything that can be reached. */
export function distances(edges: readonly ReferenceEdge[], entered: Iterable<string>): Map<string, number> {
  const next = neighbours(edges)
  const distance = new Map([...entered].map((address) => [address, 0]))
  const queue = [...distance.keys()]
  for (let at = 0; at < queue.length; at++) {
    const from = queue[at] as string
    for (const to of next.get(from) ?? []) {
      if (distance.has(to)) continue
      distance.set(to, (distance.get(from) as number) + 1)
      queue.push(to)
    }
  }
  return distance
}

function precedence(graph: DatasetGraph, reached: ReadonlyMap<string, number>, findings: Finding[]) {
  const byDataset = new Map<string, string[]>()
  for (const node of graph.nodes.values()) {
    const list = byDataset.get(node.dataset.service_key)
    if (list) list.push(node.address)
    else byDataset.set(node.dataset.service_key, [node.address])
  }
  const after = new Map<string, string[]>()
  for (const node of graph.nodes.values()) {
    if (!reached.has(node.address)) continue
    const named: string[] = []
    for (const key of node.dataset.service_meta.after) {
      if (byDataset.has(key)) named.push(...(byDataset.get(key) as string[]))
      else findings.push(unknownAfter(node, key))
    }
    for (const text of node.collection.service_meta.after) {
      const address = resolveAddress(text, byDataset)
      if (address !== undefined && graph.nodes.has(address)) named.push(address)
      else findings.push(unknownAfter(node, text))
    }
    const present = named.filter((address) => reached.has(address) && address !== node.address)
    if (present.length > 0) after.set(node.address, present)
  }
  return after
}

function unknownAfter(node: CollectionNode, name: string): Finding {
  return {
    type: 'unknown_after',
    severity: 'warning',
    loc: [node.dataset.service_key, node.collection.name, 'after'],
    message: `'${node.address}' comes after '${name}', which is not described: the order is not kept until it is.`,
  }
}

/** Takes, of what is discovered and whose `after` is done, the one with the least (distance, dataset, collection). */
function visit(
  graph: DatasetGraph,
  edges: readonly ReferenceEdge[],
  entered: ReadonlySet<string>,
  distance: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, readonly string[]>,
  findings: Finding[],
): string[] {
  const next = neighbours(edges)
  const waiting = new Map<string, number>()
  const waiters = new Map<string, string[]>()
  for (const [address, before] of after) {
    waiting.set(address, before.length)
    for (const each of before) {
      const list = waiters.get(each)
      if (list) list.push(address)
      else waiters.set(each, [address])
    }
  }
  const rank = (address: string) => {
    const node = graph.nodes.get(address) as CollectionNode
    return [distance.get(address) as number, node.dataset.service_key, node.collection.name] as const
  }
  const ready = leastFirst<{ address: string; rank: ReturnType<typeof rank> }>(
    (a, b) =>
      a.rank[0] - b.rank[0] < 0 ||
      (a.rank[0] === b.rank[0] && (a.rank[1] < b.rank[1] || (a.rank[1] === b.rank[1] && a.rank[2] < b.rank[2]))),
  )
  const discovered = new Set<string>()
  const offer = (address: string) => {
    if (discovered.has(address) && !waiting.get(address)) ready.push({ address, rank: rank(address) })
  }
  const discover = (address: string) => {
    if (discovered.has(address)) return
    discovered.add(address)
    offer(address)
  }
  for (const address of entered) discover(address)
  const order: string[] = []
  for (let item = ready.pop(); item; item = ready.pop()) {
    order.push(item.address)
    for (const address of next.get(item.address) ?? []) discover(address)
    for (const address of waiters.get(item.address) ?? []) {
      const left = (waiting.get(address) as number) - 1
      waiting.set(address, left)
      if (left === 0) offer(address)
    }
  }
  if (order.length < distance.size) {
    const done = new Set(order)
    const stuck = [...after.keys()].filter((address) => !done.has(address)).sort()
    findings.push({
      type: 'ordering',
      severity: 'error',
      loc: stuck,
      message: `The order 'after' asks for cannot be kept: ${stuck.join(', ')} wait for one another or for what only they lead to. Remove one 'after'.`,
    })
  }
  return order
}
