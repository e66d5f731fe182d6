import { canonicalHash } from '../../crypto/canonical-hash.js'
import { PrivacyError } from '../../errors.js'
import type { ErasureReceipt } from '../../model/erasure-receipt.js'
import type { Storage, Write } from '../../ports/storage.js'
import { requestRow } from '../requests/move-request.js'

/** The write of a receipt, which replaces that of an earlier run. It belongs to the write that ends its run. */
export function receiptWrite(receipt: ErasureReceipt): Write {
  return { kind: 'erasureReceipt', put: [{ id: receipt.requestId, version: 1, receipt }] }
}

/**
 * The receipt of the last run of a request. Rejects with `not_found` where there is nothing to erase, or nothing was
 * erased yet.
 */
export async function readReceipt(storage: Storage, id: string): Promise<ErasureReceipt> {
  const { status } = await requestRow(storage, id)
  const row = await storage.table('erasureReceipt').get(id)
  if (row) return row.receipt
  const message = `Request '${id}' is in status '${status}' and has no receipt: one is written when an erasure has run.`
  throw new PrivacyError('not_found', message, { kind: 'erasure receipt', id })
}

/** The hash of the receipt for the audit entry at the end of a run, so that the receipt cannot be exchanged. */
export function receiptDetail(receipt: ErasureReceipt): Readonly<Record<string, string>> {
  return { receiptHash: canonicalHash(receipt), policyHash: receipt.policy.hash, planHash: receipt.planHash }
}
