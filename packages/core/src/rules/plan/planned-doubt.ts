/** A member that leaves open whose a part of a row is, with what a request leaves alone because of it. */
export interface PlannedDoubt {
  /** `dataset:collection.field`. */
  readonly name: string
  readonly why: string
  readonly answers: string
  /** What the policy asks for there. A row that holds something in one of these is undecided in part. */
  readonly left: readonly (readonly string[])[]
}
