import type { RowFilter } from '../model/row-filter.js'

/** Columns that a statement on a collection would name. Plain data, never a statement. */
export interface Estimated {
  readonly collection: string
  /** Columns that it reads, compares or writes. */
  readonly columns: readonly string[]
  readonly filter?: RowFilter
  /** It writes rows of the collection. */
  readonly writes?: true
}

/** What a statement would be billed. */
export interface Estimate {
  readonly bytes: number
  /** The server refuses a statement that is billed for more bytes. */
  readonly most?: number
}
