import type { AuditEntry } from '../model/audit-entry.js'
import type { ErasureReceipt } from '../model/erasure-receipt.js'
import type { LegalHold } from '../model/legal-hold.js'
import type { StoredRow } from './stored-row.js'

export interface LegalHoldRow extends StoredRow, LegalHold {
  /** Its identities as JSON, sealed by the Secrets port under `legal-hold:ID`; base64. Deleted when the hold ends. */
  readonly sealedIdentities?: string
}

/** A keyed hash of one property and value that a legal hold covers. `id` is `HOLD/HASH`. Deleted when the hold ends. */
export interface HeldIdentityRow extends StoredRow {
  readonly holdId: string
  readonly identityHash: string
}

/** What the last run of an erasure did. `id` is the request's. It outlives the personal data of the request. */
export interface ErasureReceiptRow extends StoredRow {
  readonly receipt: ErasureReceipt
}

/**
 * A keyed hash of an identity whose data was erased. The service recognises the identity when it comes back, but cannot
 * read it. `id` is `REQUEST/HASH`. It outlives the request's data, and the request.
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
  /** A time-ordered id, which tells entries of one millisecond apart. */
  readonly order: string
}
