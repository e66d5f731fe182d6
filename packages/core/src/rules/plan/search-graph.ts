import { type DatasetGraph, type DescribedDataset, datasetGraph } from './dataset-graph.js'
import { type IdentityEntries, type IdentityOptions, identityEntries } from './identity-entries.js'
import { type MemberField, type MemberSearches, memberSearches, withoutMemberSearches } from './member-searches.js'
import { type Ownership, ownership } from './ownership.js'
import { type DirectedEdge, followedEdges, type Traversal, traverse } from './traversal.js'

/** Whose rows are, and the ways by which a request finds them. */
export interface SearchGraph {
  readonly graph: DatasetGraph
  readonly identities: IdentityEntries
  readonly owners: Ownership
  /** Every directed edge, whether or not it is searched. */
  readonly all: readonly DirectedEdge[]
  readonly traversal: Traversal
  /** Collections that are left out because of the members by which they would be searched. */
  readonly memberSearches: MemberSearches
}

export interface SearchOptions extends IdentityOptions {
  readonly inferOwners?: boolean
  /** The policy erases. */
  readonly erases: boolean
}

/**
 * The ways from the identities of a request to rows. Collections that a connector would have to search by members, and
 * cannot, are left out: what lies behind them is then reached otherwise or not at all.
 */
export function searchGraph(
  datasets: readonly DescribedDataset[],
  properties: readonly (readonly string[])[],
  { inferOwners = true, erases, ...options }: SearchOptions,
): SearchGraph {
  const left = new Map<string, readonly MemberField[]>()
  for (let graph = datasetGraph(datasets); ; ) {
    const identities = identityEntries(graph, properties, options)
    const owners = ownership(graph, { identities: identities.fields, inferOwners })
    const { nodes } = graph
    const isSearchable = (address: string) => nodes.get(address)?.unavailable === undefined
    const entered = new Set([...identities.entries.keys()].filter(isSearchable))
    const all = followedEdges(owners)
    const traversal = traverse(graph, all, entered, isSearchable)
    const found = memberSearches(graph, identities, traversal, erases)
    if (found.size === 0) return { graph, identities, owners, all, traversal, memberSearches: left }
    for (const [address, fields] of found) left.set(address, fields)
    graph = withoutMemberSearches(graph, found)
  }
}
