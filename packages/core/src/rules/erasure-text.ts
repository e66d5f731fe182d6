import { countedRows } from './counted-rows.js'
import { guessWords } from './guess-words.js'
import type { Plan, PlannedErasure, PlannedMask } from './plan.js'

/** What an erasure does, in the order of writing, for a person to read. Empty where the policy erases nothing. */
export function erasureText(plan: Plan): string[] {
  if (!plan.erasure) return []
  const byAddress = new Map(plan.collections.map((collection) => [collection.address, collection]))
  const lines = ['', 'Erased, in this order, each after all that was reached from it:']
  let number = 0
  for (const { members } of plan.erasure) {
    for (const address of members) {
      const erasure = byAddress.get(address)?.erasure
      if (!erasure) continue
      const found = plan.found?.[address]
      const counts = found ? ` – ${countedRows(found.rows)} found, ${found.due} to be written` : ''
      lines.push(`${++number}. ${address}: ${whatOf(erasure)}${counts}`)
      for (const line of detailsOf(erasure)) lines.push(`   ${line}`)
    }
  }
  if (number === 0) lines.push('Nothing.')
  return lines
}

function whatOf({ how, key, keySource, byHand }: PlannedErasure): string {
  if (byHand) return `a person ${how === 'delete' ? 'deletes' : 'masks'} the rows, and the request waits for that`
  const names = key.map(({ column }) => column).join(', ')
  const by = keySource === 'none' ? 'by all their values, since there is no key' : `by ${keySource} ${names}`
  return `rows are ${how === 'delete' ? 'deleted' : 'masked'}, told apart ${by}`
}

function detailsOf(erasure: PlannedErasure): string[] {
  const { how, masks, retained, retain, onShared, readOnly, pointedToBy } = erasure
  const lines: string[] = []
  if (masks.length > 0) {
    const wordsOf = (mask: PlannedMask) => [mask.strategy.strategy, guessWords(mask)].filter(Boolean).join(', ')
    const told = masks.map((mask) => `${mask.field} (${wordsOf(mask)})`).join(', ')
    lines.push(`${how === 'delete' ? 'masks where a row cannot go' : 'masks'} ${told}`)
  }
  // With its row a key goes as well.
  const kept = how === 'delete' ? retained.filter(({ reason }) => reason !== 'key') : retained
  if (kept.length > 0) lines.push(`keeps ${kept.map(({ field, reason }) => `${field} (${reason})`).join(', ')}`)
  if (retain) lines.push(`keeps rows: ${retain.reason}${untilOf(retain.until)}`)
  if (pointedToBy.length > 0) {
    const names = [...new Set(pointedToBy.map(({ address, collection }) => address ?? collection))].join(', ')
    const instead = onShared === 'retain' ? 'keeps' : 'masks'
    lines.push(
      how === 'delete'
        ? `only while no row of others in ${names} points there`
        : `${instead} rows that others in ${names} point to as well`,
    )
  }
  if (readOnly) lines.push('cannot be written: its connection may only be read')
  return lines
}

function untilOf(until: NonNullable<PlannedErasure['retain']>['until']): string {
  if (until === undefined) return ''
  return typeof until === 'string' ? `, until ${until}` : `, until ${until.period} after ${until.after}`
}
