import { type PointedKey, rowsOf, type SqlTable } from '@habeas/sql'
import { sql } from 'kysely'
import { type Expression, pointsTo } from './comparison.js'
import type { LiveColumn } from './live-column.js'

/** The name under which the row is looked at that is pointed to; columns of the other table are named with its schema. */
const there = 'pointed_to'

/** Exact texts of the key that rows point to, looked up row by row: the foreign key has it found by an index, and once. */
export function spelledKey(
  table: SqlTable<LiveColumn>,
  columns: readonly LiveColumn[],
  { table: other, columns: to }: PointedKey<LiveColumn>,
): Expression[] {
  const isKey =
    other.path.every((name, at) => name === table.path[at]) &&
    columns.every(({ name }, part) => name === to[part]!.name)
  if (isKey) return to.map((column) => exactText(column, sql.id(column.name)))
  const met = columns.map((column, part) =>
    pointsTo(column, to[part]!, sql.id(...table.path, column.name), sql.id(there, to[part]!.name)),
  )
  const from = sql`${rowsOf(other)} as ${sql.id(there)}`
  return to.map(
    (column) =>
      sql`(select ${exactText(column, sql.id(there, column.name))} from ${from} where ${sql.join(met, sql` and `)})`,
  )
}

/** The text that the type reads as this very value. Plain money is written in the server's locale. */
function exactText({ family }: LiveColumn, value: Expression): Expression {
  return family === 'money' ? sql`${value}::numeric::text` : sql`${value}::text`
}
