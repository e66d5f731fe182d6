import type { CountRows, Read, SpelledKey } from '@habeas/core'
import { sql } from 'kysely'
import { compile } from './compile.js'
import { conditionOf, within } from './condition.js'
import type { SqlColumn, SqlDialect, SqlTable, Statement } from './dialect.js'
import { pointedKey } from './pointed-key.js'
import { rowsOf } from './rows-of.js'

/** Compiles a read, or returns undefined when no row can match because none of the keys fits its live column. */
export function compileRead<Column extends SqlColumn, Bound>(
  read: Read,
  table: SqlTable<Column>,
  dialect: SqlDialect<Column, Bound>,
): Statement | undefined {
  const where = conditionOf(read.anyOf, table, dialect)
  if (!where) return undefined
  const columns = read.columns.map((name) => {
    const column = table.columns.get(name)
    return (column && dialect.select?.(column)) ?? sql.id(name)
  })
  for (const { columns: own, as } of read.spelled ?? []) columns.push(...spelled(own, as, table, dialect))
  // a read of no columns still gives one row for each row that matches
  const selection = columns.length === 0 ? sql`null` : sql.join(columns)
  return compile(sql`select ${selection} from ${rowsOf(table)} where ${within(table, where)}`, dialect)
}

function spelled<Column extends SqlColumn, Bound>(
  own: readonly string[],
  as: SpelledKey['as'],
  table: SqlTable<Column>,
  dialect: SqlDialect<Column, Bound>,
) {
  if (!dialect.spelled) throw new Error('spelled keys are for servers whose foreign keys compare loosely')
  const columns = own.map((name) => table.columns.get(name)!)
  return dialect.spelled(table, columns, pointedKey(as, table))
}

/** Returns the columns that a read or a count names and the table does not have. They are refused before any statement. */
export function missingColumns(asked: AskedColumns, table: SqlTable): string[] {
  const { columns = [], spelled = [], anyOf, noneOf = [], empty = [] } = asked
  const entered = [...anyOf, ...noneOf].flatMap(({ fields, when = [] }) => [...fields, ...when])
  const referencing = spelled.flatMap((key) => key.columns)
  const named = [...columns, ...referencing, ...[...entered, ...empty].map(({ path }) => path[0]!)]
  return [...new Set(named)].filter((name) => !table.columns.has(name))
}

/** The part of a read, or of rows to be counted, that names columns. */
export type AskedColumns = Pick<Read, 'anyOf'> &
  Partial<Pick<Read, 'columns' | 'spelled'> & Pick<CountRows, 'noneOf' | 'empty'>>
