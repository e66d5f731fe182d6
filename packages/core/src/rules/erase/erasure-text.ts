import { sharing } from '../plan/incoming-references.js'
import type { Plan, PlannedCollection, PlannedErasure, PlannedMask } from '../plan/plan.js'
import { fewNames } from '../plan/plan-wording.js'
import { countedRows } from '../value/counted-rows.js'
import { guessText } from './guess-text.js'

/** Describes an erasure for people, in the order of writing. Empty where the policy erases nothing. */
export function erasureText(plan: Plan): string[] {
  if (!plan.erasure) return []
  const byAddress = new Map(plan.collections.map((collection) => [collection.address, collection]))
  const lines = ['', 'Erased in this order, each collection after all that were reached from it:']
  let number = 0
  for (const { members } of plan.erasure) {
    for (const address of members) {
      const collection = byAddress.get(address)
      const erasure = collection?.erasure
      if (!erasure) continue
      const found = foundText(plan, address)
      lines.push(`${++number}. ${address}: ${whatOf(erasure)}${found === undefined ? '' : ` – ${found}`}`)
      for (const line of [...detailsOf(erasure), ...keptIdentities(collection, erasure)]) lines.push(`   ${line}`)
    }
  }
  if (number === 0) lines.push('Nothing.')
  const untouched = plan.collections.filter(({ erasure }) => !erasure).map(({ address }) => address)
  if (untouched.length > 0) lines.push(`Left unchanged, since no rule asks for them: ${untouched.join(', ')}`)
  return lines
}

/** What becomes of the rows of a collection, in few words for a picture. Undefined where the plan erases nothing. */
export function erasureDecision(
  plan: Plan,
  { address, erasure }: PlannedCollection,
): { readonly kind: Decision; readonly words: readonly string[] } | undefined {
  if (!plan.erasure) return undefined
  if (!erasure) return { kind: 'kept', words: ['kept'] }
  const { masks, retain, onShared, readOnly, byHand, pointedToBy } = erasure
  const kind = kindOf(erasure)
  const hand = byHand ? ' by hand' : ''
  const words: string[] = []
  if (kind === 'deleted') words.push(`rows deleted${hand}`)
  if (kind === 'masked') words.push(`masks ${namesOf(masks)}${hand}`)
  if (kind === 'kept' && !retain) words.push('rows kept')
  const kept = retainedFields(erasure)
  if (kept.length > 0) words.push(`keeps ${namesOf(kept)}`)
  if (retain) words.push(retainText(retain))
  if (kind !== 'kept' && sharing(pointedToBy).length > 0)
    words.push(`${onShared === 'retain' ? 'keeps' : 'masks'} rows that rows of others also refer to`)
  if (readOnly) words.push('cannot be written')
  const found = foundText(plan, address)
  if (found !== undefined) words.push(found)
  return { kind, words }
}

type Decision = 'deleted' | 'masked' | 'kept'

function kindOf({ how, masks, retain }: PlannedErasure): Decision {
  if (retain && retain.until === undefined) return 'kept'
  if (how === 'delete') return 'deleted'
  return masks.length > 0 ? 'masked' : 'kept'
}

function whatOf(erasure: PlannedErasure): string {
  const { key, keySource, byHand } = erasure
  const kind = kindOf(erasure)
  if (kind === 'kept') return 'rows are kept'
  if (byHand) return `a person ${kind === 'deleted' ? 'deletes' : 'masks'} the rows, and the request waits for it`
  const names = key.map(({ column }) => column).join(', ')
  const by = keySource === 'none' ? 'by all their values, since there is no key' : `by ${keySource} ${names}`
  return `rows are ${kind}, identified ${by}`
}

function detailsOf(erasure: PlannedErasure): string[] {
  const { how, masks, retain, onShared, readOnly, pointedToBy } = erasure
  const isKept = kindOf(erasure) === 'kept'
  const lines: string[] = []
  if (masks.length > 0 && !isKept) {
    const wordsOf = (mask: PlannedMask) => [mask.strategy.strategy, guessText(mask)].filter(Boolean).join(', ')
    const message = masks.map((mask) => `${mask.field} (${wordsOf(mask)})`).join(', ')
    lines.push(`${how === 'delete' ? 'masks where a row cannot be deleted' : 'masks'} ${message}`)
  }
  const kept = retainedFields(erasure)
  if (kept.length > 0) lines.push(`keeps ${kept.map(({ field, reason }) => `${field} (${reason})`).join(', ')}`)
  if (retain) lines.push(retainText(retain))
  const sharedBy = sharing(pointedToBy)
  if (sharedBy.length > 0 && !isKept) {
    const names = [...new Set(sharedBy.map(({ address, collection }) => address ?? collection))].join(', ')
    const instead = onShared === 'retain' ? 'keeps' : 'masks'
    lines.push(
      how === 'delete'
        ? `only while no row of others in ${names} refers to it`
        : `${instead} rows that rows of others in ${names} also refer to`,
    )
  }
  if (readOnly) lines.push('cannot be written: its connection is read-only')
  return lines
}

/** Keys that stay, and by which a person is still to be found, with what erases them. */
function keptIdentities({ address, judging }: PlannedCollection, erasure: PlannedErasure): string[] {
  const identities = new Set(judging.identities.map(({ field }) => field.name))
  const kept = retainedFields(erasure).filter(({ field, reason }) => reason === 'key' && identities.has(field))
  if (kept.length === 0) return []
  return [
    `so the rows still name the person: erase: delete on '${address}', or a masking_strategy on ${namesOf(kept)}, erases that`,
  ]
}

/** The fields that stay where their row stays. A key is deleted together with its row. */
function retainedFields({ how, retained }: PlannedErasure): PlannedErasure['retained'] {
  return how === 'delete' ? retained.filter(({ reason }) => reason !== 'key') : retained
}

function namesOf(fields: readonly { readonly field: string }[]): string {
  return fewNames(
    fields.map(({ field }) => field),
    'field',
  )
}

function foundText({ found }: Plan, address: string): string | undefined {
  const counts = found?.[address]
  return counts && `${countedRows(counts.rows)} found, ${counts.due} to be written`
}

/** Why rows or a field are retained, and until when. */
export function retainText({ reason, until }: NonNullable<PlannedErasure['retain']>): string {
  const end =
    until === undefined ? '' : `, until ${typeof until === 'string' ? until : `${until.period} after ${until.after}`}`
  return `keeps rows: ${reason}${end}`
}
