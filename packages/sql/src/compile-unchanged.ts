import type { Erase, UnchangedRows } from '@habeas/core'
import { compile } from './compile.js'
import { conditionOf, within } from './condition.js'
import type { SqlColumn, SqlTable, Statement } from './dialect.js'
import type { SqlErasingDialect } from './erasing-dialect.js'

/** Compiles statements that fail where rows that decide who owns the rows of a batch have changed. They run first. */
export function compileUnchanged<Column extends SqlColumn, Bound>(
  { unchanged = [] }: Pick<Erase, 'unchanged'>,
  tableOf: (rows: UnchangedRows) => SqlTable<Column>,
  dialect: SqlErasingDialect<Column, Bound>,
): Statement[] {
  return unchanged.map((rows) => {
    const table = tableOf(rows)
    const where = conditionOf([rows.group], table, dialect)
    if (!where) throw new Error('rows that were read hold what can be asked for')
    return compile(dialect.erasing.unchanged(table, within(table, where), rows.rows), dialect)
  })
}
