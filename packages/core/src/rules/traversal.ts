import { resolveAddress } from '../model/address.js'
import { type CollectionNode, coversKey, type DatasetGraph, type ReferenceEdge } from './dataset-graph.js'
import type { Finding } from './findings.js'
import { leastFirst } from './heap.js'

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
  readonly when?: { readonly side: 'from' | 'to'; readonly equals: Readonly<Record<string, string | number | boolean>> }
}

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
  const edges = graph.edges.filter((edge) => searchable(edge.from) && searchable(edge.to))
  const distance = distances(edges, entered)
  const reached = edges.filter((edge) => distance.has(edge.from) && distance.has(edge.to))
  const findings: Finding[] = []
  const after = precedence(graph, distance, findings)
  const order = visit(graph, edges, entered, distance, after, findings)
  const arrows = orient(graph, reached, entered, new Map(order.map((address, at) => [address, at])), findings)
  return { order, arrows, after, findings }
}

function neighbours(edges: readonly ReferenceEdge[]): ReadonlyMap<string, readonly string[]> {
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
    for (const each of before) waiters.set(each, [...(waiters.get(each) ?? []), address])
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

function orient(
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
      ...(edge.when && {
        when: { equals: edge.when.equals, side: (edge.when.side === 'from') === forward ? 'from' : 'to' },
      }),
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
  const causes = new Map<string, Set<ReferenceEdge>>()
  const queue = [...reached]
  for (let at = 0; at < queue.length; at++) {
    for (const { edge, to } of leads.get(queue[at] as string) ?? []) {
      const known = causes.get(to)
      if (known) known.add(edge)
      else causes.set(to, new Set([edge]))
      if (reached.has(to)) continue
      reached.add(to)
      queue.push(to)
    }
  }
  return {
    reached,
    otherwise: (edge: ReferenceEdge, address: string) => {
      const known = causes.get(address)
      return entered.has(address) || (known !== undefined && known.size > (known.has(edge) ? 1 : 0))
    },
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
