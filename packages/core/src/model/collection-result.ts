import type { ActionType } from './action-type.js'
import type { MaskingStrategy } from './masking-strategy.js'

/** What became of rows of one collection (the honest ends of a search or an erasure). */
export const outcomes = [
  'delivered',
  'masked',
  'erased',
  'retained',
  'unchanged',
  'gone',
  'changed',
  'nothing_found',
  'skipped',
  'unsupported',
  'failed',
] as const
export type Outcome = (typeof outcomes)[number]

/** What became of one field of the rows that were written. Never a value. */
export interface FieldResult {
  /** In dotted form. */
  readonly field: string
  /** Absent where none was applied. */
  readonly strategy?: MaskingStrategy['strategy']
  readonly outcome: Outcome
  readonly reason?: string
}

/** Rows that may be the person's or somebody else's. */
export interface UndecidedResult {
  /** The reference or field that leads to the person: `dataset:collection.field`. */
  readonly reference: string
  /** Null where they were not counted. */
  readonly rowCount: number | null
  readonly reason: string
}

/** Counts of one collection for one action; they add up to the rows found. Never a value. */
export interface CollectionResult {
  readonly dataset: string
  readonly collection: string
  readonly actionType: ActionType
  readonly outcomes: readonly { readonly outcome: Outcome; readonly rowCount: number; readonly reason?: string }[]
  /** Array elements that were left out of own rows, since they meet nothing of the subject's. */
  readonly elementsLeft?: number
  /** Rows that match some properties of an identity object and differ in others. */
  readonly nearMatches?: number
  /** Rows of which nobody has said whose they are: left alone. */
  readonly undecided?: readonly UndecidedResult[]
  /** Of an erasure: fields that it was to change, those it left included. */
  readonly fields?: readonly FieldResult[]
  /** Rows with something to erase in them, counted before the first write. */
  readonly before?: number
  /** The same, counted again after the last write. */
  readonly after?: number
  /** When the first row was written, and when the last one was looked at again. */
  readonly startedAt?: string
  readonly finishedAt?: string
}

/** Rows of one collection that hold an identity of the person in one column, after an erasure. Never a value. */
export interface ResidualHit {
  /** `dataset:collection`. */
  readonly collection: string
  readonly column: string
  readonly rowCount: number
  /** How many of them the erasure has kept for a reason. */
  readonly retained: number
}
