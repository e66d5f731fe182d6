import type { Finding } from '../findings/finding.js'
import type { CollectionNode } from '../plan/collection-node.js'
import type { DatasetGraph } from '../plan/dataset-graph.js'
import type { PlannedErasure } from '../plan/plan.js'
import type { WriteEdge } from './erasure-order.js'

interface Written {
  readonly node: CollectionNode
  readonly erasure: PlannedErasure
  readonly fields: ReadonlySet<string>
}

/**
 * The order of a view and a table that it shows, where an erasure writes both. What is written to one of them may hide a row
 * from the view, or take from the table by what its row is known as the person's, and the other fields would stay. So the one
 * goes first that erases what the other does as well, or takes nothing from it. An order that is demanded otherwise holds.
 */
export function viewsAndTables(
  graph: DatasetGraph,
  order: readonly string[],
  erasures: ReadonlyMap<string, PlannedErasure>,
  demanded: readonly WriteEdge[],
): { edges: WriteEdge[]; findings: Finding[] } {
  const edges: WriteEdge[] = []
  const findings: Finding[] = []
  const written = order.flatMap((address): Written[] => {
    const [node, erasure] = [graph.nodes.get(address), erasures.get(address)]
    return node && erasure ? [{ node, erasure, fields: new Set(erasure.masks.map(({ field }) => field)) }] : []
  })
  for (const view of written) {
    const { writable, shows } = view.node.live?.view ?? {}
    const shown = new Set(writable ? shows : [])
    for (const table of written) {
      const { connectionKey, collection } = table.node
      if (table === view || connectionKey !== view.node.connectionKey || !shown.has(collection.name)) continue
      const edge = ordered(view, table)
      if (!edge) findings.push(inNoOrder(view.node, table.node))
      else if (!comesBefore(edge.next, edge.first, demanded)) edges.push(edge)
    }
  }
  return { edges, findings }
}

function inNoOrder({ address, dataset, collection }: CollectionNode, table: CollectionNode): Finding {
  return {
    type: 'erasure_order',
    severity: 'error',
    loc: [dataset.service_key, collection.name],
    message: `'${address}' shows rows of '${table.address}', and an erasure writes fields of both that the other does not erase: what is written to one may hide what is left for the other. Give the fields of '${address}' their categories in '${table.address}' as well, or in only one of the two.`,
  }
}

function ordered(view: Written, table: Written): WriteEdge | undefined {
  const tableFirst = { first: table.node.address, next: view.node.address }
  const viewFirst = { first: view.node.address, next: table.node.address }
  if (covers(table, view)) return tableFirst
  return covers(view, table) || !judgedBy(table.node).some((name) => view.fields.has(name)) ? viewFirst : undefined
}

/** Whether all that the other erases in a row is erased with the first one. */
function covers({ erasure, fields }: Written, other: Written): boolean {
  if (erasure.how === 'delete') return true
  return other.erasure.how === 'mask' && [...other.fields].every((name) => fields.has(name))
}

/** The fields that say whose a row is. */
function judgedBy({ fields }: CollectionNode): string[] {
  return [...fields.values()].flatMap(({ name, field: { service_meta: said } }) =>
    said.identity !== undefined || said.references.length > 0 ? [name] : [],
  )
}

function comesBefore(first: string, last: string, edges: readonly WriteEdge[]): boolean {
  const reached = new Set([first])
  // a set also gives what is added while it is walked through
  for (const at of reached) for (const edge of edges) if (edge.first === at) reached.add(edge.next)
  return reached.has(last)
}
