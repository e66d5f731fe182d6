/** How many rows of one collection a run found. Every found row counts in one of these. */
export interface RowCounts {
  readonly own: number
  /** Rows that the subject refers to, and their dependents. They may also belong to other people. */
  readonly indirect: number
  readonly shared: number
  /** Other people's rows. They are neither delivered nor followed. */
  readonly others: number
  /** Rows without a known owner, by the reference or field that leads to the subject. */
  readonly undecided: readonly UndecidedRows[]
  /** Rows of the subject that hold another value of an identity, by the field that holds it. Absent where none does. */
  readonly otherValues?: readonly UndecidedRows[]
  /** The number of array elements that were left out of own rows. */
  readonly elementsLeft: number
  /**
   * Fields in which the subject's rows hold an identity of the request, in a collection that an erasure does not change.
   * Absent where the run did not look.
   */
  readonly holding?: readonly string[]
  /** Values that are no key, because the field they refer to cannot hold them. */
  readonly notFollowed: readonly NotFollowed[]
}

export interface NotFollowed {
  /** `dataset:collection.field`. */
  readonly reference: string
  readonly to: string
  readonly values: number
  /** An end of the reference is a boolean, as some servers call a column of small numbers. */
  readonly asBoolean?: true
}

/** The number of rows that belong to the subject, alone or with others. */
export function rowsFound(counts: Pick<RowCounts, 'own' | 'indirect' | 'shared'> | undefined): number {
  return counts ? counts.own + counts.indirect + counts.shared : 0
}

export interface UndecidedRows {
  /** `dataset:collection.field`. */
  readonly by: string
  readonly why: string
  readonly rows: number
}
