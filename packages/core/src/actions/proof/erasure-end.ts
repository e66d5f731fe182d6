import type { Identity } from '../../model/identity.js'
import type { PrivacyRequestRow } from '../../ports/rows.js'
import { erasureReceipt, type ReceiptSource } from '../../results/proof/erasure-receipt.js'
import type { ActionContext } from '../action-context.js'
import type { RequestMove } from '../requests/move-request.js'
import { receiptDetail, receiptWrite } from './store-receipt.js'
import { tombstoneRows } from './tombstones.js'

export interface ErasureEndSource extends Omit<ReceiptSource, 'request'> {
  readonly request: PrivacyRequestRow
  /** As they were submitted, without those that webhooks have added. */
  readonly identities: readonly Identity[]
}

/**
 * The writes that belong to the end of an erasure's run: its receipt, and tombstones where it has completed. They are
 * stored with the move or not at all; `detail` binds the receipt into the audit trail.
 */
export async function erasureEnd(
  context: ActionContext,
  { identities, ...source }: ErasureEndSource,
): Promise<Required<Pick<RequestMove, 'writes' | 'detail'>>> {
  const { request, finishedAt, failure } = source
  const receipt = erasureReceipt(source)
  const tombstones =
    failure === undefined ? await tombstoneRows(context, request, identities, finishedAt, source.doubts) : []
  return {
    detail: receiptDetail(receipt),
    // Tombstones that exist stay as they are.
    writes: [receiptWrite(receipt), { kind: 'tombstone', add: tombstones }],
  }
}
