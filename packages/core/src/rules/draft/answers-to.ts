import { placeOf } from '../../model/address.js'
import type { CollectionNode } from '../plan/collection-node.js'
import { coversKey } from '../plan/covers-key.js'
import type { DatasetGraph } from '../plan/dataset-graph.js'
import type { MeantReference, Ownership } from '../plan/ownership.js'
import { opposite, type ReferenceEdge } from '../plan/reference-edges.js'
import { appendTo } from '../value/append-to.js'

/** What a person may write into the dataset. */
export interface ReferenceAnswer {
  /**
   * `direction` of the reference between the two collections, `owner` of a collection, `reviewed` of a field; `reference`:
   * one that a field lacks.
   */
  readonly write: 'direction' | 'owner' | 'reviewed' | 'reference'
  /** `collection.field`, or `collection` for `owner`; what lies in another dataset starts with its key and a colon. */
  readonly at: string
  readonly value: 'from' | 'to' | 'both' | 'none' | true | readonly string[] | AnsweredReference
  /** When it is the right one. */
  readonly means: string
  /** Of a draft: the proposal that says so, to be accepted. */
  readonly proposal?: string
}

export interface AnsweredReference {
  readonly dataset: string
  /** `collection.field` */
  readonly field: string
  readonly when: Readonly<Record<string, string>>
}

/** What closes an open reference: each answer alone. */
export function answersTo(
  graph: DatasetGraph,
  { edge, doubted }: Pick<MeantReference, 'edge' | 'doubted'>,
  { people }: Ownership,
): ReferenceAnswer[] {
  const { from, to, parts } = edge
  const [{ collection }, target] = [placeOf(from), placeOf(to)]
  const first = parts[0]?.from as string
  const names = parts.map((part) => part.to)
  const isThere = isDescribedAtReferrer(graph, edge)
  const at = isThere ? `${collection}.${first}` : describedAtKey(edge)
  const direction = (value: 'from' | 'to' | 'both' | 'none', means: string): ReferenceAnswer => ({
    ...{ write: 'direction', at, value: isThere ? value : opposite[value], means },
  })
  const holds = people.has(to)
  const node = graph.nodes.get(to) as CollectionNode
  // Where no key is known, any column may be one.
  const alike =
    node.keys.length === 0 || coversKey(node, names)
      ? ''
      : `; rows stay undecided where several of '${to}' hold the same '${names.join(', ')}'`
  const belongs = holds
    ? `a row of '${from}' belongs to the person of '${to}' that it names`
    : `a row of '${from}' belongs to whoever owns the row of '${to}' that it points to`
  const alone: ReferenceAnswer = {
    ...{ write: 'owner', at: collection, value: [first] },
    means: `'${first}' alone says whose a row of '${from}' is${alike}`,
  }
  return [
    direction('from', `${belongs}${alike}`),
    ...(holds ? [] : [direction('to', `the row of '${to}' belongs to whoever points to it, as an address does`)]),
    // Said at the key it would make the others the people.
    ...(isThere
      ? [direction('both', `the person of '${to}' is found by '${from}', as by an e-mail address that stands there`)]
      : []),
    direction('none', 'it says nothing of whose a row is'),
    ...(from === to ? [] : [alone]),
    ...(people.has(from) ? [] : [nobodyAnswer(collection, from)]),
    ...(holds || from === to || target.dataset !== placeOf(from).dataset ? [] : [nobodyAnswer(target.collection, to)]),
    ...(doubted === undefined
      ? []
      : [{ ...reviewed, at: `${collection}.${doubted}`, means: `'${doubted}' names nobody who may own the row` }]),
  ]
}

export const nobodyAnswer = (collection: string, address: string): ReferenceAnswer => ({
  ...{ write: 'owner', at: collection, value: [], means: `rows of '${address}' are nobody's` },
})
export const reviewed = { write: 'reviewed', value: true } as const

function isDescribedAtReferrer({ nodes }: DatasetGraph, { from, to, parts }: ReferenceEdge): boolean {
  const { dataset, collection } = placeOf(to)
  return parts.some((part) =>
    nodes
      .get(from)
      ?.fields.get(part.from)
      ?.field.service_meta.references.some(
        (each) => each.dataset === dataset && each.field === `${collection}.${part.to}`,
      ),
  )
}

function describedAtKey({ from, to, parts }: ReferenceEdge): string {
  const { dataset, collection } = placeOf(to)
  const place = `${collection}.${parts[0]?.to}`
  return dataset === placeOf(from).dataset ? place : `${dataset}:${place}`
}

/** The answers in one sentence, place by place, for the dataset `key`. */
export function answersText(key: string, answers: readonly ReferenceAnswer[]): string {
  const byPlace = new Map<string, string[]>()
  for (const { write, at, value, means } of answers) {
    const place = at.includes(':') ? at : `${key}:${at}`
    const said =
      write === 'direction'
        ? `the direction '${value}'`
        : write === 'reference'
          ? `a reference to '${(value as AnsweredReference).field}'`
          : `${write}: ${Array.isArray(value) ? `[${value.join(', ')}]` : value}`
    appendTo(byPlace, place, `${said} where ${means}`)
  }
  return [...byPlace].map(([place, said]) => `on '${place}' ${said.join('; ')}`).join('; or ')
}
