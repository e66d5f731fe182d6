import { counted } from '../value/counted-rows.js'
import type { IdentitySeed, Link, PlannedCollection, UnsearchedCollection } from './plan.js'
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
  if (into?.owners.some(({ entry, inside }) => inside && entry === link.entry)) notes.push('elements alone')
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

/** The fields that say whose elements are, and not whose their rows are, in words. Undefined where there are none. */
export function elementsText({ owners, identities }: PlannedJudging): string | undefined {
  const inside = [
    ...owners.flatMap(({ name, inside }) => (inside ? [name] : [])),
    ...identities.flatMap(({ field, inside }) => (inside ? [field.name] : [])),
  ]
  if (inside.length === 0) return undefined
  return `${inside.join(' and ')} ${inside.length === 1 ? 'decides' : 'decide'} who owns an element, and not who owns its row`
}

/** The rows, or elements, that stay undecided because the rows they refer to are not searched, in words. */
export function undecidedText({ owners }: PlannedJudging): string | undefined {
  const unsearched = owners.filter(({ entry }) => entry === undefined)
  if (unsearched.length === 0) return undefined
  const what = unsearched.every(({ inside }) => inside) ? 'elements' : 'rows'
  return `${what} that hold ${unsearched.map(({ name }) => `'${name}'`).join(' or ')} stay undecided`
}

/** The members because of which parts of rows are left alone, in words. Undefined where there are none. */
export function doubtsText({
  address,
  doubts = [],
}: Pick<PlannedCollection, 'address' | 'doubts'>): string | undefined {
  const names = doubts.map(({ name }) => `'${name.slice(address.length + 1)}'`)
  return names.length === 0 ? undefined : `what stands beside ${names.join(' or ')} stays undecided`
}

/** Up to three names, otherwise their number, since a picture has no room for more. */
export function fewNames(names: readonly string[], one: string): string {
  return names.length > 3 ? counted(names.length, one) : names.join(', ')
}
