import type { FilterRange, RowFilter, Value } from '@habeas/core'
import type { MemoryCollection, MemoryRow } from './memory-database.js'

/** The rows of a collection that a filter lets through. */
export const rowsWithin = ({ rows }: Pick<MemoryCollection, 'rows'>, filter?: RowFilter): readonly MemoryRow[] =>
  filter ? rows.filter((row) => filter.some((range) => isWithin(row, range))) : rows

const isWithin = (row: MemoryRow, { column, from, to, empty }: FilterRange): boolean => {
  const value = row[column] ?? null
  if (empty || value === null) return empty === true && value === null
  return (from === undefined || order(value, from) >= 0) && (to === undefined || order(value, to) <= 0)
}

/** Numbers by their value, dates and instants by their time. */
const order = (one: Value, other: string | number): number => {
  if (typeof other === 'number') return Number(one) - other
  return Date.parse(String(one)) - Date.parse(other)
}
