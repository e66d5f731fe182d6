import type { ActionType } from './action-type.js'
import type { KeptCopy } from './kept-copy.js'
import type { MaskingStrategy } from './masking-strategy.js'

/** What became of the rows of one collection in a search or an erasure. */
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

/** What became of one field of the written rows. It holds no value. */
export interface FieldResult {
  /** The path of the field, with dots. */
  readonly field: string
  /** Absent where no strategy was applied. */
  readonly strategy?: MaskingStrategy['strategy']
  readonly outcome: Outcome
  readonly reason?: string
}

/** Undecided rows: they, or something in them, may belong to the person or to somebody else. */
export interface UndecidedResult {
  /** The reference or field that leads to the person, or that holds what is undecided: `dataset:collection.field`. */
  readonly reference: string
  /** Null where the rows were not counted. */
  readonly rowCount: number | null
  readonly reason: string
}

/** What a database lacks to protect the writes of an erasure. */
export const writeLimits = ['transactions', 'row_locks', 'fencing'] as const
export type WriteLimit = (typeof writeLimits)[number]

/** Counts of one collection for one action. They add up to the found rows. They hold no value. */
export interface CollectionResult {
  readonly dataset: string
  readonly collection: string
  readonly actionType: ActionType
  readonly outcomes: readonly { readonly outcome: Outcome; readonly rowCount: number; readonly reason?: string }[]
  /** Array elements that were left out of own rows because they match nothing of the subject. */
  readonly elementsLeft?: number
  /** Rows that match some properties of an identity object and differ in others. */
  readonly nearMatches?: number
  /** Rows whose owner the description does not state. They were left alone. */
  readonly undecided?: readonly UndecidedResult[]
  /** Rows of the person that hold another value of an identity: nobody has said whether it is theirs as well. */
  readonly otherValues?: readonly UndecidedResult[]
  /** Only in an erasure: the fields it was to change, including those it left unchanged. */
  readonly fields?: readonly FieldResult[]
  /** Rows with data to erase, counted before the first write. */
  readonly before?: number
  /** The same, counted again after the last write. */
  readonly after?: number
  /** Only in an erasure: what the database lacks to protect its writes. */
  readonly writeLimits?: readonly WriteLimit[]
  /** Only where rows were masked or erased: the day (UTC) until which the server itself keeps their old values. */
  readonly keptUntil?: string
  /** Only where rows were masked or erased: what in the database still keeps their old values. */
  readonly keptCopies?: readonly KeptCopy[]
  /** When the first row was written, and when the last one was verified. */
  readonly startedAt?: string
  readonly finishedAt?: string
}

/** Rows of one collection that hold an identity of the person in one column after an erasure. It holds no value. */
export interface ResidualHit {
  /** `dataset:collection`. */
  readonly collection: string
  readonly column: string
  readonly rowCount: number
  /** The number of these rows that the erasure retained for a reason. */
  readonly retained: number
}
