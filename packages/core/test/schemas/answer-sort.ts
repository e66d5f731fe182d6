import type { OpenReference, Proposal, ReferenceAnswer } from '@habeas/core'
import type { Answer, AnsweredReference } from './answered.js'

/** Where an answer comes from: a proposal of the draft, an answer that came with an open reference, or the person alone. */
export type AnswerSort = 'proposed' | 'offered' | 'beyond'

/** What a person was shown until now. */
export interface Shown {
  readonly dataset: string
  readonly proposals: readonly Proposal[]
  readonly offers: ReadonlySet<string>
}

/** What a person may pick as it stands with a reference that is open. */
export function offersOf({ to, answers }: Pick<OpenReference, 'to' | 'answers'>): readonly string[] {
  return answers.map(({ write, at, value }) => offer(write, at, value, write === 'direction' ? to : null))
}

/** Where the answer at a place comes from. One that has several parts comes from where its least obvious part does. */
export function sortOf(place: string, answer: Answer, shown: Shown): AnswerSort {
  const { identity, direction, references = [], owner, reviewed } = answer
  const sorts = [
    identity !== undefined && (isProposed(shown, place, { identity }) ? 'proposed' : 'beyond'),
    owner && partSort(isProposed(shown, place, { owner }), shown, offer('owner', place, owner)),
    reviewed && partSort(false, shown, offer('reviewed', place, true)),
    direction && directionSort(place, direction, undefined, shown),
    ...references.flatMap(({ direction: each, ...reference }) => [
      referenceSort(place, reference, shown),
      each && directionSort(place, each, reference, shown),
    ]),
  ]
  return order.find((sort) => sorts.includes(sort)) ?? 'proposed'
}

const order: readonly AnswerSort[] = ['beyond', 'offered', 'proposed']

function referenceSort(place: string, reference: AnsweredReference, shown: Shown): AnswerSort {
  const value = { dataset: shown.dataset, ...reference }
  return partSort(isProposed(shown, place, { reference }), shown, offer('reference', place, value))
}

function directionSort(
  place: string,
  direction: NonNullable<Answer['direction']>,
  reference: AnsweredReference | undefined,
  shown: Shown,
): AnswerSort {
  const isOffered = [...shown.offers].some((each) => {
    const [write, at, value, to] = JSON.parse(each)
    const target = reference?.field.split('.').slice(0, -1).join('.')
    const leads = target === undefined || to === `${shown.dataset}:${target}`
    return write === 'direction' && at === place && value === direction && leads
  })
  if (isProposed(shown, place, { direction, ...(reference && { reference }) })) return 'proposed'
  return isOffered ? 'offered' : 'beyond'
}

function partSort(proposed: boolean, { offers }: Shown, wanted: string): AnswerSort {
  if (proposed) return 'proposed'
  return offers.has(wanted) ? 'offered' : 'beyond'
}

interface Part extends Pick<Answer, 'identity' | 'direction' | 'owner'> {
  readonly reference?: AnsweredReference
}

/** Whatever the confidence of the proposal is. */
function isProposed({ proposals }: Shown, place: string, { identity, direction, owner, reference }: Part): boolean {
  return proposals.some((each) => {
    if (each.kind === 'owner') return each.collection === place && isSame(each.owner, owner)
    if (!('field' in each) || `${each.collection}.${each.field}` !== place) return false
    if (each.kind === 'identity') return each.identity === identity
    if (each.kind !== 'direction' && each.kind !== 'reference') return false
    const { field, when } = each.references
    const leads = reference === undefined || (reference.field === field && isSame(reference.when, when))
    return leads && (each.kind === 'direction' ? each.direction === direction : !direction && reference !== undefined)
  })
}

function offer(write: ReferenceAnswer['write'], at: string, value: unknown, to: string | null = null): string {
  return JSON.stringify([write, at, value, to])
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)
