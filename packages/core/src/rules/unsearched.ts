import type { CollectionNode, DatasetGraph } from './dataset-graph.js'
import type { Finding } from './findings.js'
import type { IdentityEntries } from './identity-entries.js'
import type { UnsearchedCollection } from './plan.js'
import { distances, neighbours, type Traversal } from './traversal.js'

/**
 * One reason for each described collection that is not searched (§7.1). Only a targeted one that no reference and no
 * identity reaches is an error.
 */
export function unsearchedCollections(
  graph: DatasetGraph,
  identities: IdentityEntries,
  traversal: Traversal,
  needed: ReadonlySet<string>,
  isTargeted: (address: string) => boolean,
): { collections: UnsearchedCollection[]; findings: Finding[] } {
  const reached = new Set(traversal.order)
  const findings: Finding[] = []
  const collections: UnsearchedCollection[] = []
  const left = [...graph.nodes.values()].filter(({ address }) => !needed.has(address))
  if (left.length === 0) return { collections, findings }
  const blocked = behind(graph, identities)
  const reachable = identitiesThatReach(graph, identities)
  for (const node of left) {
    const { address } = node
    const targeted = isTargeted(address)
    const put = (reason: UnsearchedCollection['reason'], detail?: string) =>
      collections.push({ address, reason, targeted, ...(detail !== undefined && { detail }) })
    if (node.unavailable) put(node.unavailable)
    else if (reached.has(address)) put('no target needs it')
    else if (identities.unproven.has(address)) put('identity not proven')
    else if (blocked.has(address)) put('behind', blocked.get(address))
    else if (reachable.has(address))
      put('identity not provided', [...(reachable.get(address) as Set<string>)].sort().join(', '))
    else if (!targeted) put('no target needs it')
    else {
      put('unreachable')
      findings.push(unreachable(node))
    }
  }
  return { collections, findings }
}

/** What the given identities would reach if everything described could be searched, and what stands in between. */
function behind(graph: DatasetGraph, identities: IdentityEntries): Map<string, string> {
  const next = neighbours(graph.edges)
  const confirmed = new Map<string, string[]>()
  for (const [address, confirmer] of identities.unconfirmed) {
    const list = confirmed.get(confirmer)
    if (list) list.push(address)
    else confirmed.set(confirmer, [address])
  }
  const following = (address: string) => [...(next.get(address) ?? []), ...(confirmed.get(address) ?? [])]
  const first = new Map<string, string>()
  const seen = new Set<string>()
  // What is reached without an obstacle comes first, so that it is never said to lie behind one.
  const entered = [...identities.entries.keys()]
  const isFree = (address: string) => graph.nodes.get(address)?.unavailable === undefined
  const queue = entered.filter(isFree)
  for (const address of queue) seen.add(address)
  const obstacles = [...entered.filter((address) => !isFree(address)), ...identities.unproven]
  for (let at = 0; at < queue.length; at++) {
    for (const to of following(queue[at] as string)) {
      if (seen.has(to)) continue
      if (!isFree(to)) {
        obstacles.push(to)
        continue
      }
      seen.add(to)
      queue.push(to)
    }
  }
  const later: string[] = []
  for (const obstacle of obstacles) {
    if (seen.has(obstacle)) continue
    seen.add(obstacle)
    first.set(obstacle, obstacle)
    later.push(obstacle)
  }
  for (let at = 0; at < later.length; at++) {
    const from = later[at] as string
    for (const to of following(from)) {
      if (seen.has(to)) continue
      seen.add(to)
      first.set(to, first.get(from) as string)
      later.push(to)
    }
  }
  return first
}

/** Identity properties, of the request or not, from which a collection could be reached. */
function identitiesThatReach(graph: DatasetGraph, identities: IdentityEntries): Map<string, Set<string>> {
  const result = new Map<string, Set<string>>()
  for (const [property, addresses] of identities.byProperty) {
    for (const address of distances(graph.edges, addresses).keys()) {
      result.set(address, (result.get(address) ?? new Set()).add(property))
    }
  }
  return result
}

function unreachable(node: CollectionNode): Finding {
  return {
    type: 'unreachable',
    severity: 'error',
    loc: [node.dataset.service_key, node.collection.name],
    message: `The policy asks for fields of '${node.address}', but no identity and no reference leads there: declare an 'identity' on one of its fields, add a reference, or set 'skip_processing'.`,
  }
}
