import type { CallOptions, Catalogue, Connection, CountEach, CountRows, PrivacyError, Read, Row } from '@habeas/core'
import { compileCount } from '../compile-count.js'
import { compileCountEach } from '../compile-count-each.js'
import { columnsOfErase } from '../compile-erase.js'
import { type AskedColumns, compileRead, missingColumns } from '../compile-read.js'
import type { SqlColumn, SqlTable } from '../dialect.js'
import type { SqlErasingDialect } from '../erasing-dialect.js'
import { cancelledFailure, missingCollectionFailure, missingColumnFailure } from './connection-failure.js'
import type { SqlDriver } from './driver.js'
import {
  type Ask,
  connectionFailure,
  countingFailure,
  type DriverErrors,
  loginFailure,
  writingFailure,
} from './driver-errors.js'
import { eraseTransaction } from './erase-transaction.js'
import { endWrites, type FencingWords } from './fencing.js'
import { heldDocuments } from './held-documents.js'
import { createSessionPool } from './session-pool.js'
import { createStatementRunner, type Run } from './statement-runner.js'
import {
  repeatedOnConflict,
  standardTransactions,
  type TimeLimitWords,
  type Transaction,
  type TransactionWords,
} from './transaction.js'

/** What the tables of a schema look like. */
export interface SqlCatalogue<Column extends SqlColumn = SqlColumn> {
  /** Reads the table as it is now, or returns undefined where no table has that name. */
  table(collection: string, ask: Ask): Promise<SqlTable<Column> | undefined>
  /** MUST reject where the schema does not exist, or may not be used. A ping asks it. Absent: a ping asks nothing but an answer. */
  usable?(ask: Ask): Promise<void>
  /** Reads all tables. MUST reject where the schema does not exist, or may not be used. */
  describe(ask: Ask): Promise<{ readonly catalogue: Catalogue; readonly tables: ReadonlyMap<string, SqlTable<Column>> }>
}

/** Everything in which one kind of SQL database differs from another, and how many sessions a connection may have. */
export interface SqlConnectionOptions<Column extends SqlColumn, Bound> {
  readonly driver: SqlDriver
  readonly dialect: SqlErasingDialect<Column, Bound>
  readonly catalogue: SqlCatalogue<Column>
  readonly errors: DriverErrors
  /** Default: `standardTransactions`. */
  readonly transactions?: TransactionWords
  /** Absent where the server has no locks by name. The capability `fencing` MUST say the same. */
  readonly fencing?: FencingWords
  /** Absent where a write is ended by asking the server to, over another line. */
  readonly timeLimit?: TimeLimitWords
  /** How long a write waits for the lock of its fence. Default: 30 seconds. */
  readonly lockTimeoutMs?: number
  /** The schema that is described and read, as failures name it. */
  readonly schema: string
  /** The most sessions, and so the most statements at once. Default: 4. */
  readonly poolSize?: number
  /** How long a session may stay open unused. Default: 30 seconds. */
  readonly idleMs?: number
  /** How long the server may send nothing. Default: 300 seconds. */
  readonly statementTimeoutMs?: number
}

/** The names that a call uses of a table. */
type Asked = Pick<Read, 'collection'> & AskedColumns

/** How many bytes of rows are asked for before the size of a row is known. */
const firstBytes = 256 * 1024
const firstRowsUnknown = 500

