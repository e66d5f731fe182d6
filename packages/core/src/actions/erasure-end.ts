import type { Identity } from '../model/identity.js'
import type { LeftPointerRow } from '../ports/erasure-rows.js'
import type { PrivacyRequestRow } from '../ports/rows.js'
import type { Storage } from '../ports/storage.js'
import { erasureReceipt, type ReceiptSource } from '../results/erasure-receipt.js'
import type { ActionContext } from './context.js'
import { receiptDetail, storeReceipt } from './erasure-receipts.js'
import type { RequestMove } from './request-rows.js'
import { addTombstones, tombstoneRows } from './tombstones.js'

export interface ErasureEndSource extends Omit<ReceiptSource, 'request'> {
  readonly request: PrivacyRequestRow
  /** As they were submitted, without what webhooks have added. */
  readonly identities: readonly Identity[]
  /** Rows of the person that still point to what is others' as well. */
  readonly leftPointers?: LeftPointers
}

export type LeftPointers = readonly Pick<LeftPointerRow, 'id' | 'address'>[]

/**
 * What belongs to the move that ends the run of an erasure: its receipt, and tombstones where it has completed. Stored
 * with the move or not at all; `detail` binds the receipt into the audit trail.
 */
export async function erasureEnd(
  context: ActionContext,
  { identities, leftPointers = [], ...source }: ErasureEndSource,
): Promise<Required<Pick<RequestMove, 'also' | 'detail'>>> {
  const { request, finishedAt, failure } = source
  const receipt = erasureReceipt(source)
  const tombstones =
    failure === undefined ? await tombstoneRows(context, request, identities, finishedAt, source.doubts) : []
  return {
    detail: receiptDetail(receipt),
    async also(within: Storage) {
      await storeReceipt(within, receipt)
      await addTombstones(within, tombstones)
      if (failure === undefined) await addLeftPointers(within, request.id, leftPointers)
    },
  }
}

async function addLeftPointers(within: Storage, requestId: string, left: LeftPointers): Promise<void> {
  const table = within.table('leftPointer')
  const known = left.length === 0 ? [] : await table.find({ where: { id: { in: left.map(({ id }) => id) } } })
  const ids = new Set(known.map(({ id }) => id))
  const rows = left.filter(({ id }) => !ids.has(id)).map((each) => ({ ...each, version: 1, requestId }))
  if (rows.length > 0) await table.insertMany(rows)
}
