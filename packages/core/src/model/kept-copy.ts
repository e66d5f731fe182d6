export const copyKinds = [
  'snapshot',
  'clone',
  'stream',
  'history',
  'aggregate',
  'compressed',
  'materialized_view',
  'trigger',
  'large_object',
] as const

/** What in a database keeps values of the rows of a collection, and is not reached by an erasure. */
export interface KeptCopy {
  /** Names of other schemas have them in front. Of large objects it is the column that leads to them. */
  readonly name: string
  readonly kind: (typeof copyKinds)[number]
}

/** What the server of a collection keeps of its rows after they were masked or erased. */
export interface KeptElsewhere {
  /** For how many days the server itself keeps what is erased. */
  readonly keptDays?: number
  readonly keptCopies?: readonly KeptCopy[]
}
