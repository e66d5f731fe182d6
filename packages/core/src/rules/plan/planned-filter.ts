import type { Partition } from '../../model/catalogue.js'
import type { PartitionRange } from '../../model/service-meta.js'

/** The ranges of a table that are searched, as if others did not exist. `all`: they leave no row out. */
export interface PlannedFilter {
  readonly address: string
  readonly connectionKey: string
  readonly collection: string
  /** The kind of the column by which the table is divided. */
  readonly kind: Partition['kind']
  readonly ranges: readonly PartitionRange[]
  readonly all?: true
}
