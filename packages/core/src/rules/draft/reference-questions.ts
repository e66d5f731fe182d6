import { placeOf } from '../../model/address.js'
import type { Proposal } from '../../model/proposal.js'
import type { DatasetGraph } from '../plan/dataset-graph.js'
import { nodesOf } from '../plan/graph-index.js'
import { isLookUp, isOwnedByNobody, type MeantReference, type Ownership } from '../plan/ownership.js'
import { fieldsOf, type ReferenceEdge } from '../plan/reference-edges.js'
import { type UndescribedTarget, undescribedPairs } from '../plan/undescribed-pairs.js'
import { undescribedRoles } from '../plan/undescribed-roles.js'
import { type UnreferencedKey, unreferencedKeys } from '../plan/unreferenced-keys.js'
import { appendTo } from '../value/append-to.js'
import { answersTo, type ReferenceAnswer } from './answers-to.js'

/** The open references of a description. */
export interface OpenReferences {
  /** Their number, in one sentence. */
  readonly summary: string
  readonly references: readonly OpenReference[]
}

/**
 * An open reference: the description does not say what it means. Rows that it connects with a person are counted and
 * left alone.
 */
export interface OpenReference {
  /** `dataset:collection.field`. */
  readonly name: string
  readonly collection: string
  /** Several fields of one reference are joined by a comma. */
  readonly field: string
  /** `dataset:collection`. Null where no reference is described, and another field or its name says that it refers to something. */
  readonly to: string | null
  /** `reference`: its rows may belong to the person. `look-up`: the rows it leads to may belong to the person. */
  readonly kinds: readonly ('reference' | 'look-up')[]
  readonly why: string
  /** Each one alone closes it. */
  readonly answers: readonly ReferenceAnswer[]
}

/** What a draft or a dataset of a database that shows nothing says. */
export const emptyConnection = (key: string) =>
  `The connection of '${key}' shows no table or collection: check the names of its database and schema, and what its user may see.`

/** The open references of one dataset, each once. */
export function referenceQuestions(
  key: string,
  graph: DatasetGraph,
  ownership: Ownership,
  proposals: readonly Proposal[] = [],
  unreferenced: readonly UnreferencedKey[] = unreferencedKeys(graph, ownership),
): OpenReferences {
  const references = openReferences(ownership, key).flatMap((meant): OpenReference[] => {
    const { edge, why = '' } = meant
    const { collection } = placeOf(edge.from)
    const kinds = kindsOf(graph, meant, ownership)
    if (kinds.length === 0) return []
    const field = fieldsOf(edge)
    const answers = answersTo(graph, meant, ownership).map((answer) => proposed(answer, edge, proposals))
    return [{ name: `${edge.from}.${field}`, collection, field, to: edge.to, kinds, why, answers }]
  })
  const pairs = undescribedPairs(graph, ownership, key)
  const own = unreferenced.filter(({ node }) => node.dataset.service_key === key)
  const keys = own.filter(({ to, names }) => (to ?? names) !== undefined)
  const told = new Set(own.map(({ node, field }) => `${node.address}.${field}`))
  const roles = undescribedRoles(graph, ownership, key).filter(
    ({ node, field }) => !told.has(`${node.address}.${field}`),
  )
  const targets = [...pairs, ...roles].map((each) => targetQuestion(each, proposals))
  const summary = [
    summaryOf(key, references.length),
    pairsSummary(pairs.length),
    rolesSummary(roles),
    keysSummary(keys),
    unreached(key, graph, ownership),
  ].join('')
  return { summary, references: [...references, ...targets] }
}

/** A cache, since each dataset asks for its own among the references of all. */
const openByDataset = new WeakMap<Ownership, ReadonlyMap<string, readonly MeantReference[]>>()

/** The references of one dataset that its description leaves open. */
function openReferences(ownership: Ownership, key: string): readonly MeantReference[] {
  const known = openByDataset.get(ownership)
  if (known) return known.get(key) ?? []
  const open = new Map<string, MeantReference[]>()
  for (const meant of [...ownership.references.values()].flat())
    if (meant.meaning === 'open') appendTo(open, placeOf(meant.edge.from).dataset, meant)
  openByDataset.set(ownership, open)
  return open.get(key) ?? []
}

