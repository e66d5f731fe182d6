/**
 * What a description leaves out of a database, as far as it leads to a person or identifies one by itself. `table` and
 * `column`: nobody has described them. `reference`: a foreign key towards people that the description does not name.
 * `category`: its name suggests a category, nothing says what lies in a document, or no field of a collection has a category,
 * and nobody has decided. `reason`: it is left out without a reason. `expired`: its reason counts no longer. `missing`: it is
 * described, and the database does not have it.
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
