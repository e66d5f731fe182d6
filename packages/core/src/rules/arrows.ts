import { type CollectionNode, coversKey, type DatasetGraph } from './dataset-graph.js'
import type { Finding } from './findings.js'
import type { EdgeCondition, ReferenceEdge } from './reference-edges.js'

/** A reference with the direction in which a run follows it. */
export interface Arrow {
  readonly id: string
  readonly from: string
  readonly to: string
  readonly parts: readonly { readonly from: string; readonly to: string }[]
  /** What it reaches is looked up, not the subject's own (§7.5). */
  readonly lookup: boolean
  /** An undirected reference is followed out of own rows only. */
  readonly undirected: boolean
  readonly when: EdgeCondition | undefined
}

/** References as a run follows them: says which way each undirected one runs (§7.6), given the order of §7.2. */
export function orient(
  graph: DatasetGraph,
  edges: readonly ReferenceEdge[],
  entered: ReadonlySet<string>,
  position: ReadonlyMap<string, number>,
  findings: Finding[],
): Arrow[] {
  const facts = edges.map((edge) => {
    const from = graph.nodes.get(edge.from) as CollectionNode
    const to = graph.nodes.get(edge.to) as CollectionNode
    return {
      edge,
      fromKey: coversKey(
        from,
        edge.parts.map((part) => part.from),
      ),
      toKey: coversKey(
        to,
        edge.parts.map((part) => part.to),
      ),
      earlierIsFrom: (position.get(edge.from) ?? 0) <= (position.get(edge.to) ?? 0),
      bothEntered: entered.has(edge.from) && entered.has(edge.to) && edge.from !== edge.to,
    }
  })
  const own = ownCollections(facts, entered)
  const arrows: Arrow[] = []
  const add = (edge: ReferenceEdge, forward: boolean, fromKey: boolean, toKey: boolean) => {
    const startsAtKey = forward ? fromKey : toKey
    const endsAtKey = forward ? toKey : fromKey
    arrows.push({
      id: `${edge.directed ? '' : forward ? '> ' : '< '}${edge.id}`,
      from: forward ? edge.from : edge.to,
      to: forward ? edge.to : edge.from,
      parts: forward ? edge.parts : edge.parts.map((part) => ({ from: part.to, to: part.from })),
      lookup: edge.from === edge.to || (endsAtKey && !startsAtKey),
      undirected: !edge.directed,
      when: edge.when && { equals: edge.when.equals, side: (edge.when.side === 'from') === forward ? 'from' : 'to' },
    })
  }
  for (const { edge, fromKey, toKey, earlierIsFrom, bothEntered } of facts) {
    if (edge.directed) {
      add(edge, true, fromKey, toKey)
      continue
    }
    const fromOwn = own.reached.has(edge.from)
    const toOwn = own.reached.has(edge.to)
    let forward: boolean
    let backward: boolean
    if (bothEntered) forward = backward = true
    else if (fromKey && toKey && edge.from !== edge.to) {
      // Both ends name one row: run from each end that something else reaches as own, else from the earlier one.
      forward = fromOwn && (own.otherwise(edge, edge.from) || earlierIsFrom)
      backward = toOwn && (own.otherwise(edge, edge.to) || !earlierIsFrom)
      if (!forward && !backward) {
        forward = earlierIsFrom
        backward = !earlierIsFrom
      }
    } else if (fromKey !== toKey) {
      forward = fromKey ? fromOwn : !toOwn
      backward = !forward
    } else {
      forward = earlierIsFrom
      backward = !forward
      if (!fromKey) findings.push(undirectedFinding(graph, edge))
    }
    if (forward) add(edge, true, fromKey, toKey)
    if (backward) add(edge, false, fromKey, toKey)
  }
  return arrows
}

interface EdgeFacts {
  readonly edge: ReferenceEdge
  readonly fromKey: boolean
  readonly toKey: boolean
  readonly earlierIsFrom: boolean
}

/** Collections that own rows can lie in, and whether one is so without a certain edge. */
function ownCollections(facts: readonly EdgeFacts[], entered: ReadonlySet<string>) {
  const leads = new Map<string, { edge: ReferenceEdge; to: string }[]>()
  const lead = (edge: ReferenceEdge, from: string, to: string) => {
    const list = leads.get(from)
    if (list) list.push({ edge, to })
    else leads.set(from, [{ edge, to }])
  }
  for (const { edge, fromKey, toKey, earlierIsFrom } of facts) {
    if (edge.from === edge.to) continue
    if (edge.directed) {
      if (!toKey || fromKey) lead(edge, edge.from, edge.to)
    } else if (fromKey === toKey) {
      if (fromKey || earlierIsFrom) lead(edge, edge.from, edge.to)
      if (fromKey || !earlierIsFrom) lead(edge, edge.to, edge.from)
    } else if (fromKey) lead(edge, edge.from, edge.to)
    else lead(edge, edge.to, edge.from)
  }
  const reached = new Set(entered)
  const causes = new Map<string, ReferenceEdge[]>()
  const queue = [...reached]
  for (let at = 0; at < queue.length; at++) {
    for (const { edge, to } of leads.get(queue[at] as string) ?? []) {
      const known = causes.get(to)
      if (known) known.push(edge)
      else causes.set(to, [edge])
      if (reached.has(to)) continue
      reached.add(to)
      queue.push(to)
    }
  }
  return {
    reached,
    otherwise: (edge: ReferenceEdge, address: string) =>
      entered.has(address) || causes.get(address)?.some((each) => each !== edge) === true,
  }
}

function undirectedFinding(graph: DatasetGraph, edge: ReferenceEdge): Finding {
  const node = graph.nodes.get(edge.from) as CollectionNode
  const field = edge.parts[0]?.from as string
  return {
    type: 'undirected_reference',
    severity: 'warning',
    loc: [node.dataset.service_key, node.collection.name, field],
    message: `The reference between '${edge.from}.${field}' and '${edge.to}.${edge.parts[0]?.to}' has no direction and no known key: say 'to' or 'from'.`,
  }
}
