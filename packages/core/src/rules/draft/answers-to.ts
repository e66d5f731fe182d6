import { placeOf } from '../../model/address.js'
import type { CollectionNode, FieldNode } from '../plan/collection-node.js'
import { coversKey } from '../plan/covers-key.js'
import type { DatasetGraph } from '../plan/dataset-graph.js'
import { isInElements } from '../plan/known-members.js'
import type { MeantReference, Ownership } from '../plan/ownership.js'
import { opposite, type ReferenceEdge } from '../plan/reference-edges.js'
import { appendTo } from '../value/append-to.js'

/** An answer to an open reference: an entry that a person may write into the dataset. */
export interface ReferenceAnswer {
  /**
   * `direction`: of the reference between the two collections. `owner`: of a collection. `reviewed`: of a field.
   * `reference`: one that a field lacks.
   */
  readonly write: 'direction' | 'owner' | 'reviewed' | 'reference'
  /** `collection.field`, or `collection` for `owner`. A place in another dataset starts with its key and a colon. */
  readonly at: string
  readonly value: 'from' | 'to' | 'both' | 'none' | true | readonly string[] | AnsweredReference
  /** The case in which this answer is right. */
  readonly means: string
  /** The field of `when` whose right value is not known. The value there is an example, and a person has to give the right one. */
  readonly exampleOf?: string
  /** Only in a draft: the proposal to accept for this answer. */
  readonly proposal?: string
}

export interface AnsweredReference {
  readonly dataset: string
  /** `collection.field` */
  readonly field: string
  /** Present where another field says what it refers to. */
  readonly when?: Readonly<Record<string, string>>
  /** Present where the answer says as well whose the rows are. */
  readonly direction?: 'from' | 'none'
}

/** The answers to an open reference. Each one closes it alone. */
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
    write: 'direction',
    at,
    value: isThere ? value : opposite[value],
    means,
  })
  const holds = people.has(to)
  const node = graph.nodes.get(to) as CollectionNode
  // Where no key is known, any column may be one.
  const alike =
    node.keys.length === 0 || coversKey(node, names)
      ? ''
      : `; rows stay undecided where several rows of '${to}' hold the same '${names.join(', ')}'`
  const source = graph.nodes.get(from) as CollectionNode
  const isInside = parts.some((part) => isInElements(source, source.fields.get(part.from) as FieldNode))
  const what = isInside ? 'an element' : `a row of '${from}'`
  const belongs = holds
    ? `${what} belongs to the person of '${to}' that it refers to`
    : `${what} belongs to the owner of the row of '${to}' that it refers to`
  const alone: ReferenceAnswer = {
    write: 'owner',
    at: collection,
    value: [first],
    means: `${parts.length === 1 ? `'${first}'` : 'this reference'} alone says who owns a row of '${from}'${alike}`,
  }
  return [
    direction('from', `${belongs}${alike}`),
    ...(holds
      ? []
      : [direction('to', `the row of '${to}' belongs to the owner of the row that refers to it, as an address does`)]),
    // At the key, `both` would make the other collection the people.
    ...(isThere
      ? [direction('both', `'${from}' identifies the person of '${to}', for example by an e-mail address`)]
      : []),
    direction('none', 'the reference does not say who owns a row'),
    ...(from === to ? [] : [alone]),
    ...(people.has(from) ? [] : [nobodyAnswer(collection, from)]),
    ...(holds || from === to || target.dataset !== placeOf(from).dataset ? [] : [nobodyAnswer(target.collection, to)]),
    ...(doubted === undefined
      ? []
      : [
          {
            ...reviewed,
            at: `${collection}.${doubted}`,
            means: `'${doubted}' does not name a possible owner of the row`,
          },
        ]),
  ]
}

const nobodyAnswer = (collection: string, address: string): ReferenceAnswer => ({
  write: 'owner',
  at: collection,
  value: [],
  means: `rows of '${address}' belong to nobody`,
})
export const reviewed = { write: 'reviewed', value: true } as const

/** The answers about a field that seems to refer to something, besides what it refers to: its rows are nobody's, or it does not. */
export function otherAnswers(
  { address, collection }: CollectionNode,
  field: string,
  { people }: Ownership,
  what: 'people' | 'rows with an owner',
): ReferenceAnswer[] {
  const nobodys = people.has(address) ? [] : [nobodyAnswer(collection.name, address)]
  return [...nobodys, { ...reviewed, at: `${collection.name}.${field}`, means: `it does not refer to ${what}` }]
}

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

const referenceText = ({ field, direction }: AnsweredReference) =>
  `a reference to '${field}'${direction === undefined ? '' : ` with the direction '${direction}'`}`

/** The answers in one sentence, place by place, for the dataset `key`. */
export function answersText(key: string, answers: readonly ReferenceAnswer[]): string {
  const byPlace = new Map<string, string[]>()
  for (const { write, at, value, means } of answers) {
    const place = at.includes(':') ? at : `${key}:${at}`
    const said =
      write === 'direction'
        ? `the direction '${value}'`
        : write === 'reference'
          ? referenceText(value as AnsweredReference)
          : `${write}: ${Array.isArray(value) ? `[${value.join(', ')}]` : value}`
    appendTo(byPlace, place, `${said} where ${means}`)
  }
  return [...byPlace].map(([place, said]) => `on '${place}' ${said.join('; ')}`).join('; or ')
}
