import { atOnce } from '../../model/at-once.js'
import type { CatalogueCollection } from '../../model/catalogue.js'
import { looksLikePeople } from '../draft/ownership-names.js'
import { proposeCategories } from '../draft/propose-categories.js'
import type { Finding } from '../findings/finding.js'
import { appendTo } from '../value/append-to.js'
import type { CollectionNode } from './collection-node.js'
import type { DatasetGraph } from './dataset-graph.js'
import { edgesAt } from './graph-index.js'
import { fieldsOf, type ReferenceEdge } from './reference-edges.js'
import { staysOpen } from './stays-open.js'

/**
 * What a reference says about owners. `owner`: a row belongs to the owner of the row it refers to. `both` and `to`: as
 * a description says it. `open`: the description leaves it open. `none`: nothing.
 */
export type ReferenceMeaning = 'owner' | 'both' | 'to' | 'none' | 'open'

/** A reference from rows of a collection, with its meaning there. */
export interface MeantReference {
  readonly edge: ReferenceEdge
  readonly meaning: ReferenceMeaning
  /** The description does not say so: it is the only way for a row to have an owner. */
  readonly inferred?: true
  /** Why it is open. */
  readonly why?: string
  /** The field whose name makes the reference doubtful, until a person has reviewed it. */
  readonly doubted?: string
  /** The description does not say `none`. The reference leads to a collection without categories. */
  readonly unexplained?: true
  /** Other rows find their owner through the rows it leads to: owner references point there. */
  readonly way?: true
}

/** A described owner field. The first one that holds a value decides who owns the row. */
export type OwnerEntry = { readonly identity: string } | { readonly edge: ReferenceEdge }

export interface Ownership {
  /** Collections whose rows may have an owner. */
  readonly owned: ReadonlySet<string>
  /** Collections that hold people. */
  readonly people: ReadonlySet<string>
  /** By collection, the references from its rows. */
  readonly references: ReadonlyMap<string, readonly MeantReference[]>
  /** By collection, the described owner fields. Empty: its rows belong to nobody. */
  readonly entries: ReadonlyMap<string, readonly OwnerEntry[]>
  readonly findings: readonly Finding[]
}

export interface OwnershipOptions {
  /** Fields that hold an identity by collection, both declared and inferred ones. */
  readonly identities: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>
  /** False: every reference without a described direction is open. */
  readonly inferOwners?: boolean
}

/** Decides for each collection how its rows get an owner, from the description and the live catalogue alone. */
export function ownership(graph: DatasetGraph, options: OwnershipOptions): Ownership {
  return atOnce(ownershipByPieces(graph, options))
}

