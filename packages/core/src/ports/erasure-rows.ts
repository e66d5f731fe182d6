import type { Outcome } from '../model/collection-result.js'
import type { StoredRow } from './stored-row.js'

/** The progress of the erasure of one collection. `id` is `REQUEST/COLLECTION`. */
export interface ErasureProgressRow extends StoredRow {
  readonly requestId: string
  /**
   * Signature of the rows that were found and of the plan for them. Another signature means that both were made again.
   */
  readonly signature: string
  /** How many found rows, in their order, have a known outcome. */
  readonly done: number
  /** How many found rows, in their order, may have been written. It is stored before they are written. */
  readonly intent: number
  /** The places of those rows between `done` and `intent` that were gone already when the intent was stored. */
  readonly absent: readonly number[]
  /** How many rows already held the new values, among rows that only their values tell apart. */
  readonly alike?: number
  /** Some of those rows were written, and then not found by their keys. */
  readonly lost?: true
  readonly tally: readonly ErasureTally[]
  /** What was written by runs whose rows have been found again since. */
  readonly earlier?: readonly ErasureTally[]
  /** How many rows that hold data again are in no outcome any more: they are counted when they are written again. */
  readonly takenBack?: number
  /** The found rows that `done` counts; absent where none were found. */
  readonly found?: Pick<FoundRows, 'blob' | 'columns'>
  /** The found rows of earlier runs. */
  readonly foundBefore?: readonly FoundRows[]
  readonly startedAt: string
  readonly finishedAt?: string
  /** Its rows have to be found again in any case. */
  readonly stale?: true
  /** The places of found rows that were written and still looked as before. They are in no outcome yet. */
  readonly unsettled?: readonly number[]
}

/** Rows as a run has stored them: the blob, the columns, how many of them have a known outcome, and which were left unsettled. */
export interface FoundRows extends Pick<ErasureProgressRow, 'unsettled'> {
  readonly blob: string
  readonly columns: readonly string[]
  readonly done: number
}

/** How many rows had one outcome, and the reason where there is one. */
export interface ErasureTally {
  readonly outcome: Outcome
  readonly reason?: string
  readonly rowCount: number
}

/**
 * Says that an erasure writes rows of a person. `id` is the hash of an identity. The row is deleted when its run has
 * ended.
 */
export interface ErasureLockRow extends StoredRow {
  readonly requestId: string
}

/**
 * A lock that an erasure released after it wrote. A request that had found the person's rows before finds them again.
 */
export interface ReleasedLockRow extends StoredRow {
  readonly requestId: string
  /** ISO 8601, UTC. */
  readonly releasedAt: string
}

/**
 * A row of an erased person that still refers to something other people shared. `id` is a keyed hash of what names the
 * row. It outlives the request's data.
 */
export interface LeftPointerRow extends StoredRow {
  readonly requestId: string
  /** Its collection, as `dataset:collection`. */
  readonly address: string
}
