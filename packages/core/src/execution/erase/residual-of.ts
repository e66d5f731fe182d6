import { PrivacyError } from '../../errors.js'
import { countedRows } from '../../rules/value/counted-rows.js'
import type { CollectionToErase } from './erasure-context.js'
import type { RowEnd } from './verify-rows.js'

/** One message for all rows that still hold data, with the columns. */
export function residualOf({ address, erasure }: CollectionToErase, ends: readonly RowEnd[]): PrivacyError | undefined {
  const left = ends.flatMap((end) => (typeof end === 'object' ? [end.residual] : []))
  if (left.length === 0) return undefined
  const columns = [...new Set(left)].sort().join(', ')
  const message = `${countedRows(left.length)} of '${address}' still ${left.length === 1 ? 'holds' : 'hold'} data that was to be erased (${columns}): something else wrote to these rows meanwhile or prevented the write, or the source shows its changes late. Retry to read them again.${erasure.key.length === 0 ? unkeyed : ''}`
  return new PrivacyError('connection_failed', message, { reason: 'residual' })
}

const unkeyed =
  ' These rows have no key. Where a trigger changes what is written, or a view does not show it any more, they are not found again: add a key to the table, or describe the table behind the view.'
