/** Rows of one collection, as a run counted them: every row that was found is one of these. */
export interface RowCounts {
  readonly own: number
  /** What the person points to, and what hangs on it: theirs, but perhaps others' as well. */
  readonly indirect: number
  readonly shared: number
  /** Somebody else's: neither delivered nor followed. */
  readonly others: number
  /** Rows of which nobody has said whose they are, by the reference or field that leads to the person. */
  readonly undecided: readonly UndecidedRows[]
  /** Array elements that were left out of own rows. */
  readonly elementsLeft: number
  /**
   * Fields in which rows of the person hold an identity of the request, where an erasure leaves the collection as it is.
   * Absent where nobody looked.
   */
  readonly holding?: readonly string[]
  /** Values that are no key, since the field they refer to cannot hold them. */
  readonly notFollowed: readonly NotFollowed[]
}

export interface NotFollowed {
  /** `dataset:collection.field`. */
  readonly reference: string
  readonly to: string
  readonly values: number
}

/** Rows that are the person's, alone or with others. */
export function rowsFound(counts: Pick<RowCounts, 'own' | 'indirect' | 'shared'> | undefined): number {
  return counts ? counts.own + counts.indirect + counts.shared : 0
}

export interface UndecidedRows {
  /** `dataset:collection.field`. */
  readonly by: string
  readonly why: string
  readonly rows: number
}
