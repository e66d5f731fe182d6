import { resolveAddress } from '../../model/address.js'
import { atOnce } from '../../model/at-once.js'
import type { Finding } from '../findings/finding.js'
import { appendTo } from '../value/append-to.js'
import type { CollectionNode } from './collection-node.js'
import type { DatasetGraph } from './dataset-graph.js'
import { leastFirst } from './least-first.js'
import type { Ownership } from './ownership.js'
import type { EdgeCondition, ReferenceEdge } from './reference-edges.js'

/** A reference in the direction in which a run follows it. */
export interface DirectedEdge {
  readonly from: string
  readonly to: string
  readonly parts: readonly { readonly from: string; readonly to: string }[]
  /**
   * `owned`: down to rows that belong to the owner of the row. `part`: to rows that belong to the person because own
   * rows refer to them. `named`: up to the person that a row names.
   */
  readonly kind: 'owned' | 'part' | 'named'
  readonly edge: ReferenceEdge
  readonly when: EdgeCondition | undefined
}

export interface Traversal {
  /** Searched collections, sorted by distance from an identity, then dataset and name. */
  readonly order: readonly string[]
  readonly directedEdges: readonly DirectedEdge[]
  /** By collection, the searched collections that it comes `after`. */
  readonly after: ReadonlyMap<string, readonly string[]>
  readonly findings: readonly Finding[]
}

/** A reference in the direction from its target down to the rows that hold it. */
export function downwards<Kind>(edge: ReferenceEdge, kind: Kind): Omit<DirectedEdge, 'kind'> & { readonly kind: Kind } {
  return {
    from: edge.to,
    to: edge.from,
    parts: edge.parts.map((part) => ({ from: part.to, to: part.from })),
    kind,
    edge,
    when: edge.when && { side: edge.when.side === 'from' ? 'to' : 'from', equals: edge.when.equals },
  }
}

/** Every directed edge, whether or not it is searched. */
export function followedEdges({ references }: Ownership): DirectedEdge[] {
  const directedEdges: DirectedEdge[] = []
  for (const meant of references.values()) {
    for (const { edge, meaning } of meant) {
      const { from, to, parts, when } = edge
      if (meaning === 'to' || meaning === 'both')
        directedEdges.push({ from, to, parts, when, edge, kind: meaning === 'to' ? 'part' : 'named' })
      if (meaning !== 'owner' && meaning !== 'both') continue
      directedEdges.push(downwards(edge, 'owned'))
    }
  }
  return directedEdges
}

/** Walks from the collections that identities enter to all collections with own rows. */
export function traverse(
  graph: DatasetGraph,
  all: readonly DirectedEdge[],
  entered: ReadonlySet<string>,
  searchable: (address: string) => boolean,
): Traversal {
  return atOnce(traverseByPieces(graph, all, entered, searchable))
}

/** The same, yielding after each step. */
export function* traverseByPieces(
  graph: DatasetGraph,
  all: readonly DirectedEdge[],
  entered: ReadonlySet<string>,
  searchable: (address: string) => boolean,
): Generator<void, Traversal> {
  const searched = searchedCollections(all, entered, searchable)
  const directedEdges = all.filter(({ from, to }) => searched.has(from) && searched.has(to))
  const distance = distances(directedEdges, entered)
  yield
  const findings: Finding[] = []
  const after = precedence(graph, distance, findings)
  yield
  const order = visit(graph, directedEdges, entered, distance, after, findings)
  return { order, directedEdges, after, findings }
}

/**
 * A collection whose rows have an owner by reference is searched if a collection of owners is. Any other collection is
 * searched if an edge leads to it. A collection with an identity is entered anyway.
 */
function searchedCollections(
  directedEdges: readonly DirectedEdge[],
  entered: ReadonlySet<string>,
  searchable: (address: string) => boolean,
): ReadonlySet<string> {
  const owned = new Set(
    directedEdges.filter(({ kind, from, to }) => kind === 'owned' && from !== to).map(({ to }) => to),
  )
  const next = new Map<string, DirectedEdge[]>()
  for (const directedEdge of directedEdges) {
    if (directedEdge.kind !== 'owned' && owned.has(directedEdge.to)) continue
    appendTo(next, directedEdge.from, directedEdge)
  }
  const searched = new Set([...entered].filter(searchable))
  const queue = [...searched]
  for (let at = 0; at < queue.length; at++) {
    for (const { to } of next.get(queue[at] as string) ?? []) {
      if (searched.has(to) || !searchable(to)) continue
      searched.add(to)
      queue.push(to)
    }
  }
  return searched
}

type Neighbours = ReadonlyMap<string, readonly string[]>
/** A way from one collection to another. */
export type Way = Pick<DirectedEdge, 'from' | 'to'>

/** A cache, since the same edges are walked for each identity and from many places. */
const knownNeighbours = new WeakMap<readonly Way[], Neighbours>()

/** The collections that each collection leads to. */
export function neighbours(directedEdges: readonly Way[]): Neighbours {
  const known = knownNeighbours.get(directedEdges)
  if (known) return known
  const next = new Map<string, string[]>()
  for (const { from, to } of directedEdges) appendTo(next, from, to)
  knownNeighbours.set(directedEdges, next)
  return next
}

/** The number of edges from the nearest identity, for every collection that can be reached. */
export function distances(directedEdges: readonly Way[], entered: Iterable<string>): Map<string, number> {
  const next = neighbours(directedEdges)
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

/** Everything that can be reached, including the starts. */
export function reached(directedEdges: readonly Way[], starts: Iterable<string>): Set<string> {
  return new Set(distances(directedEdges, starts).keys())
}

function precedence(graph: DatasetGraph, reached: ReadonlyMap<string, number>, findings: Finding[]) {
  const byDataset = new Map<string, string[]>()
  for (const { dataset, address } of graph.nodes.values()) appendTo(byDataset, dataset.service_key, address)
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
    message: `'${node.address}' is to come after '${name}', which is not described: this order has no effect until it is.`,
  }
}

/** Visits discovered collections whose `after` is done, in the order of distance, dataset and collection. */
function visit(
  graph: DatasetGraph,
  directedEdges: readonly DirectedEdge[],
  entered: ReadonlySet<string>,
  distance: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, readonly string[]>,
  findings: Finding[],
): string[] {
  const next = neighbours(directedEdges)
  const waiting = new Map<string, number>()
  const waiters = new Map<string, string[]>()
  for (const [address, before] of after) {
    waiting.set(address, before.length)
    for (const each of before) appendTo(waiters, each, address)
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
      message: `The order of 'after' is impossible: ${stuck.join(', ')} wait for each other, or for collections that only they lead to. Remove one 'after'.`,
    })
  }
  return order
}
