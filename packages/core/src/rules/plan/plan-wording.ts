import { counted } from '../value/counted-rows.js'
import type { IdentitySeed, Link, UnsearchedCollection } from './plan.js'
import type { PlannedCondition } from './planned-field.js'
import type { PlannedJudging } from './planned-judging.js'

/** Why a collection is not searched, in the words of results. */
export function unsearchedReason({ reason, detail }: Pick<UnsearchedCollection, 'reason' | 'detail'>): string {
  return detail === undefined ? reason : `${reason}: ${detail}`
}

/** The same in the words of a plan's text and picture. */
export function unsearchedText(unsearched: UnsearchedCollection): string {
  const { reason, detail, targeted } = unsearched
  const why = reason === 'behind' ? `behind ${detail}` : unsearchedReason(unsearched)
  return `${why}${targeted ? ' (the policy asks for its fields)' : ''}`
}

/** Notes about a followed reference, besides its fields. */
export function linkNotes(link: Link, into: PlannedJudging | undefined): string[] {
  const notes: string[] = []
  if (link.kind === 'part') notes.push('refers to it')
  if (link.kind === 'named') notes.push('names the person')
  if (isInferred(link, into)) notes.push('inferred')
  if (link.when.length > 0) notes.push(whenText(link.when))
  return notes
}

/** Whether the description does not say that rows belong to the person by this reference. */
export function isInferred({ kind, entry }: Link, into: PlannedJudging | undefined): boolean {
  return (
    kind === 'owned' && into?.owners.some((owner) => owner.entry === entry && owner.name === into.inferred) === true
  )
}

/** The condition that rows must meet, in words. Empty where there is none. */
export function whenText(conditions: readonly PlannedCondition[]): string {
  const words = conditions.map(({ path, equals }) => `${path.join('.')} is ${equals}`)
  return words.length === 0 ? '' : `where ${words.join(' and ')}`
}

/** A note on identities that find nothing until a row has confirmed them. */
export function confirmationText({ needsConfirmation }: IdentitySeed): string {
  return needsConfirmation ? ' once confirmed' : ''
}

/** The described or inferred owner in words. Undefined where neither exists. */
export function ownerText({ first, owners, identities, inferred }: PlannedJudging): string | undefined {
  const named = first?.map((entry) =>
    'owner' in entry ? owners[entry.owner]?.name : identities[entry.identity]?.field.name,
  )
  if (named) return `${named.join(', then ')} decides who owns a row`
  return inferred && `${inferred} decides who owns a row, since nothing else can (inferred)`
}

/** The rows that stay undecided because the rows they refer to are not searched, in words. */
export function undecidedText({ owners }: PlannedJudging): string | undefined {
  const names = owners.flatMap(({ name, entry }) => (entry === undefined ? [`'${name}'`] : []))
  return names.length === 0 ? undefined : `rows that hold ${names.join(' or ')} stay undecided`
}

/** Up to three names, otherwise their number, since a picture has no room for more. */
export function fewNames(names: readonly string[], one: string): string {
  return names.length > 3 ? counted(names.length, one) : names.join(', ')
}
