/**
 * What a description leaves out of a database, as far as it leads to a person. `table` and `column`: nobody has described them.
 * `reference`: a foreign key towards people that the description does not name.
 * `category`: its name suggests a category, or no field of a
 * collection has one, and nobody has decided. `reason`: it is left out without a reason. `expired`: its
 * reason counts no longer. `missing`: it is described, and the database does not have it.
 */
export interface DescriptionGap {
  readonly kind: 'table' | 'column' | 'reference' | 'category' | 'reason' | 'expired' | 'missing'
  readonly dataset: string
  readonly collection: string
  readonly field?: string
  /** How it leads to a person: `visits.customer_id → shop:customers`. Absent where that is not the question. */
  readonly path?: string
  /** What to do. */
  readonly message: string
}
