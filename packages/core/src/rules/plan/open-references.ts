import { placeOf } from '../../model/address.js'
import { answersText, answersTo } from '../draft/answers-to.js'
import type { CollectionNode, FieldNode } from './collection-node.js'
import type { DatasetGraph } from './dataset-graph.js'
import type { IdentityEntries } from './identity-entries.js'
import { namesOf, unsearchable } from './member-searches.js'
import { isLookUp, type MeantReference, type Ownership } from './ownership.js'
import type { PlannedOpen } from './plan.js'
import type { PlannedOpenEdge } from './plan-draft.js'
import { type PlannedField, plannedConditionsOf, plannedField } from './planned-field.js'
import { fieldsOf, type ReferenceEdge } from './reference-edges.js'
import { spelledEdge, spelledFields } from './spelled-edge.js'
import { type DirectedEdge, reached, type Traversal, type Way } from './traversal.js'

export interface OpenReferencesInput {
  readonly ownership: Ownership
  /** Every directed edge, whether or not it is searched. */
  readonly directedEdges: readonly DirectedEdge[]
  readonly traversal: Traversal
  readonly identities: IdentityEntries
  readonly isTargeted: (address: string) => boolean
}

/**
 * The open references that lead from rows of the person to undecided rows, where the policy asks for something in these
 * or below them.
 */
export function openReferences(graph: DatasetGraph, input: OpenReferencesInput): PlannedOpenEdge[] {
  const { ownership, traversal, isTargeted, directedEdges } = input
  const searched = new Set(traversal.order)
  const all = [...ownership.references.values()].flat().filter(({ meaning }) => meaning === 'open')
  const matters = leadsToTargets(all, directedEdges, isTargeted)
  const found: PlannedOpenEdge[] = []
  for (const meant of all) {
    const { edge } = meant
    for (const kind of ['reference', 'look-up'] as const) {
      const { address, by } = endsOf(edge, kind)
      if (!searched.has(by) || !matters(address) || !isOpenFor(graph, input, meant, kind)) continue
      const node = graph.nodes.get(address) as CollectionNode
      if (node.unavailable !== undefined || node.connectionKey === undefined) continue
      const planned = plannedOpen(graph, input, meant, kind)
      if (!isAlwaysDecided(node, planned)) found.push({ edge, planned })
    }
  }
  return found
}

/** Whether a reference may give rows an owner in this direction. */
function isOpenFor(
  graph: DatasetGraph,
  { ownership }: OpenReferencesInput,
  meant: MeantReference,
  kind: PlannedOpen['kind'],
): boolean {
  if (kind === 'look-up') return isLookUp(graph, meant)
  return ownership.owned.has(meant.edge.to) && ownership.owned.has(meant.edge.from)
}

/** The collection of the rows to count, and the collection whose own rows lead there. */
function endsOf({ from, to }: ReferenceEdge, kind: PlannedOpen['kind']) {
  return kind === 'reference' ? { address: from, by: to } : { address: to, by: from }
}

function plannedOpen(
  graph: DatasetGraph,
  { ownership, identities }: OpenReferencesInput,
  meant: MeantReference,
  kind: PlannedOpen['kind'],
): PlannedOpen {
  const { edge, why = '' } = meant
  const { address, by } = endsOf(edge, kind)
  const node = graph.nodes.get(address) as CollectionNode
  const name = `${edge.from}.${fieldsOf(edge)}`
  const fields = edge.parts.map((part) =>
    plannedField(node.fields.get(kind === 'reference' ? part.from : part.to) as FieldNode),
  )
  const isHere = edge.when && (edge.when.side === 'from') === (kind === 'reference')
  const spelled = spelledEdge(graph, edge)
  const columns = fields.map(({ path }) => path[0] as string)
  const when = isHere && edge.when ? plannedConditionsOf(node, edge.when.equals) : []
  const undecidedWhileEmpty = decidingFields(node, kind, ownership, identities)
  const isUncounted = unsearchable(node, namesOf(fields), namesOf([...when, ...undecidedWhileEmpty])).length > 0
  return {
    name,
    kind,
    address,
    by,
    why,
    fields: spelledFields(fields, kind === 'reference' ? spelled?.from : spelled?.to),
    collection: node.collection.name,
    connectionKey: node.connectionKey as string,
    when,
    undecidedWhileEmpty,
    ...(isUncounted && { uncounted: true as const }),
    indexed: node.live?.indexes.some((index) => columns.includes(index[0] as string)) ?? true,
    answers: answersText(placeOf(edge.from).dataset, answersTo(graph, meant, ownership)),
  }
}

