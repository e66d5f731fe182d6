/**
 * A range of values of a column. Both ends belong to it. `empty`: the rows without a value. Dates and instants are texts
 * as a read gives them.
 */
export interface FilterRange {
  readonly column: string
  readonly from?: string | number
  readonly to?: string | number
  readonly empty?: true
}

/**
 * Rows outside of every range are as if they did not exist: they are not read, not counted and not written. Only sent
 * where the catalogue gives a `partition`, over its column.
 */
export type RowFilter = readonly FilterRange[]