/** The same, yielding after each step. */
export function* ownershipByPieces(
  graph: DatasetGraph,
  { identities, inferOwners = true }: OwnershipOptions,
): Generator<void, Ownership> {
  const findings: Finding[] = []
  const bySource = new Map<string, ReferenceEdge[]>()
  for (const edge of graph.edges) appendTo(bySource, edge.from, edge)
  const entries = new Map<string, readonly OwnerEntry[]>()
  for (const node of graph.nodes.values()) {
    const named = node.collection.service_meta.owner
    if (named) entries.set(node.address, ownerEntries(node, named, bySource.get(node.address) ?? [], findings))
  }
  const isNobodys = (address: string) => isOwnedByNobody(graph.nodes.get(address) as CollectionNode)
  const people = new Set(
    [...graph.nodes.keys()].filter((address) => (identities.get(address)?.size ?? 0) > 0 && !isNobodys(address)),
  )
  for (const node of graph.nodes.values())
    if (isNobodys(node.address)) findings.push(...contrary(node, edgesAt(graph, node.address)))
  yield
  const owned = ownedCollections(graph, people, isNobodys)
  yield
  const asked = graph.edges.filter(({ direction }) => direction === undefined).flatMap(({ from, to }) => [from, to])
  const like = new Set([...new Set(asked)].filter((address) => looksLike(graph.nodes.get(address) as CollectionNode)))
  const takenFor = (address: string) => {
    const names = [...(identities.get(address)?.values() ?? [])].flat()
    const fields = graph.nodes.get(address)?.fields
    const isSaid = names.some((name) => fields?.get(name)?.field.service_meta.identity !== undefined)
    return isSaid ? undefined : names[0]
  }
  yield
  const pointedTo = new Set(graph.edges.filter(({ direction }) => direction === 'to').map(({ to }) => to))
  const references = new Map<string, readonly MeantReference[]>()
  for (const [address, edges] of bySource) {
    const node = graph.nodes.get(address) as CollectionNode
    const named = entries.get(address)
    const isCandidate = ({ from, to, direction }: ReferenceEdge) =>
      direction === undefined && from !== to && !isNobodys(to) && (owned.has(to) || like.has(to))
    const candidates = edges.filter(isCandidate)
    const stays = staysOpen(node, edges, candidates, { people, like, pointedTo, inferOwners, takenFor })
    const meant = edges.map((edge): MeantReference => {
      if (isNobodys(address)) return { edge, meaning: 'none' }
      if (isNobodys(edge.to) && edge.direction !== 'from') return { edge, meaning: 'none' }
      if (edge.direction === 'both' || edge.direction === 'to' || edge.direction === 'none')
        return { edge, meaning: edge.direction }
      if (edge.direction === 'from') return { edge, meaning: 'owner' }
      if (named?.some((entry) => 'edge' in entry && entry.edge === edge)) return { edge, meaning: 'owner' }
      const isCircular = edge.from === edge.to && owned.has(address)
      if (named && (candidates.includes(edge) || isCircular)) return { edge, meaning: 'open', why: unlessOwner }
      if (candidates.includes(edge)) {
        const doubt = stays(edge)
        return doubt ? { edge, meaning: 'open', ...doubt } : { edge, meaning: 'owner', inferred: true }
      }
      if (isCircular) return { edge, meaning: 'open', why: 'it leads to its own collection' }
      if (edge.from === edge.to) return { edge, meaning: 'none' }
      if (!isLookUp(graph, { edge })) return { edge, meaning: 'none', unexplained: true }
      return {
        edge,
        meaning: 'open',
        why: `'${edge.to}' has personal data, as an address has, and its owner is not described`,
      }
    })
    references.set(address, meant)
    yield
  }
  return { owned, people, references: withWays(references), entries, findings }
}

/**
 * Opens references without a direction to collections that owner references point to. Otherwise the rows that hang on
 * these would be left out in silence.
 */
function withWays(
  references: ReadonlyMap<string, readonly MeantReference[]>,
): ReadonlyMap<string, readonly MeantReference[]> {
  const all = [...references.values()].flat()
  if (!all.some(({ unexplained, meaning }) => unexplained || meaning === 'open')) return references
  const owners = new Set(
    all.flatMap(({ edge, meaning }) => (meaning === 'owner' || meaning === 'both' ? [edge.to] : [])),
  )
  const withWay = (meant: MeantReference): MeantReference => {
    const { edge, unexplained, meaning } = meant
    if (!(unexplained || meaning === 'open') || !owners.has(edge.to)) return meant
    const { why = `rows of '${edge.to}' say who owns other rows, and their own owner is not described` } = meant
    return { ...meant, meaning: 'open', way: true, why }
  }
  return new Map([...references].map(([address, meant]) => [address, meant.map(withWay)]))
}

const unlessOwner = `'owner' says who owns a row only where it holds a value`

/** Whether a described reference starts at a field. */
export function isReferring({ references }: Ownership, address: string, field: string): boolean {
  return references.get(address)?.some(({ edge }) => edge.parts.some(({ from }) => from === field)) === true
}

/** Whether a description says that the rows of a collection belong to nobody. */
export function isOwnedByNobody({ collection }: CollectionNode): boolean {
  return collection.service_meta.owner?.length === 0
}

/** Statements of a description that contradict `owner: []` of a collection. They have no effect. */
function contrary(
  { address, dataset, collection, fields }: CollectionNode,
  edges: readonly ReferenceEdge[],
): Finding[] {
  const said = [...fields.values()].flatMap(({ name, field: { service_meta } }) =>
    service_meta.identity === undefined ? [] : [`its field '${name}' has an identity`],
  )
  for (const edge of edges) {
    if (edge.from === address && (edge.direction === 'from' || edge.direction === 'both'))
      said.push(`its reference '${fieldsOf(edge)}' has the direction '${edge.direction}'`)
    if (edge.to === address && (edge.direction === 'to' || edge.direction === 'both'))
      said.push(`'${edge.from}.${fieldsOf(edge)}' leads there with the direction '${edge.direction}'`)
  }
  const referencing = edges
    .filter((edge) => edge.to === address && edge.from !== address && edge.direction === 'from')
    .map(
      (edge) =>
        `'${edge.from}.${fieldsOf(edge)}' leads there with the direction 'from', so its rows can never have a known owner: say 'none' there, or remove 'owner'`,
    )
  return [...said.map((what) => `${what}, which finds nothing: remove one of the two`), ...referencing].map((what) => ({
    type: 'contrary_owner',
    severity: 'warning',
    loc: [dataset.service_key, collection.name, 'owner'],
    message: `The description says that rows of '${address}' belong to nobody, but ${what}.`,
  }))
}

