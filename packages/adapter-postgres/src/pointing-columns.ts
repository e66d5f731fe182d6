import type { Condition, SqlTable } from '@habeas/sql'
import { sql } from 'kysely'
import { asText, type Expression, ownList } from './comparison.js'
import { integerArray, type KeyArray, textArray } from './key-array.js'
import type { BoundKey } from './key-binding.js'
import type { Family, LiveColumn } from './live-column.js'
import { rowSource } from './row-source.js'

/**
 * How many rows point to each tuple, as the server sees it: a foreign key compares with the `=` of the type it points to,
 * in that one's collation, so that `Ab` may stand for `aB`. Undefined where the columns are of types we do not know so well.
 */
export function countOfPointing(
  table: SqlTable<LiveColumn>,
  columns: readonly LiveColumn[],
  to: readonly LiveColumn[],
  keys: readonly (readonly BoundKey[])[],
  where: Condition | undefined,
): Expression | undefined {
  if (!columns.every((column, part) => isComparable(column, to[part]!))) return undefined
  const lists = to.map((column, part) => listOf(column, keys[part]!))
  const positions = integerArray(keys[0]!.map((_, row) => row))
  const source = rowSource(table, [positions, ...lists])
  const met = columns.map((column, part) => pointsTo(column, to[part]!, source.of(lists[part]!)))
  const all = sql.join(where ? [...met, where] : met, sql` and `)
  const position = source.of(positions)
  return sql`select ${position}, count(*) from ${sql.id(...table.path)}, ${source.from} where ${all} group by ${position}`
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

/** Keys as values of the type that is pointed to, also where they are compared as text elsewhere. */
function listOf(to: LiveColumn, keys: readonly BoundKey[]): KeyArray {
  return to.family === 'enum' || to.family === 'other' ? textArray(to.cast, keys.map(String)) : ownList(to, keys)
}

function pointsTo(column: LiveColumn, to: LiveColumn, key: Expression): Condition {
  const value = sql.id(column.name)
  const collated = to.collation === undefined ? sql`` : sql` collate ${sql.raw(to.collation)}`
  return sql<boolean>`${as(column, to, value)}${collated} ${equalsOf(to)} ${key}`
}

/** The server takes the one for the other where their types differ, so that no index of its own finds it. */
function as(column: LiveColumn, to: LiveColumn, value: Expression): Expression {
  if (to.family === 'money') return sql`${value}::numeric`
  if (to.family !== 'text' && to.family !== 'blank_padded') return value
  if (column.cast === to.cast) return value
  if (column.family === 'text' && to.family === 'text' && !to.loose) return asText(column, value)
  return sql`${value}::${sql.raw(to.cast)}`
}

/** The operator of a type from elsewhere need not be on the search path; its neighbours would then compare as plain text. */
function equalsOf({ family, cast }: LiveColumn): Expression {
  return family === 'text' && cast.includes('.')
    ? sql.raw(`operator(${cast.slice(0, cast.lastIndexOf('.'))}.=)`)
    : sql`=`
}
