/** Names of what a description leaves out; of each kind, none where nothing is left out. */
export interface CoverageGaps {
  /** Live columns of searched collections that no field describes, or of which nobody has said what they hold. */
  readonly columns?: readonly string[]
  /** Live tables that no dataset describes, with a foreign key to what is somebody's, or that inherit from it. */
  readonly tables?: readonly string[]
  /** Columns that seem to lead to what is somebody's, of which no reference is described. */
  readonly references?: readonly string[]
  /** Live tables that no dataset describes, named like the history of a searched one. */
  readonly histories?: readonly string[]
  /** Searched collections of which the server may hide rows. */
  readonly hidden?: readonly string[]
  /** Fields with a masking strategy that no rule asks for. */
  readonly unmasked?: readonly string[]
  /** Collections whose rows may be somebody's, where nobody has said of a single field what it holds. */
  readonly collections?: readonly string[]
}
