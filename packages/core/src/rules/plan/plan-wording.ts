import { counted } from '../value/counted-rows.js'
import type { IdentitySeed, Link, UnsearchedCollection } from './plan.js'
import type { PlannedCondition } from './planned-field.js'
import type { PlannedJudging } from './planned-judging.js'

/** Why a collection is not searched, as results say it. */
export function unsearchedReason({ reason, detail }: Pick<UnsearchedCollection, 'reason' | 'detail'>): string {
  return detail === undefined ? reason : `${reason}: ${detail}`
}

/** The same as the text of a plan and its picture say it. */
export function unsearchedText(unsearched: UnsearchedCollection): string {
  const { reason, detail, targeted } = unsearched
  const why = reason === 'behind' ? `behind ${detail}` : unsearchedReason(unsearched)
  return `${why}${targeted ? ' (the policy asks for fields of it)' : ''}`
}

/** What has to be known of a reference that is followed, beside its fields. */
export function linkNotes(link: Link, into: PlannedJudging | undefined): string[] {
  const notes: string[] = []
  if (link.kind === 'part') notes.push('points to it')
  if (link.kind === 'named') notes.push('names the person')
  if (isInferred(link, into)) notes.push('inferred')
  if (link.when.length > 0) notes.push(whenText(link.when))
  return notes
}

/** Whether nobody has said that rows there are the person's by this reference. */
export function isInferred({ kind, entry }: Link, into: PlannedJudging | undefined): boolean {
  return (
    kind === 'owned' && into?.owners.some((owner) => owner.entry === entry && owner.name === into.inferred) === true
  )
}

/** Under what condition rows are meant; empty: always. */
export function whenText(conditions: readonly PlannedCondition[]): string {
  const words = conditions.map(({ path, equals }) => `${path.join('.')} is ${equals}`)
  return words.length === 0 ? '' : `where ${words.join(' and ')}`
}

/** What finds nothing until a row has confirmed it. */
export function confirmationText({ needsConfirmation }: IdentitySeed): string {
  return needsConfirmation ? ' once confirmed' : ''
}

/** What says outright whose a row is; undefined: whatever led to it. */
export function ownerText({ first, owners, identities, inferred }: PlannedJudging): string | undefined {
  const named = first?.map((entry) =>
    'owner' in entry ? owners[entry.owner]?.name : identities[entry.identity]?.field.name,
  )
  if (named) return `whose a row is says ${named.join(', then ')}`
  return inferred && `whose a row is says ${inferred}, as nothing else can (inferred)`
}

/** Which rows stay undecided, since what they refer to is not searched. */
export function undecidedText({ owners }: PlannedJudging): string | undefined {
  const names = owners.flatMap(({ name, entry }) => (entry === undefined ? [`'${name}'`] : []))
  return names.length === 0 ? undefined : `rows that hold ${names.join(' or ')} stay undecided`
}

/** Up to three names, else how many there are: a picture bears no more. */
export function fewNames(names: readonly string[], one: string): string {
  return names.length > 3 ? counted(names.length, one) : names.join(', ')
}
