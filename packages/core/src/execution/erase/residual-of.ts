import { PrivacyError } from '../../errors.js'
import { countedRows } from '../../rules/value/counted-rows.js'
import type { CollectionToErase } from './erasure-context.js'
import type { RowEnd } from './verify-rows.js'

/** One message for all rows that still hold data, with the columns. */
export function residualOf({ address, erasure }: CollectionToErase, ends: readonly RowEnd[]): PrivacyError | undefined {
  const left = ends.flatMap((end) => (typeof end === 'object' ? [end.residual] : []))
  if (left.length === 0) return undefined
  const columns = [...new Set(left)].sort().join(', ')
  const message = `${stillHolding(address, left.length)} (${columns}): something else wrote to these rows meanwhile or prevented the write, or the source shows its changes late. Retry to read them again.${erasure.key.length === 0 ? unkeyed : ''}`
  return new PrivacyError('connection_failed', message, { reason: 'residual' })
}

/** The words for rows that an erasure has not reached. */
export const stillHolding = (address: string, count: number): string =>
  `${countedRows(count)} of '${address}' still ${count === 1 ? 'holds' : 'hold'} data that was to be erased`

const unkeyed =
  ' These rows have no key. Where a trigger changes what is written, or a view does not show it any more, they are not found again: add a key to the table, or describe the table behind the view.'
