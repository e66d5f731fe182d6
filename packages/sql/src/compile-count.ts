import type { CountRows } from '@habeas/core'
import { sql } from 'kysely'
import { compile } from './compile.js'
import { conditionOf, targetOf, within } from './condition.js'
import type { Condition, SqlColumn, SqlDialect, SqlTable, Statement } from './dialect.js'
import { rowsOf } from './rows-of.js'

/** One statement. Its only row has a column for each entry that some row may meet. */
export interface CompiledCount {
  readonly statement: Statement
  /** The position of each column's entry among those that were asked for. The entries without a column count no row. */
  readonly positions: readonly number[]
}

/** Compiles counts into one statement, or returns undefined when no row can meet any entry. */
export function compileCount<Column extends SqlColumn, Bound>(
  counts: readonly CountRows[],
  tableOf: (counted: CountRows) => SqlTable<Column>,
  dialect: SqlDialect<Column, Bound>,
): CompiledCount | undefined {
  const exact = dialect.exactTuples ? { ...dialect, tuples: dialect.exactTuples } : dialect
  const entries = counts.flatMap((counted, position) => {
    const table = tableOf(counted)
    const where = countedRows(counted, table, exact)
    return where
      ? [{ position, count: sql`(select count(*) from ${rowsOf(table)} where ${within(table, where)})` }]
      : []
  })
  if (entries.length === 0) return undefined
  const statement = compile(sql`select ${sql.join(entries.map(({ count }) => count))}`, dialect)
  return { statement, positions: entries.map(({ position }) => position) }
}

function countedRows<Column extends SqlColumn, Bound>(
  { anyOf, noneOf = [], empty = [] }: CountRows,
  table: SqlTable<Column>,
  dialect: SqlDialect<Column, Bound>,
): Condition | undefined {
  const met = conditionOf(anyOf, table, dialect)
  if (!met) return undefined
  const leftOut = conditionOf(noneOf, table, dialect)
  const conditions = [met]
  // a condition that is unknown because of a null is not met
  if (leftOut) conditions.push(sql<boolean>`case when ${leftOut} then 0 else 1 end = 1`)
  for (const { path, placeholders = [] } of empty) {
    conditions.push(dialect.holdsNothing(targetOf({ path }, table), placeholders))
  }
  return sql<boolean>`${sql.join(conditions, sql` and `)}`
}
