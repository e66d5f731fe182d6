import { canonicalHash } from '../../crypto/canonical-hash.js'
import { PrivacyError } from '../../errors.js'
import type { ErasureReceipt } from '../../model/erasure-receipt.js'
import type { Storage } from '../../ports/storage.js'
import { requestRow } from '../requests/move-request.js'

/** Stores a receipt together with the end of its run; it replaces the receipt of an earlier run. */
export async function storeReceipt(within: Storage, receipt: ErasureReceipt): Promise<void> {
  const table = within.table('erasureReceipt')
  const known = await table.get(receipt.requestId)
  const row = { id: receipt.requestId, version: (known?.version ?? 0) + 1, receipt }
  if (!known) return table.insert(row)
  if (await table.replace(row)) return
  const message = `Another run wrote the receipt of request '${receipt.requestId}' at the same time: try again.`
  throw new PrivacyError('conflict', message, { kind: 'erasure receipt', id: receipt.requestId })
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