/**
 * Whether the rows that an open reference leads to may be part of the person, such as an address, or lead on to such
 * rows.
 */
export function isLookUp(graph: DatasetGraph, { edge, way }: Pick<MeantReference, 'edge' | 'way'>): boolean {
  const node = graph.nodes.get(edge.to) as CollectionNode
  return way === true || [...node.fields.values()].some(({ categories }) => categories.length > 0)
}

/**
 * Collects the owned collections. A collection is owned if its rows refer to owned ones, or if owned rows refer to it
 * with `to` or `both`. It is also owned if it says so and the collection it refers to is missing or cannot be searched.
 */
function ownedCollections(
  graph: DatasetGraph,
  people: ReadonlySet<string>,
  isNobodys: (address: string) => boolean,
): Set<string> {
  const next = new Map<string, string[]>()
  for (const { from, to, direction } of graph.edges) {
    if (direction !== 'none' && direction !== 'to') appendTo(next, to, from)
    if (direction === 'to' || direction === 'both') appendTo(next, from, to)
  }
  const isThere = (address: string) => isNobodys(address) || graph.nodes.get(address)?.unavailable === undefined
  const followed = new Set(
    graph.edges.flatMap(({ from, to, parts, direction }) =>
      (direction === 'from' || direction === 'both') && isThere(to) ? parts.map((part) => `${from}.${part.from}`) : [],
    ),
  )
  const said = [...graph.nodes.values()].filter((node) => hasMissingOwner(node, followed)).map(({ address }) => address)
  const owned = new Set([...people, ...said].filter((address) => !isNobodys(address)))
  const queue = [...owned]
  for (let at = 0; at < queue.length; at++) {
    for (const to of next.get(queue[at] as string) ?? []) {
      if (owned.has(to) || isNobodys(to)) continue
      owned.add(to)
      queue.push(to)
    }
  }
  return owned
}

/** Whether rows say that they belong to an owner in a missing dataset or collection. */
function hasMissingOwner({ address, fields }: CollectionNode, followed: ReadonlySet<string>): boolean {
  return [...fields.values()].some(({ name, field }) =>
    field.service_meta.references.some(
      ({ direction }) => (direction === 'from' || direction === 'both') && !followed.has(`${address}.${name}`),
    ),
  )
}

/** A cache, since the proposals for the names of a catalogue never change. */
const proposedFor = new WeakMap<CatalogueCollection, readonly string[]>()

/** Whether rows look like people, by their declared categories or by those that the names of columns suggest. */
function looksLike({ fields, live }: CollectionNode): boolean {
  const proposed = live ? (proposedFor.get(live) ?? proposeCategories([live]).map(({ category }) => category)) : []
  if (live) proposedFor.set(live, proposed)
  return looksLikePeople([...[...fields.values()].flatMap(({ categories }) => categories), ...proposed])
}

function ownerEntries(
  node: CollectionNode,
  named: readonly string[],
  edges: readonly ReferenceEdge[],
  findings: Finding[],
): OwnerEntry[] {
  const taken = new Set<ReferenceEdge>()
  return named.flatMap((name): OwnerEntry[] => {
    const field = node.fields.get(name)
    const found = edges.filter(
      (edge) =>
        edge.direction !== 'none' &&
        edge.direction !== 'to' &&
        edge.from !== edge.to &&
        edge.parts.some(({ from }) => from === name),
    )
    const fresh = found.filter((edge) => !taken.has(edge))
    for (const edge of fresh) taken.add(edge)
    if (fresh.length > 0) return fresh.map((edge) => ({ edge }))
    if (found.length > 0) return []
    if (field?.field.service_meta.identity !== undefined) return [{ identity: name }]
    findings.push({
      type: 'unknown_owner',
      severity: 'error',
      loc: [node.dataset.service_key, node.collection.name, 'owner'],
      message: `'${node.address}' names '${name}' as its owner, which is ${field ? 'a field without an identity and without a reference that could lead to one' : 'not described'}: name an identity field, or a field whose reference leads to the owner of the row.`,
    })
    return []
  })
}
