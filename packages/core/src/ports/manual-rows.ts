import type { ManualWebhook } from '../model/manual-webhook.js'
import type { StoredRow } from './stored-row.js'

/** What a manual webhook asks for. `id` is the key of its connection. */
export interface ManualWebhookRow extends StoredRow, ManualWebhook {}

/** What a person found for one webhook and one request. `id` is `REQUEST/CONNECTION`. */
export interface ManualUploadRow extends StoredRow {
  readonly requestId: string
  /** The labels that were asked for when it was uploaded. */
  readonly labels: readonly string[]
  /** The values by label as JSON, sealed under the request's data key; base64. */
  readonly sealedValues: string
  readonly uploadedAt: string
}

/**
 * What people do about a manual collection: rows that they look up for one read, or rows that they erase. `id` is
 * `REQUEST/COLLECTION/HASH OF WHAT IS ASKED`.
 */
export interface ManualInputRow extends StoredRow {
  readonly requestId: string
  /** `dataset:collection`. */
  readonly collection: string
  /** What is asked of them, as JSON with the values by which rows are found, sealed under the request's data key; base64. */
  readonly sealedLocators: string
  /** The rows as JSON, sealed in the same way; absent until somebody gave them. */
  readonly sealedRows?: string
  /** Since when rows are to be erased; absent where they are looked up. */
  readonly erasingSince?: string
  /** How many rows somebody says to have erased, and when. */
  readonly erased?: { readonly rowCount: number; readonly at: string }
}
