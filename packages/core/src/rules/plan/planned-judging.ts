import type { PlannedCondition, PlannedField } from './planned-field.js'

/** A field that holds an identity. */
export interface JudgedIdentity {
  readonly property: string
  readonly field: PlannedField
  /** No two rows can hold the same value. */
  readonly unique: boolean
}

/** A reference that says whose a row is. */
export interface JudgedOwner {
  readonly name: string
  /** Absent: the owner's collection is not searched, so that nobody can tell. */
  readonly entry?: number
  readonly fields: readonly PlannedField[]
  readonly when: readonly PlannedCondition[]
  /** The row names a person, and is theirs whatever else it holds. */
  readonly names?: true
}

/** By what a run decides whose a row is. */
export interface PlannedJudging {
  readonly identities: readonly JudgedIdentity[]
  readonly owners: readonly JudgedOwner[]
  /** What decides outright, the first that holds a value: positions in `identities` or `owners`. */
  readonly first?: readonly ({ readonly identity: number } | { readonly owner: number })[]
  /** Slots of references by which what is pointed to is the person's, as a part or since it is whom a row names. */
  readonly parts: readonly number[]
  /** Those of them by which rows name the person. */
  readonly named?: readonly number[]
  /** Slots of fields that may hold another person's identity: rows that nothing else finds are undecided. */
  readonly doubted?: readonly number[]
  /** References that may lead to another person than the identity says; without a slot where none is described. */
  readonly open: readonly JudgedOwner[]
  /** Nobody has said whose rows are: an inferred reference, by its name. */
  readonly inferred?: string
}