/** Creates a connection of the port over a driver and a dialect. The tables are read from the catalogue once and kept. */
export function createSqlConnection<Column extends SqlColumn, Bound>(
  options: SqlConnectionOptions<Column, Bound>,
): Connection {
  type Table = SqlTable<Column>
  const { driver, dialect, catalogue, errors, schema, poolSize = 4, idleMs = 30_000 } = options
  const { transactions = standardTransactions, statementTimeoutMs = 300_000 } = options
  const { fencing, timeLimit, lockTimeoutMs = 30_000 } = options
  const open = () =>
    driver.open().catch((error) => {
      throw loginFailure(errors, error)
    })
  const pool = createSessionPool({ size: poolSize, idleMs, open })
  const runner = createStatementRunner({ pool, errors, transactions, statementTimeoutMs })
  const tables = new Map<string, Table>()
  const parserOfType = (type: number) => dialect.parserOf?.(type)

  async function all(sql: string, parameters: readonly unknown[], run: Partial<Run>): Promise<Row[]> {
    const rows: Row[] = []
    for await (const batch of batches(sql, parameters, run)) rows.push(...batch)
    return rows
  }

  function batches(sql: string, parameters: readonly unknown[], run: Partial<Run>): AsyncIterable<readonly Row[]> {
    const how = { firstRows: firstRowsUnknown, parserOf: parserOfType, doing: 'asking for its tables', ...run }
    return runner.rows({ sql, parameters }, how)
  }

  const asking =
    (options: Partial<Run>): Ask =>
    (sql, parameters) =>
      all(sql, parameters, options)

  async function refreshedTable(collection: string, options: CallOptions): Promise<Table> {
    const table = await catalogue.table(collection, asking(options))
    if (table) {
      tables.set(collection, table)
      return table
    }
    tables.delete(collection)
    throw missingCollectionFailure(collection, schema)
  }

  /** Returns a table that has every named column, with the tables that it refers to where keys of them are asked for. */
  async function tableFor(asked: Asked, options: CallOptions): Promise<Table> {
    const table = await wholeTable(asked, options)
    const { spelled = [], anyOf, noneOf = [] } = asked
    const keys = [...spelled.map(({ as }) => as), ...[...anyOf, ...noneOf].flatMap(({ spelledAs }) => spelledAs ?? [])]
    if (keys.length === 0) return table
    const pointedTo = new Map<string, Table>()
    for (const { collection, columns } of keys)
      pointedTo.set(collection, await wholeTable({ collection, columns, anyOf: [] }, options))
    return { ...table, pointedTo }
  }

  /** Returns a table that has every named column. A column that is missing may just have been added. */
  async function wholeTable(read: Asked, options: CallOptions): Promise<Table> {
    const known = tables.get(read.collection)
    if (known && missingColumns(read, known).length === 0) return known
    const table = await refreshedTable(read.collection, options)
    const missing = missingColumns(read, table)
    if (missing.length > 0) throw missingColumnFailure(read.collection, missing)
    return table
  }

  /** Returns the error to throw when the server refused a statement. It names a table or column that no longer exists. */
  async function explained(error: unknown, asked: readonly Asked[], options: CallOptions): Promise<unknown> {
    const code = errors.codeOf((error as PrivacyError).cause ?? {})
    if (code === undefined || !errors.missing.has(code)) return error
    tables.clear()
    try {
      for (const each of asked) await tableFor(each, options)
      return error
    } catch (named) {
      return named
    }
  }

  async function countTogether(counts: readonly CountRows[], options: CallOptions): Promise<number[]> {
    const live = new Map<CountRows, Table>()
    for (const counted of counts) live.set(counted, await tableFor(counted, options))
    const compiled = compileCount(counts, (counted) => live.get(counted)!, dialect)
    const result = counts.map(() => 0)
    if (!compiled) return result
    const { sql, parameters } = compiled.statement
    if (counts.length > 1 && parameters.length > (dialect.mostParameters ?? Number.POSITIVE_INFINITY)) {
      const half = counts.length >> 1
      const parts = [counts.slice(0, half), counts.slice(half)]
      return (await Promise.all(parts.map((part) => countTogether(part, options)))).flat()
    }
    const names = new Set(counts.map(({ collection }) => `"${collection}"`))
    try {
      const [row] = await all(sql, parameters, { ...options, doing: `counting ${[...names].join(', ')}` })
      for (const [at, position] of compiled.positions.entries()) result[position] = Number(row![at])
    } catch (error) {
      throw await explained(error, counts, options)
    }
    return result
  }

  /** Returns the table, and the columns that its foreign key refers to. */
  async function referencingTable({ collection, group, references }: CountEach, options: CallOptions) {
    const other = references && (await tableFor({ ...references, anyOf: [] }, options))
    const to = references?.columns.map((name) => other!.columns.get(name)!)
    return { table: await tableFor({ collection, anyOf: [group] }, options), ...(to && { to }) }
  }

  return {
    concurrency: poolSize,
    async ping(options = {}) {
      const run = { ...options, doing: 'answering a ping' }
      if (catalogue.usable) await catalogue.usable(asking(run))
      else await all('select 1', [], run)
    },
    async describe(options = {}) {
      const described = await catalogue.describe(asking(options))
      tables.clear()
      for (const [name, table] of described.tables) tables.set(name, table)
      return described.catalogue
    },
    async *read(read, options = {}) {
      if (options.signal?.aborted) throw cancelledFailure(options.signal.reason)
      const table = await tableFor(read, options)
      const statement = compileRead(read, table, dialect)
      if (!statement) return
      const columns = read.columns.map((name) => table.columns.get(name)!)
      try {
        yield* runner.rows(statement, {
          ...options,
          doing: `reading "${read.collection}"`,
          firstRows: read.spelled ? firstRowsUnknown : firstRowsOf(columns),
          parserOf: (type, index) => dialect.parserOf?.(type, columns[index]),
        })
      } catch (error) {
        throw await explained(error, [read], options)
      }
    },
    async count(counts, options = {}) {
      if (options.signal?.aborted) throw cancelledFailure(options.signal.reason)
      const result: number[] = []
      const { mostColumns = 1_000 } = dialect
      for (let from = 0; from < counts.length; from += mostColumns) {
        result.push(...(await countTogether(counts.slice(from, from + mostColumns), options)))
      }
      return result
    },
    async countEach(asked, options = {}) {
      const { collection, group } = asked
      const counts = new Array<number>(group.values[0]?.length ?? 0).fill(0)
      const { table, to } = await referencingTable(asked, options)
      const compiled = compileCountEach(group, table, dialect, to, asked.keyKinds)
      if (!compiled) return counts
      const doing = `counting "${collection}"`
      const { everyRow } = dialect.erasing
      const statements = [...(everyRow ? [everyRow] : []), compiled.statement]
      try {
        const [results] = await runner.transact({ steps: [{ statements }] }, { ...options, doing })
        for (const [position, count] of results!.at(-1)!.rows) {
          counts[compiled.positions[Number(position)]!] = Number(count)
        }
      } catch (error) {
        const failure = countingFailure(errors, error, collection, doing)
        throw await explained(failure, [{ collection, anyOf: [group] }], options)
      }
      return counts
    },
    async erase(erase, { rollBack = false, fence, touched } = {}) {
      const named = { collection: erase.collection, anyOf: erase.anyOf, columns: columnsOfErase(erase) }
      const doing = `writing to "${erase.collection}"`
      const held = await heldDocuments(erase, await tableFor(named, {}), dialect, batches).catch(async (error) => {
        throw await explained(error, [named], {})
      })
      if (!held) return
      const transaction = await eraseTransaction(held.erase, held.table, {
        ...{ dialect, fencing, lockTimeoutMs, timeLimit, statementTimeoutMs, rollBack, fence, doing },
        tableOf: (asked) => tableFor(asked, {}),
        referencing: (count) => referencingTable(count, {}),
      })
      if (!transaction) return
      try {
        const isConflict = (error: unknown) => errors.conflicts.has(String(errors.codeOf(Object(error))))
        const results = await repeatedOnConflict({ isConflict }, () => runner.transact(transaction, { doing }))
        touched?.(transaction.touchedBy(results))
      } catch (error) {
        const referencing = (erase.pointers ?? []).map(({ count: { collection, group } }) => ({
          collection,
          anyOf: [group],
        }))
        const rule = await errors.refusingRule(error, asking({}))
        const failure = errors.hidden?.(error, referencing) ?? writingFailure(errors, error, erase.collection, rule)
        const others = (erase.unchanged ?? []).map(({ collection, group }) => ({ collection, anyOf: [group] }))
        throw await explained(failure, [named, ...referencing, ...others], {})
      }
    },
    ...(fencing && {
      async endWrites(lock, options = {}) {
        const run = async (transaction: Transaction, doing: string) => {
          try {
            return await runner.transact(transaction, { ...options, doing })
          } catch (error) {
            throw connectionFailure(errors, error, doing)
          }
        }
        await endWrites(fencing, lock, run)
      },
    }),
    async close() {
      await Promise.all([runner.close(), pool.close()])
    },
  }
}

/** Returns many rows where every column is short by its type, so that a small result takes one round trip. */
function firstRowsOf(columns: readonly SqlColumn[]): number {
  let width = 16
  for (const column of columns) {
    if (column.width === undefined) return firstRowsUnknown
    width += column.width
  }
  return Math.max(firstRowsUnknown, Math.ceil(firstBytes / width))
}