/** Whether every row holds a value in a field that decides who owns it. */
function isAlwaysDecided(node: CollectionNode, { undecidedWhileEmpty }: PlannedOpen): boolean {
  return undecidedWhileEmpty.some((field) => !mayBeBlank(node, field))
}

/** Blank text also counts as nothing, unless a foreign key constrains it. */
function mayBeBlank({ live }: CollectionNode, { path, placeholders }: PlannedField): boolean {
  if (!live || live.schemaless || path.length > 1 || placeholders.length > 0) return true
  const column = live.columns.find(({ name }) => name === path[0])
  if (!column || column.nullable) return true
  return column.kind === 'string' && !live.foreignKeys.some(({ columns }) => columns.includes(column.name))
}

/**
 * The field of a reference that alone shows whether the reference holds a value. A reference over several columns holds
 * one only where all of them do. Where several columns may be empty, none is returned, so that rows are counted too
 * often rather than left out.
 */
function decisivePart(node: CollectionNode, { parts }: ReferenceEdge): string[] {
  const names = parts.map(({ from }) => from)
  const open = names.filter((name) => mayBeBlank(node, plannedField(node.fields.get(name) as FieldNode)))
  if (open.length > 1 && names.length > 1) return []
  return open.length === 1 ? open : names.slice(0, 1)
}

/**
 * Fields that decide who owns a row, whatever the open reference means: the described owner, and for look-ups
 * everything by which their own rows are found or left. An inferred owner that leads to rows of people, but not to
 * people, may be wrong: then rows that the person's rows refer to would belong to somebody else.
 */
function decidingFields(
  node: CollectionNode,
  kind: PlannedOpen['kind'],
  { references, entries, people }: Ownership,
  identities: IdentityEntries,
): PlannedField[] {
  const { address } = node
  const asked = new Set((identities.entries.get(address) ?? []).map(({ field }) => field))
  const written = entries.get(address) ?? []
  // A field with an identity that the request does not know leaves the later fields open.
  const unknown = written.findIndex((entry) => 'identity' in entry && !asked.has(entry.identity))
  const deciding = unknown === -1 ? written : written.slice(0, unknown)
  const meant = references.get(address) ?? []
  const isPeople = (other: string) => people.has(other) && !entries.get(other)?.some((entry) => 'edge' in entry)
  const isOwner = ({ meaning, inferred, edge }: MeantReference) =>
    (meaning === 'owner' || meaning === 'both') && (!inferred || isPeople(edge.to) || isOwnKey(node, edge))
  const owning = meant.filter(isOwner).map(({ edge }) => edge)
  const found = kind === 'look-up' && written.length === 0
  const edges = found ? owning : deciding.flatMap((entry) => ('edge' in entry ? [entry.edge] : []))
  const fields = found ? asked : deciding.flatMap((entry) => ('identity' in entry ? [entry.identity] : []))
  // Where a reference has a condition, its value alone decides nothing.
  const held = edges.filter(({ when }) => when === undefined).flatMap((edge) => decisivePart(node, edge))
  return [...new Set([...held, ...fields])].map((name) => plannedField(node.fields.get(name) as FieldNode))
}

/** Whether a row is a part of the one row that it refers to, such as an employee of a person. */
function isOwnKey(node: CollectionNode, { parts }: ReferenceEdge): boolean {
  const names = parts.map(({ from }) => from)
  return node.keys.some((key) => key.length === names.length && key.every((name) => names.includes(name)))
}

/** Whether the policy asks for something in a collection or in the collections that its rows would lead to. */
function leadsToTargets(
  open: readonly MeantReference[],
  directedEdges: readonly DirectedEdge[],
  isTargeted: (address: string) => boolean,
): (address: string) => boolean {
  const back: Way[] = [
    ...directedEdges.map(({ from, to }) => ({ from: to, to: from })),
    ...open.map(({ edge }) => ({ from: edge.from, to: edge.to })),
  ]
  const ends = new Set(back.flatMap(({ from, to }) => [from, to]))
  const found = reached(back, [...ends].filter(isTargeted))
  return (address) => found.has(address) || isTargeted(address)
}
