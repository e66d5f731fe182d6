import { sql } from 'kysely'
import type { PointedKey, SqlColumn, SqlTable } from '../dialect.js'
import { rowsOf } from '../rows-of.js'
import type { Expression, SqlShapes } from './sql-shapes.js'

/** The name under which the row is looked at that is pointed to; columns of the other table are named with its schema. */
const there = 'pointed_to'

/** Exact texts of the key that rows point to, looked up row by row: the foreign key has it found by an index, and once. */
export function referencedKey<Column extends SqlColumn>(
  table: SqlTable<Column>,
  columns: readonly Column[],
  { table: other, columns: to }: PointedKey<Column>,
  { refersTo, exactText }: Pick<SqlShapes<Column, never, never>, 'refersTo' | 'exactText'>,
): Expression[] {
  const isKey =
    other.path.every((name, at) => name === table.path[at]) &&
    columns.every(({ name }, part) => name === to[part]!.name)
  if (isKey) return to.map((column) => exactText(column, sql.id(column.name)))
  const met = columns.map((column, part) =>
    refersTo(column, to[part]!, sql.id(...table.path, column.name), sql.id(there, to[part]!.name)),
  )
  const from = sql`${rowsOf(other)} as ${sql.id(there)}`
  return to.map(
    (column) =>
      sql`(select ${exactText(column, sql.id(there, column.name))} from ${from} where ${sql.join(met, sql` and `)})`,
  )
}
