import type { ManualWebhook } from '../model/manual-webhook.js'
import type { StoredRow } from './stored-row.js'

/** The fields that a manual webhook asks for. `id` is the key of its connection. */
export interface ManualWebhookRow extends StoredRow, ManualWebhook {}

/** The data that a person found for one webhook and one request. `id` is `REQUEST/CONNECTION`. */
export interface ManualUploadRow extends StoredRow {
  readonly requestId: string
  /** The labels of the fields at the time of the upload. */
  readonly labels: readonly string[]
  /** The values by label as JSON, sealed under the request's data key; base64. */
  readonly sealedValues: string
  readonly uploadedAt: string
}

/**
 * A task of a manual collection: rows that people look up for one read, or rows that they erase. `id` is
 * `REQUEST/COLLECTION/HASH OF THE TASK`.
 */
export interface ManualInputRow extends StoredRow {
  readonly requestId: string
  /** `dataset:collection`. */
  readonly collection: string
  /** The task as JSON, with the values by which rows are found, sealed under the request's data key; base64. */
  readonly sealedLocators: string
  /** The rows as JSON, sealed in the same way; absent until they were uploaded. */
  readonly sealedRows?: string
  /** When people were asked to erase the rows; absent where rows are looked up. */
  readonly erasingSince?: string
  /** How many rows were reported erased, and when. */
  readonly erased?: { readonly rowCount: number; readonly at: string }
}
