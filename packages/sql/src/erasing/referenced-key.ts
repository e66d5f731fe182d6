import { sql } from 'kysely'
import type { PointedKey, SqlColumn, SqlTable } from '../dialect.js'
import { rowsOf } from '../rows-of.js'
import type { Expression, SqlShapes } from './sql-shapes.js'

/** The name of the row that is referred to. Columns of the referring table are named with their schema. */
const there = 'pointed_to'

/** Returns exact texts of the key that rows refer to. A unique index finds it for each row, as foreign keys require one. */
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
