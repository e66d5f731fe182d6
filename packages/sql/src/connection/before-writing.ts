import type { CountEach, Erase, UnchangedRows } from '@habeas/core'
import { compilePointers, type ReferencingTable } from '../compile-pointers.js'
import { compileUnchanged } from '../compile-unchanged.js'
import type { SqlColumn, SqlTable, Statement } from '../dialect.js'
import { changedSinceFailure } from '../erase-failures.js'
import type { SqlErasingDialect } from '../erasing-dialect.js'
import type { Step } from './transaction.js'

/** Settings for the counts must not apply to the writes after them. Locks that were taken before the savepoint stay. */
const aside = plain('savepoint habeas_counts')
const backFromAside = [plain('rollback to savepoint habeas_counts'), plain('release savepoint habeas_counts')]

function plain(sql: string): Statement {
  return { sql, parameters: [] }
}

/** Returns the step that fails where rows that decide who owns the rows of a batch have changed. */
export async function unchangedRows<Column extends SqlColumn, Bound>(
  erase: Erase,
  tableOf: (asked: Pick<Erase, 'collection' | 'anyOf'>) => Promise<SqlTable<Column>>,
  dialect: SqlErasingDialect<Column, Bound>,
): Promise<Step | undefined> {
  const { unchanged = [] } = erase
  if (unchanged.length === 0) return undefined
  const live = new Map<UnchangedRows, SqlTable<Column>>()
  for (const rows of unchanged) {
    live.set(rows, await tableOf({ collection: rows.collection, anyOf: [rows.group] }))
  }
  const statements = compileUnchanged(erase, (rows) => live.get(rows)!, dialect)
  if (dialect.erasing.unchangedFails) return { statements }
  return {
    statements,
    check: (results) =>
      unchanged.some(({ rows }, at) => Number(results[at]!.rows[0]![0]) < rows)
        ? changedSinceFailure(erase.collection)
        : undefined,
  }
}

/** Returns the step that looks at rows of other tables once more. Those of the batch are no longer what they were. */
export function unchangedElsewhere<Column extends SqlColumn, Bound>(
  erase: Erase,
  tableOf: (asked: Pick<Erase, 'collection' | 'anyOf'>) => Promise<SqlTable<Column>>,
  dialect: SqlErasingDialect<Column, Bound>,
): Promise<Step | undefined> {
  const unchanged = (erase.unchanged ?? []).filter(({ collection }) => collection !== erase.collection)
  return unchangedRows({ ...erase, unchanged }, tableOf, dialect)
}

/** Returns the step that locks the rows of a batch and then counts the rows that refer to them, where any may do so. */
export async function countedFirst<Column extends SqlColumn, Bound>(
  erase: Erase,
  table: SqlTable<Column>,
  tableOf: (count: CountEach) => Promise<ReferencingTable<Column>>,
  dialect: SqlErasingDialect<Column, Bound>,
): Promise<Step | undefined> {
  const live = new Map<CountEach, ReferencingTable<Column>>()
  for (const { count } of erase.pointers ?? []) live.set(count, await tableOf(count))
  const compiled = compilePointers(erase, table, (count) => live.get(count)!, dialect)
  if (!compiled) return undefined
  const { everyRow } = dialect.erasing
  const { lock, counts } = compiled
  const before = [...(lock ? [lock] : []), ...(everyRow ? [aside, everyRow] : [])]
  return {
    statements: [...before, ...counts, ...(everyRow ? backFromAside : [])],
    check: (results) =>
      compiled.failureOf(
        results.slice(before.length, before.length + counts.length).map(({ rows }) => rows as [string, string][]),
      ),
  }
}
