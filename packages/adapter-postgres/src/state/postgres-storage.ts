import { PrivacyError, type RowKind, type Storage, type StoredRow, searchable, type Table } from '@habeas/core'
import { CompiledQuery } from 'kysely'
import { holdPool, type PostgresStateOptions } from './host-pool.js'
import type { Session } from './open-transaction.js'
import type { RowWhere } from './row-conditions.js'
import { findStatement, type RowQuery, rowStatements } from './row-statements.js'
import type { StatementResult } from './server-line.js'
import { openState } from './state-database.js'
import { sqlState } from './state-failure.js'
import { refusedKind, writeStatement } from './write-statement.js'

/** `Table` of the port without its row kind. A row is a document here, and all kinds are treated alike. */
interface DocumentTable {
  get(id: string): Promise<StoredRow | undefined>
  find(query?: RowQuery): Promise<readonly StoredRow[]>
  count(where?: RowWhere): Promise<number>
  insert(row: StoredRow): Promise<void>
  insertMany(rows: readonly StoredRow[]): Promise<void>
  replace(row: StoredRow): Promise<boolean>
  take(id: string): Promise<StoredRow | undefined>
}

/**
 * Stores the rows of the service in PostgreSQL, which any number of processes may share. It connects and creates its tables
 * with the first call. Throws `misconfigured` and names the option when one is wrong. Calls reject with `unavailable` when
 * the server refuses them.
 */
export function postgresStorage(options: PostgresStateOptions = {}): Storage {
  const database = openState(holdPool('postgresStorage', options))
  const { schema } = database
  return {
    ...storageOf(database, schema, () => database.close()),

    async now() {
      const { rows } = await database.run(timeOfServer)
      return new Date(Number(rows[0]?.['milliseconds']))
    },

    async writeAll(writes) {
      if (writes.length === 0) return true
      try {
        const { rows } = await database.change(writeStatement(schema, writes))
        return rows[0]?.['count'] === 1
      } catch (error) {
        const kind = sqlState(error) === '23505' ? refusedKind(writes, (error as PrivacyError).cause) : undefined
        throw kind === undefined ? error : taken(kind)
      }
    },

    async findAll(queries) {
      const found = queries.map((): StoredRow[] => [])
      if (queries.length === 0) return []
      const { rows } = await database.run(findStatement(schema, queries as Parameters<typeof findStatement>[1]))
      for (const { query, document } of rows) found[query as number]?.push(JSON.parse(document as string))
      return found as never
    },
  }
}

const timeOfServer = CompiledQuery.raw(`select extract(epoch from clock_timestamp()) * 1000 as milliseconds`)

function storageOf(session: Session, schema: string, close: () => Promise<void>): Storage {
  return {
    table: <Kind extends RowKind>(kind: Kind) => documentTable(session, schema, kind) as unknown as Table<Kind>,
    transaction: (work) => session.transaction((within) => work(storageOf(within, schema, async () => {}))),
    close,
  }
}

const taken = (kind: RowKind, id = '') => new PrivacyError('conflict', `This ${kind} exists already.`, { kind, id })

const documents = ({ rows }: StatementResult): StoredRow[] =>
  rows.map(({ document }) => JSON.parse(document as string) as StoredRow)

function documentTable(session: Session, schema: string, kind: RowKind): DocumentTable {
  if (!Object.hasOwn(searchable, kind)) throw new PrivacyError('internal', 'There is no such kind of row.')
  const statements = rowStatements(schema, kind)
  return {
    async get(id) {
      return documents(await session.run(statements.get(id)))[0]
    },
    async find(query) {
      return documents(await session.run(statements.find(query)))
    },
    async count(where) {
      return Number((await session.run(statements.count(where))).rows[0]?.['count'])
    },
    async insert(row) {
      const { count } = await session.change(statements.insert(row))
      if (count === 0) throw taken(kind, row.id)
    },
    async insertMany(rows) {
      if (rows.length === 0) return
      try {
        await session.attempt(statements.insertMany(rows))
      } catch (error) {
        throw sqlState(error) === '23505' ? taken(kind, rows.map(({ id }) => id).join(', ')) : error
      }
    },
    async replace(row) {
      return (await session.change(statements.replace(row))).count === 1
    },
    async take(id) {
      return documents(await session.change(statements.take(id)))[0]
    },
  }
}
