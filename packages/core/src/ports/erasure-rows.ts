import type { Outcome } from '../model/collection-result.js'
import type { StoredRow } from './stored-row.js'

/** How far the erasure of one collection has come. `id` is `REQUEST/COLLECTION`. */
export interface ErasureProgressRow extends StoredRow {
  readonly requestId: string
  /** Of the rows that were found and what was planned for them: another one means that both were made anew. */
  readonly signature: string
  /** Kept rows, in their order, of which it is known what became of them. */
  readonly done: number
  /** Up to here rows may have been written: noted before they are. */
  readonly intent: number
  /** Of the rows between the two, the places of those that were not there any more when the intent was noted. */
  readonly absent: readonly number[]
  /** How many rows already held what those become that only their values tell apart. */
  readonly alike?: number
  readonly tally: readonly ErasureTally[]
  /** What was written by runs whose rows were found anew since. */
  readonly earlier?: readonly ErasureTally[]
  /** The kept rows that `done` counts; absent where none were found. */
  readonly found?: Omit<FoundRows, 'done'>
  /** Those of earlier runs. */
  readonly foundBefore?: readonly FoundRows[]
  readonly startedAt: string
  readonly finishedAt?: string
  /** Its rows have to be found anew, whatever is done. */
  readonly stale?: true
}

/** Rows as a run has kept them: in which blob, with which columns, and of how many it is known what became of them. */
export interface FoundRows {
  readonly blob: string
  readonly columns: readonly string[]
  readonly done: number
}

/** How many rows came out one way, and why where that needs saying. */
export interface ErasureTally {
  readonly outcome: Outcome
  readonly reason?: string
  readonly rowCount: number
}

/** Says that an erasure writes rows of a person. `id` is the hash of an identity; gone when its run has ended. */
export interface ErasureLockRow extends StoredRow {
  readonly requestId: string
}

/** A lock that an erasure has given back after it wrote: who found the person's rows before finds them anew. */
export interface ReleasedLockRow extends StoredRow {
  readonly requestId: string
  /** ISO 8601, UTC. */
  readonly releasedAt: string
}

/**
 * A row of an erased person that still points to what others had a share in. `id` is a keyed hash of what names it; it
 * outlives the request's data.
 */
export interface LeftPointerRow extends StoredRow {
  readonly requestId: string
  /** Where it lies: `dataset:collection`. */
  readonly address: string
}
