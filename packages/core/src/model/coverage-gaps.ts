/** Names of live columns and tables that a description leaves out. A kind is absent where nothing is missing. */
export interface CoverageGaps {
  /** Live columns of searched collections, and members of these, that no field describes, or whose content nobody has described. */
  readonly columns?: readonly string[]
  /** Live tables that no dataset describes and that refer to, or inherit from, a table with an owner, or name people. */
  readonly tables?: readonly string[]
  /** Columns that seem to refer to a table with an owner and that have no described reference. */
  readonly references?: readonly string[]
  /** Live tables that no dataset describes and whose names look like the history of a searched table. */
  readonly histories?: readonly string[]
  /** Searched collections in which the server may hide rows. */
  readonly hidden?: readonly string[]
  /** Searched collections whose rows outside of a `partition_filter` are not searched. */
  readonly filtered?: readonly string[]
  /** Fields with a masking strategy that no rule asks for. */
  readonly unmasked?: readonly string[]
  /** Collections whose rows may have an owner and in which no field has a data category. */
  readonly collections?: readonly string[]
}
