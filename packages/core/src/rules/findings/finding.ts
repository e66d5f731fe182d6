/** Something a person should know about a description of data. Never silent, never a refusal by itself. */
export interface Finding {
  readonly type: string
  readonly severity: 'error' | 'warning' | 'info'
  /** The place, from the outside in: dataset, collection, field. */
  readonly loc: readonly (string | number)[]
  /** One sentence that names the thing and the way out. */
  readonly message: string
}
