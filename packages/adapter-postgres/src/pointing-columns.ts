import { type Condition, rowsOf, type SqlTable } from '@habeas/sql'
import { sql } from 'kysely'
import { type Expression, pointedList, pointsTo } from './comparison.js'
import { integerArray } from './key-array.js'
import type { BoundKey } from './key-binding.js'
import type { Family, LiveColumn } from './live-column.js'
import { rowSource } from './row-source.js'

/**
 * How many rows point to each tuple, as the server sees it: a foreign key compares with the `=` of the type it points to,
 * in that one's collation, so that `Ab` may stand for `aB`. Undefined where the columns are of types we do not know so well.
 */
export function countOfReferencing(
  table: SqlTable<LiveColumn>,
  columns: readonly LiveColumn[],
  to: readonly LiveColumn[],
  keys: readonly (readonly BoundKey[])[],
  where: Condition | undefined,
): Expression | undefined {
  if (!columns.every((column, part) => isComparable(column, to[part]!))) return undefined
  const lists = to.map((column, part) => pointedList(column, keys[part]!))
  const positions = integerArray(keys[0]!.map((_, row) => row))
  const source = rowSource(table, [positions, ...lists])
  const met = columns.map((column, part) => pointsTo(column, to[part]!, sql.id(column.name), source.of(lists[part]!)))
  const all = sql.join(where ? [...met, where] : met, sql` and `)
  const position = source.of(positions)
  return sql`select ${position}, count(*) from ${rowsOf(table)}, ${source.from} where ${all} group by ${position}`
}

const alike: readonly (readonly Family[])[] = [
  ['integer', 'decimal'],
  ['single', 'double'],
  ['text', 'blank_padded'],
]

function isComparable(column: LiveColumn, to: LiveColumn): boolean {
  if (column.array || to.array || column.family === 'json' || to.family === 'json') return false
  return column.cast === to.cast || alike.some((one) => one.includes(column.family) && one.includes(to.family))
}
