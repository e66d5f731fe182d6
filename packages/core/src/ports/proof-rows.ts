import type { AuditEntry } from '../model/audit-entry.js'
import type { ErasureReceipt } from '../model/erasure-receipt.js'
import type { LegalHold } from '../model/legal-hold.js'
import type { StoredRow } from './stored-row.js'

export interface LegalHoldRow extends StoredRow, LegalHold {
  /** Its identities as JSON, sealed by the Secrets port under `legal-hold:ID`; base64. Gone once it has ended. */
  readonly sealedIdentities?: string
}

/** One property with its value that a legal hold covers, by a keyed hash. `id` is `HOLD/HASH`; gone once the hold has ended. */
export interface HeldIdentityRow extends StoredRow {
  readonly holdId: string
  readonly identityHash: string
}

/** What the last run of an erasure has done. `id` is the request's; it outlives what is personal about the request. */
export interface ErasureReceiptRow extends StoredRow {
  readonly receipt: ErasureReceipt
}

/**
 * An identity whose data was erased, by a keyed hash: it is recognised when it comes back, and cannot be read. `id` is
 * `REQUEST/HASH`. It outlives the request's data, and the request.
 */
export interface TombstoneRow extends StoredRow {
  readonly requestId: string
  readonly identityHash: string
  readonly erasedAt: string
  readonly policyKey: string
  /** Why the identity does not count as erased: nothing was found, or a value of it is left. */
  readonly notErased?: 'nothing found' | 'identity remains'
  /** Names of the restorations after which it was erased again. */
  readonly replays: readonly string[]
}

export interface AuditEntryRow extends StoredRow, AuditEntry {
  /** A time-ordered id, by which entries of one millisecond are told apart. */
  readonly order: string
}
