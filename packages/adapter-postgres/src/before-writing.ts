import type { CountEach, Erase, UnchangedRows } from '@habeas/core'
import { compilePointers, compileUnchanged, type ReferencingTable, type SqlTable, type Statement } from '@habeas/sql'
import { sameReferencesQuery } from './catalogue-query.js'
import { postgresDialect } from './dialect.js'
import { withEncodedKeys } from './key-array.js'
import type { LiveColumn } from './live-column.js'
import type { Checked } from './transaction.js'

type Table = SqlTable<LiveColumn>

/** Until its transaction ends, the server refuses a statement from which policies hide rows, instead of hiding them. */
export const everyRow: Statement = { sql: "select pg_catalog.set_config('row_security', 'off', true)", parameters: [] }

/** What is set for counts must not hold for what is written after them. Locks that were taken before stay. */
const aside: Statement = { sql: 'savepoint habeas_counts', parameters: [] }
const backFromAside: readonly Statement[] = ['rollback to savepoint', 'release savepoint'].map((word) => ({
  sql: `${word} habeas_counts`,
  parameters: [],
}))

/** What fails where rows that say whose those of a batch are have changed. */
export async function unchangedRows(
  erase: Erase,
  tableOf: (asked: Pick<Erase, 'collection' | 'anyOf'>) => Promise<Table>,
): Promise<Statement[]> {
  const live = new Map<UnchangedRows, Table>()
  for (const rows of erase.unchanged ?? []) {
    live.set(rows, await tableOf({ collection: rows.collection, anyOf: [rows.group] }))
  }
  return compileUnchanged(erase, (rows) => live.get(rows)!, postgresDialect).map(withEncodedKeys)
}

/**
 * Locks the rows of a batch, and then counts who points to them; undefined where that is not asked, or nobody can. `held`
 * comes first: a transaction that points to a row locks the row that points before the one it points to.
 */
export async function countedFirst(
  erase: Erase,
  table: Table,
  held: readonly Statement[],
  tableOf: (count: CountEach) => Promise<ReferencingTable<LiveColumn>>,
): Promise<Checked | undefined> {
  const live = new Map<CountEach, ReferencingTable<LiveColumn>>()
  for (const { count } of erase.pointers ?? []) live.set(count, await tableOf(count))
  const compiled = compilePointers(erase, table, (count) => live.get(count)!, postgresDialect)
  if (!compiled) return undefined
  const before = [...held, withEncodedKeys(compiled.lock), aside, everyRow]
  const counts = compiled.counts.map(withEncodedKeys)
  return {
    statements: [...before, ...counts, ...backFromAside],
    check: (results) =>
      compiled.failureOf(
        results.slice(before.length, before.length + counts.length).map(({ rows }) => rows as [string, string][]),
      ),
  }
}

/**
 * A statement that fails where the foreign keys that carry a deletion on have changed. Asked once the rows are gone: from then on the server
 * lets no other be added until the transaction ends, and what it carried on is taken back.
 */
export function sameReferences({ referencedBy }: Erase, { path }: Table): Statement[] {
  return referencedBy === undefined ? [] : [{ sql: sameReferencesQuery, parameters: [referencedBy, ...path] }]
}
