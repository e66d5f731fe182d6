import type { PlannedCondition, PlannedField } from './planned-field.js'

/** A field that holds an identity. */
export interface JudgedIdentity {
  readonly property: string
  readonly field: PlannedField
  /** No two rows can hold the same value. */
  readonly unique: boolean
  /** It says whose an element is, and not whose the row is. */
  readonly inside?: true
  /** A person has looked at it: other values in its list are not the person's. */
  readonly reviewed?: true
}

/** A reference that says who owns a row. */
export interface JudgedOwner {
  readonly name: string
  /** Absent where the owner's collection is not searched, so that the owner stays unknown. */
  readonly entry?: number
  readonly fields: readonly PlannedField[]
  readonly when: readonly PlannedCondition[]
  /** The row names a person and belongs to that person, whatever else it holds. */
  readonly names?: true
  /** It says whose an element is, and not whose the row is. */
  readonly inside?: true
}

/** The fields by which a run decides who owns a row. */
export interface PlannedJudging {
  readonly identities: readonly JudgedIdentity[]
  readonly owners: readonly JudgedOwner[]
  /** The described owner fields, of which the first with a value decides: positions in `identities` or `owners`. */
  readonly first?: readonly ({ readonly identity: number } | { readonly owner: number })[]
  /**
   * Entries of references by which rows belong to the person because own rows refer to them, as a part or as the named
   * person.
   */
  readonly parts: readonly number[]
  /** No field outside of lists says whose a row is: elements do, and elements in these whose they are themselves. */
  readonly byElements?: true
  /**
   * Objects around fields that would say whose an element is if these were lists. Nobody has said so, and a row that holds a
   * list there is undecided.
   */
  readonly objects?: readonly (readonly string[])[]
  /** Those of `parts` by which rows name the person. */
  readonly named?: readonly number[]
  /** Entries of fields that may hold another person's identity. Rows found only by them are undecided. */
  readonly doubted?: readonly number[]
  /** References that may lead to another person than the identity does. They have no entry where none is described. */
  readonly open: readonly JudgedOwner[]
  /** The name of an inferred owner reference, where the description does not state the owner. */
  readonly inferred?: string
}
