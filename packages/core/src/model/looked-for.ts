export const spellings = ['as given', 'without regard to case'] as const
export type Spelling = (typeof spellings)[number]

/** How an identity property was searched for in some fields. It holds names, never a value. */
export interface LookedFor {
  readonly property: string
  readonly spellings: readonly Spelling[]
  /** `dataset:collection.field`. */
  readonly fields: readonly string[]
}
