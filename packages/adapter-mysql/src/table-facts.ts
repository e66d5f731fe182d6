import type { CatalogueCollection } from '@habeas/core'
import { failure } from '@habeas/sql'
import type { TableRow } from './catalogue-lists.js'

/** What a table is, beside its columns. */
export interface TableFacts {
  readonly isView: boolean
  /** Its rows are written one by one, and what is written stays. */
  readonly alone: boolean
  readonly known: Partial<CatalogueCollection>
}

/** From so many rows on, by the server's own estimate, a table is large. */
const largeFrom = 10_000

/** Engines that take new rows and change none. */
const onlyAppends = new Set(['archive'])

/** Engines whose rows lie in other tables, or on another server. */
const elsewhere = new Set(['mrg_myisam', 'federated', 'spider', 'connect'])

export function factsOf(
  rows: readonly TableRow[],
  withTransactions: ReadonlySet<string>,
  schema: string,
): ReadonlyMap<string, TableFacts> {
  // such a server lists the tables all the same, and what refers to them would seem to be in another database
  const other = rows.find((row) => row.schema !== schema)
  if (other)
    throw failure(
      'database_missing',
      `The server has no database "${schema}", but "${other.schema}": write database in the same letters.`,
    )
  return new Map(
    rows.filter(({ type }) => type !== 'SEQUENCE').map((row) => [row.name, tableFacts(row, withTransactions, schema)]),
  )
}

function tableFacts(row: TableRow, withTransactions: ReadonlySet<string>, schema: string): TableFacts {
  const { name, type, rows, cascading } = row
  const engine = (row.engine ?? '').toLowerCase()
  const isView = /VIEW/.test(type)
  const alone = !isView && !withTransactions.has(engine)
  return {
    isView,
    alone,
    known: {
      ...(!isView && { referencedBy: cascading }),
      ...(Number(rows ?? 0) >= largeFrom && { large: true as const }),
      ...(alone && { writeLimits: ['transactions', 'row_locks'] as const }),
      ...(elsewhere.has(engine) && { view: { writable: true } }),
      ...(onlyAppends.has(engine) && {
        unwritable: `Its engine ${row.engine} changes and deletes no row: move the table to another engine.`,
      }),
      ...(type === 'SYSTEM VERSIONED' && { keptIn: [{ name: `${schema}.${name}`, kind: 'history' as const }] }),
    },
  }
}
