import { appendTo } from '../value/append-to.js'
import type { DatasetGraph } from './dataset-graph.js'
import type { IdentityEntries } from './identity-entries.js'
import type { UnsearchedCollection } from './plan.js'
import { type DirectedEdge, distances, neighbours, type Traversal } from './traversal.js'

/** The reason for each described collection that is not searched. `counted`: an open reference leads there. */
export function unsearchedCollections(
  graph: DatasetGraph,
  identities: IdentityEntries,
  { order }: Traversal,
  options: {
    readonly directedEdges: readonly DirectedEdge[]
    readonly needed: ReadonlySet<string>
    readonly counted: ReadonlySet<string>
    readonly isTargeted: (address: string) => boolean
  },
): UnsearchedCollection[] {
  const { directedEdges, needed, counted, isTargeted } = options
  const reached = new Set(order)
  const left = [...graph.nodes.values()].filter(({ address }) => !needed.has(address))
  if (left.length === 0) return []
  const blocked = behind(graph, identities, directedEdges, counted)
  const reachable = identitiesThatReach(identities, directedEdges)
  return left.flatMap((node): UnsearchedCollection[] => {
    const { address } = node
    const targeted = isTargeted(address)
    const put = (reason: UnsearchedCollection['reason'], detail?: string) => [
      { address, reason, targeted, ...(detail !== undefined && { detail }) },
    ]
    if (node.unavailable) return put(node.unavailable, node.members?.join(', '))
    if (reached.has(address)) return put('no target needs it')
    if (identities.unproven.has(address)) return put('identity not proven')
    if (identities.unconfirmed.has(address)) return put('identity not confirmed')
    const obstacle = blocked.get(address)
    if (obstacle !== undefined && obstacle !== address) return put('behind', obstacle)
    if (reachable.has(address))
      return put('identity not provided', [...(reachable.get(address) as Set<string>)].sort().join(', '))
    if (counted.has(address)) return []
    return put(targeted ? 'unreachable' : 'no target needs it')
  })
}

/**
 * The collections that the given identities would reach if everything described could be searched, each with the first
 * obstacle.
 */
function behind(
  graph: DatasetGraph,
  identities: IdentityEntries,
  directedEdges: readonly DirectedEdge[],
  counted: ReadonlySet<string>,
): Map<string, string> {
  const next = neighbours(directedEdges)
  const first = new Map<string, string>()
  const seen = new Set<string>()
  // Collections without an obstacle come first, so that none of them is reported as blocked.
  const entered = [...identities.entries.keys()].sort()
  const isFree = (address: string) => graph.nodes.get(address)?.unavailable === undefined
  const queue = entered.filter(isFree)
  for (const address of queue) seen.add(address)
  const obstacles = [
    ...entered.filter((address) => !isFree(address)),
    ...identities.unproven,
    ...identities.unconfirmed,
    ...counted,
  ]
  const owners = new Map<string, string[]>()
  for (const { kind, from, to } of directedEdges) if (kind === 'owned' && from !== to) appendTo(owners, to, from)
  for (let at = 0; at < queue.length; at++) {
    for (const to of next.get(queue[at] as string) ?? []) {
      if (seen.has(to)) continue
      const lacking = owners.get(to)
      if (!isFree(to)) obstacles.push(to)
      else if (lacking && !lacking.some((owner) => seen.has(owner))) first.set(to, [...lacking].sort()[0] as string)
      else {
        first.delete(to)
        seen.add(to)
        queue.push(to)
      }
    }
  }
  const later: string[] = [...first.keys()].sort()
  for (const address of later) seen.add(address)
  // Of several obstacles the first by name counts, so that the order of descriptions does not matter.
  for (const obstacle of obstacles.sort()) {
    if (seen.has(obstacle)) continue
    seen.add(obstacle)
    first.set(obstacle, obstacle)
    later.push(obstacle)
  }
  for (let at = 0; at < later.length; at++) {
    const from = later[at] as string
    for (const to of next.get(from) ?? []) {
      if (seen.has(to)) continue
      seen.add(to)
      first.set(to, first.get(from) as string)
      later.push(to)
    }
  }
  return first
}

/** Identity properties that could reach a collection, whether or not the request has them. */
function identitiesThatReach(
  { fields }: IdentityEntries,
  directedEdges: readonly DirectedEdge[],
): Map<string, Set<string>> {
  const result = new Map<string, Set<string>>()
  for (const [property, addresses] of collectionsByProperty(fields)) {
    for (const address of distances(directedEdges, addresses).keys()) {
      result.set(address, (result.get(address) ?? new Set()).add(property))
    }
  }
  return result
}

/** The collections that hold each identity property. */
export function collectionsByProperty(fields: IdentityEntries['fields']): Map<string, Set<string>> {
  const result = new Map<string, Set<string>>()
  for (const [address, byProperty] of fields) {
    for (const property of byProperty.keys()) result.set(property, (result.get(property) ?? new Set()).add(address))
  }
  return result
}
