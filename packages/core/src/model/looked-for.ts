export const spellings = ['as given', 'without regard to case'] as const
export type Spelling = (typeof spellings)[number]

/** How an identity property was looked for in some fields. Names, never a value. */
export interface LookedFor {
  readonly property: string
  readonly spellings: readonly Spelling[]
  /** `dataset:collection.field`. */
  readonly fields: readonly string[]
}
