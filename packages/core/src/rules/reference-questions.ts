import { placeOf } from '../model/address.js'
import type { DatasetGraph } from './dataset-graph.js'
import { isLookUp, type MeantReference, type Ownership } from './ownership.js'
import type { Proposal } from './proposals.js'
import { fieldsOf, type ReferenceEdge } from './reference-edges.js'

/** What a description leaves open about whose its rows are. */
export interface OpenReferences {
  /** How many there are, in one sentence. */
  readonly summary: string
  readonly references: readonly OpenReference[]
}

/** A reference of which nobody has said what it means: what it connects with a person is counted and left alone. */
export interface OpenReference {
  /** `dataset:collection.field`. */
  readonly name: string
  readonly collection: string
  /** Several, of a reference over several columns, are joined by a comma. */
  readonly field: string
  /** `dataset:collection`. */
  readonly to: string
  /** `reference`: its rows may be the person's. `look-up`: what it leads to may be. */
  readonly kinds: readonly ('reference' | 'look-up')[]
  readonly why: string
  /** Any one of them closes it. */
  readonly answers: readonly ReferenceAnswer[]
}

/** What a person may write into the dataset. */
export interface ReferenceAnswer {
  /** `direction` of the reference, `owner` of a collection, `reviewed` of a field. */
  readonly write: 'direction' | 'owner' | 'reviewed'
  /** `collection.field`, or `collection` for `owner`. */
  readonly at: string
  readonly value: 'from' | 'to' | 'both' | 'none' | true | readonly string[]
  readonly means: string
  /** Of a draft: the proposal that says so, to be accepted. */
  readonly proposal?: string
}

/** What is open in one dataset, each reference once. */
export function referenceQuestions(
  key: string,
  graph: DatasetGraph,
  ownership: Ownership,
  proposals: readonly Proposal[] = [],
): OpenReferences {
  const references = [...ownership.references.values()].flat().flatMap((meant): OpenReference[] => {
    const { edge, meaning, why = '' } = meant
    const { dataset, collection } = placeOf(edge.from)
    if (meaning !== 'open' || dataset !== key) return []
    const kinds = kindsOf(graph, meant, ownership)
    if (kinds.length === 0) return []
    const field = fieldsOf(edge)
    const answers = answersTo(meant, ownership).map((answer) => proposed(answer, edge, proposals))
    return [{ name: `${edge.from}.${field}`, collection, field, to: edge.to, kinds, why, answers }]
  })
  return { summary: summaryOf(key, references.length), references }
}

function summaryOf(key: string, count: number): string {
  if (count === 0) return `No reference of '${key}' is open.`
  const which = count === 1 ? '1 reference' : `${count} references`
  return `${which} of '${key}' ${count === 1 ? 'is' : 'are'} open: rows that ${count === 1 ? 'it connects' : 'they connect'} with a person are counted and left alone until somebody answers.`
}

function kindsOf(graph: DatasetGraph, meant: MeantReference, { owned, entries }: Ownership): OpenReference['kinds'] {
  const { from, to } = meant.edge
  const leads = isLookUp(graph, meant) ? (['look-up'] as const) : []
  // Whose its rows are was answered where that is written; what it leads to was not.
  if (entries.has(from) || (leads.length > 0 && !(owned.has(from) && owned.has(to)))) return leads
  return ['reference', ...leads]
}

function answersTo({ edge, doubted }: MeantReference, { people }: Ownership): ReferenceAnswer[] {
  const { from, to, parts } = edge
  const [{ collection }, target] = [placeOf(from), placeOf(to)]
  const first = parts[0]?.from as string
  const at = `${collection}.${first}`
  const direction = (value: 'from' | 'to' | 'both' | 'none', means: string): ReferenceAnswer => ({
    ...{ write: 'direction', at, value, means },
  })
  const owner = (name: string, value: readonly string[], means: string): ReferenceAnswer => ({
    ...{ write: 'owner', at: name, value, means },
  })
  const holds = people.has(to)
  return [
    direction('from', `the row belongs to whoever owns the row of '${to}' that it points to`),
    ...(holds ? [] : [direction('to', `what it points to belongs to the row's person`)]),
    direction('both', `the row names its person in '${to}'`),
    direction('none', 'it says nothing of whose the row is, and is never followed'),
    ...(from === to ? [] : [owner(collection, [first], 'this alone says whose a row is')]),
    ...(people.has(from) ? [] : [owner(collection, [], `rows of '${from}' are nobody's`)]),
    ...(holds || from === to || target.dataset !== placeOf(from).dataset
      ? []
      : [owner(target.collection, [], `rows of '${to}' are nobody's`)]),
    ...(doubted === undefined
      ? []
      : [{ ...reviewed, at: `${collection}.${doubted}`, means: `'${doubted}' names nobody who may own the row` }]),
  ]
}

const reviewed = { write: 'reviewed', value: true } as const

function proposed(answer: ReferenceAnswer, edge: ReferenceEdge, proposals: readonly Proposal[]): ReferenceAnswer {
  const { collection } = placeOf(edge.from)
  const isSame = (one: unknown) => JSON.stringify(one) === JSON.stringify(answer.value)
  const found = proposals.find((each) => {
    if (each.kind === 'owner') return answer.write === 'owner' && each.collection === answer.at && isSame(each.owner)
    if (each.kind !== 'direction' || answer.write !== 'direction') return false
    const target = each.references.field.slice(0, each.references.field.lastIndexOf('.'))
    const fields = edge.parts.map(({ from }) => from)
    return (
      each.collection === collection &&
      fields.includes(each.field) &&
      target === placeOf(edge.to).collection &&
      isSame(each.direction)
    )
  })
  return found ? { ...answer, proposal: found.id } : answer
}
