/**
 * Something that a person should know about a description of data. It is always shown and never stops anything by
 * itself.
 */
export interface Finding {
  readonly type: string
  readonly severity: 'error' | 'warning' | 'info'
  /** The place, from the outside in: dataset, collection, field. */
  readonly loc: readonly (string | number)[]
  /** One sentence that names the problem and a solution. */
  readonly message: string
}
