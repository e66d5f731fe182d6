import { PrivacyError } from '../../errors.js'
import { countedRows } from '../../rules/value/counted-rows.js'
import type { CollectionToErase } from './erasure-context.js'
import type { RowGroup } from './row-groups.js'
import type { RowEnd } from './verify-rows.js'

/**
 * The failure when fewer rows are found by their keys than were masked by them: a trigger has changed keys, or rows were
 * deleted right after the write. Rows that a view does not show any more are told by their outcome.
 */
export function lostRows(
  { address, erasure }: CollectionToErase,
  masked: number,
  due: readonly RowGroup[],
  groups: readonly RowGroup[],
  ends: readonly RowEnd[][],
): PrivacyError | undefined {
  // where all are found, which nearly every batch is, nobody has to be counted
  if (!ends.some((some) => some.includes('gone'))) return undefined
  const places = new Set(due.filter(isMaskedByKey).flatMap((group) => group.places))
  let lost = erasure.view ? 0 : masked
  for (const [at, group] of groups.entries()) {
    if (!isMaskedByKey(group)) continue
    for (const [row, end] of (ends[at] as RowEnd[]).entries())
      if (end !== 'gone' && places.has(group.places[row] as number)) lost--
  }
  if (lost <= 0) return undefined
  const key = erasure.key.map(({ column }) => column).join(', ')
  const [was, is, its, them] = lost === 1 ? ['was', 'is', 'its', 'it holds'] : ['were', 'are', 'their', 'they hold']
  const message = `${countedRows(lost)} of '${address}' ${was} written, and ${is} not found by ${its} ${key} any more: a trigger may have changed ${key}, and have put data back as well. Look whether ${them} data of the person, erase by hand what is left, and retry: a retry counts what it does not find as gone.`
  return new PrivacyError('connection_failed', message, { reason: 'residual' })
}

const isMaskedByKey = ({ kind, byValues }: RowGroup) => kind === 'mask' && !byValues