function targetQuestion(
  { node, field, why, answers }: UndescribedTarget,
  proposals: readonly Proposal[],
): OpenReference {
  const { address, collection } = node
  return {
    name: `${address}.${field}`,
    collection: collection.name,
    field,
    to: null,
    kinds: ['reference'],
    why,
    answers: answers.map((answer) => proposed(answer, undefined, proposals)),
  }
}

function pairsSummary(count: number): string {
  if (count === 0) return ''
  const what = count === 1 ? '1 pair' : `${count} pairs`
  return ` ${what} of a type and an id ${count === 1 ? 'has' : 'have'} no described reference: rows are neither found nor counted over ${count === 1 ? 'it' : 'them'}.`
}

function rolesSummary(roles: readonly UndescribedTarget[]): string {
  if (roles.length === 0) return ''
  const names = roles.slice(0, 5).map(({ node, field }) => `'${node.collection.name}.${field}'`)
  const more = roles.length > names.length ? ` and ${roles.length - names.length} more` : ''
  return ` Nobody has said what ${names.join(', ')}${more} refer${roles.length === 1 ? 's' : ''} to.`
}

function keysSummary(keys: readonly UnreferencedKey[]): string {
  if (keys.length === 0) return ''
  const names = keys.slice(0, 5).map(({ node, field }) => `'${node.collection.name}.${field}'`)
  const more = keys.length > names.length ? ` and ${keys.length - names.length} more` : ''
  return ` No reference is described for ${names.join(', ')}${more}, named like ${keys.length === 1 ? 'a key of a person or of' : 'keys of people or of'} rows that have an owner: rows are neither found nor counted over ${keys.length === 1 ? 'it' : 'them'}. Accept the proposal of a draft, describe the reference, or say 'reviewed'.`
}

/** The reason why every request finds nothing, whatever the answers are. */
function unreached(key: string, graph: DatasetGraph, { people, owned }: Ownership): string {
  const meant = nodesOf(graph, key).filter((node) => node.unavailable !== 'skip_processing' && !isOwnedByNobody(node))
  if (meant.length === 0 || meant.some(({ address }) => owned.has(address))) return ''
  if (people.size === 0)
    return ` But no field has an identity, so no request finds anything: say 'identity: email' on the field with the e-mail address that identifies people.`
  return ` But nothing leads from a field with an identity to '${key}', so no request finds anything there: say the 'identity' of a field, or describe a reference that leads to people.`
}

function summaryOf(key: string, count: number): string {
  if (count === 0) return `No reference of '${key}' is open.`
  const which = count === 1 ? '1 reference' : `${count} references`
  return `${which} of '${key}' ${count === 1 ? 'is' : 'are'} open: rows that ${count === 1 ? 'it connects' : 'they connect'} with a person are counted and left alone until somebody decides.`
}

function kindsOf(graph: DatasetGraph, meant: MeantReference, { owned, entries }: Ownership): OpenReference['kinds'] {
  const { from, to } = meant.edge
  const leads = isLookUp(graph, meant) ? (['look-up'] as const) : []
  // The owner of its rows is stated elsewhere. What it leads to is still open.
  if (entries.has(from) || (leads.length > 0 && !(owned.has(from) && owned.has(to)))) return leads
  return ['reference', ...leads]
}

/** Adds the id of a draft's proposal that gives the same answer. */
function proposed(
  answer: ReferenceAnswer,
  edge: ReferenceEdge | undefined,
  proposals: readonly Proposal[],
): ReferenceAnswer {
  const isSame = (one: unknown) => JSON.stringify(one) === JSON.stringify(answer.value)
  const found = proposals.find((each) => {
    if (each.kind === 'owner') return answer.write === 'owner' && each.collection === answer.at && isSame(each.owner)
    if (each.kind === 'reference')
      return answer.write === 'reference' && `${each.collection}.${each.field}` === answer.at && isSame(each.references)
    if (each.kind !== 'direction' || answer.write !== 'direction' || !edge) return false
    const target = each.references.field.slice(0, each.references.field.lastIndexOf('.'))
    const fields = edge.parts.map(({ from }) => from)
    return (
      each.collection === placeOf(edge.from).collection &&
      fields.includes(each.field) &&
      target === placeOf(edge.to).collection &&
      isSame(each.direction)
    )
  })
  return found ? { ...answer, proposal: found.id } : answer
}
