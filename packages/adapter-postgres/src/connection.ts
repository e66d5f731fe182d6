import type { CallOptions, Connection, CountEach, CountRows, PrivacyError, Read, Row } from '@habeas/core'
import {
  type AskedColumns,
  columnsOfErase,
  compileCount,
  compileCountEach,
  compileErase,
  compileRead,
  missingColumns,
  type SqlTable,
} from '@habeas/sql'
import { countedFirst, everyRow, sameReferences, unchangedRows } from './before-writing.js'
import { type CatalogueRow, catalogueOf, catalogueRow, liveTable } from './catalogue.js'
import { schemaAccessQuery, schemaQuery, tableQuery } from './catalogue-query.js'
import {
  cancelledFailure,
  countingFailure,
  hiddenFailure,
  missingCollectionFailure,
  missingColumnFailure,
  schemaFailure,
  writingFailure,
} from './connection-failure.js'
import { postgresDialect } from './dialect.js'
import { withEncodedKeys } from './key-array.js'
import type { LiveColumn } from './live-column.js'
import { refusingRule } from './refusing-rule.js'
import type { StatementResult } from './statement-batch.js'
import type { Run, StatementRunner } from './statement-runner.js'
import { repeatedOnConflict } from './transaction.js'
import { valueParser } from './value-parsers.js'

type Table = SqlTable<LiveColumn>

/** What a call names of a table. */
type Asked = Pick<Read, 'collection'> & AskedColumns

/** Bytes of rows worth asking for before the size of a row is known. */
const firstBytes = 256 * 1024
const firstRowsUnknown = 500

/** A statement of the server gives at most 1,664 columns. */
const mostCounts = 1_600

/** The port over statements that run on a pool. What the tables look like is asked once and kept. */
export function createConnection(
  runner: StatementRunner,
  schema: string,
  concurrency: number,
  closePool: () => Promise<void>,
): Connection {
  const tables = new Map<string, Table>()

  async function all(sql: string, parameters: readonly unknown[], run: Partial<Run>): Promise<Row[]> {
    const rows: Row[] = []
    const how = { firstRows: firstRowsUnknown, parserOf: valueParserOfResult, doing: 'asking for its tables', ...run }
    for await (const batch of runner.rows({ sql, parameters }, how)) rows.push(...batch)
    return rows
  }

  async function refreshedTable(collection: string, options: CallOptions): Promise<Table> {
    const [found] = await all(tableQuery, [schema, collection], options)
    if (!found) {
      tables.delete(collection)
      throw missingCollectionFailure(collection, schema)
    }
    const table = liveTable(schema, catalogueRow(found))
    tables.set(collection, table)
    return table
  }

  /** The table with every column that is asked for, and those that it points to, where what they hold is asked for. */
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

  /** A name that is missing may just have been added. */
  async function wholeTable(read: Asked, options: CallOptions): Promise<Table> {
    const known = tables.get(read.collection)
    if (known && missingColumns(read, known).length === 0) return known
    const table = await refreshedTable(read.collection, options)
    const missing = missingColumns(read, table)
    if (missing.length > 0) throw missingColumnFailure(read.collection, missing)
    return table
  }

  /** The server refused a statement: when a table or column has gone since it was looked at, it is named. */
  async function explained(error: unknown, asked: readonly Asked[], options: CallOptions): Promise<unknown> {
    const { cause } = error as PrivacyError
    const state = (cause as { code?: unknown } | undefined)?.code
    if (state !== '42P01' && state !== '42703') return error
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
    const compiled = compileCount(counts, (counted) => live.get(counted)!, postgresDialect)
    const result = counts.map(() => 0)
    if (!compiled) return result
    const { sql, parameters } = withEncodedKeys(compiled.statement)
    const names = new Set(counts.map(({ collection }) => `"${collection}"`))
    try {
      const [row] = await all(sql, parameters, { ...options, doing: `counting ${[...names].join(', ')}` })
      for (const [at, position] of compiled.positions.entries()) result[position] = Number(row![at])
    } catch (error) {
      throw await explained(error, counts, options)
    }
    return result
  }

  /** The table, and the columns that its foreign key points to. */
  async function referencingTable({ collection, group, references }: CountEach, options: CallOptions) {
    const other = references && (await tableFor({ ...references, anyOf: [] }, options))
    const to = references?.columns.map((name) => other!.columns.get(name)!)
    return { table: await tableFor({ collection, anyOf: [group] }, options), ...(to && { to }) }
  }

  return {
    concurrency,
    async ping(options = {}) {
      await all('select 1', [], { ...options, doing: 'being asked for a sign of life' })
    },
    async describe(options = {}) {
      const rows: CatalogueRow[] = (await all(schemaQuery, [schema], options)).map(catalogueRow)
      if (rows.length === 0) {
        const [access] = await all(schemaAccessQuery, [schema], options)
        if (access?.[0] !== true) throw schemaFailure(schema, access !== undefined)
      }
      tables.clear()
      for (const row of rows) tables.set(row.name, liveTable(schema, row))
      return catalogueOf(schema, rows)
    },
    async *read(read, options = {}) {
      if (options.signal?.aborted) throw cancelledFailure(options.signal.reason)
      const table = await tableFor(read, options)
      const statement = compileRead(read, table, postgresDialect)
      if (!statement) return
      const columns = read.columns.map((name) => table.columns.get(name)!)
      try {
        yield* runner.rows(withEncodedKeys(statement), {
          ...options,
          doing: `reading "${read.collection}"`,
          firstRows: read.spelled ? firstRowsUnknown : firstRowsOf(columns),
          parserOf: (type, index) => valueParser(type, columns[index]?.array ?? false),
        })
      } catch (error) {
        throw await explained(error, [read], options)
      }
    },
    async count(counts, options = {}) {
      if (options.signal?.aborted) throw cancelledFailure(options.signal.reason)
      const result: number[] = []
      for (let from = 0; from < counts.length; from += mostCounts) {
        result.push(...(await countTogether(counts.slice(from, from + mostCounts), options)))
      }
      return result
    },
    async countEach(asked, options = {}) {
      const { collection, group } = asked
      const counts = new Array<number>(group.values[0]?.length ?? 0).fill(0)
      const { table, to } = await referencingTable(asked, options)
      const compiled = compileCountEach(group, table, postgresDialect, to)
      if (!compiled) return counts
      const doing = `counting "${collection}"`
      const statements = [everyRow, withEncodedKeys(compiled.statement)]
      try {
        const [, counted] = await runner.transact({ statements }, { ...options, doing })
        for (const [position, count] of counted!.rows) counts[compiled.positions[Number(position)]!] = Number(count)
      } catch (error) {
        throw await explained(countingFailure(error, collection, doing), [{ collection, anyOf: [group] }], options)
      }
      return counts
    },
    async erase(erase, { rollBack = false } = {}) {
      const named = { collection: erase.collection, anyOf: erase.anyOf, columns: columnsOfErase(erase) }
      const doing = `writing to "${erase.collection}"`
      const table = await tableFor(named, {})
      const { holders, statements, failureOf } = compileErase(erase, table, postgresDialect)
      const batch = [...(holders ? [holders] : []), ...statements].map(withEncodedKeys)
      const held = await unchangedRows(erase, (asked) => tableFor(asked, {}))
      const first = await countedFirst(erase, table, held, (count) => referencingTable(count, {}))
      if (batch.length === 0 && !first) return
      const before = first ? [] : held
      const after = sameReferences(erase, table)
      const check = (results: readonly StatementResult[]) => {
        const [first, ...others] = results.slice(before.length, results.length - after.length)
        return failureOf(
          Number(first!.rows[0]![0]),
          others.reduce((sum, { affected }) => sum + affected, 0),
        )
      }
      const transaction = {
        statements: [...before, ...batch, ...after],
        rollBack,
        ...(first && { first }),
        ...(after.length > 0 && { readsCommitted: true }),
        ...(holders && { check }),
      }
      try {
        await repeatedOnConflict(
          () => runner.transact(transaction, { doing }),
          (error) => (error as { code?: unknown }).code,
        )
      } catch (error) {
        const rule = await refusingRule(error, (sql, parameters) => all(sql, parameters, {}))
        const referencing = (erase.pointers ?? []).map(({ count: { collection, group } }) => ({
          collection,
          anyOf: [group],
        }))
        const failure = hiddenFailure(error, referencing) ?? writingFailure(error, erase.collection, rule)
        const others = (erase.unchanged ?? []).map(({ collection, group }) => ({ collection, anyOf: [group] }))
        throw await explained(failure, [named, ...referencing, ...others], {})
      }
    },
    async close() {
      await Promise.all([runner.close(), closePool()])
    },
  }
}

function valueParserOfResult(type: number): ReturnType<typeof valueParser> {
  return valueParser(type, false)
}

/** Many where every column is short by its type, so that what is small comes in one round trip. */
function firstRowsOf(columns: readonly LiveColumn[]): number {
  let width = 16
  for (const column of columns) {
    if (column.width === undefined) return firstRowsUnknown
    width += column.width
  }
  return Math.max(firstRowsUnknown, Math.ceil(firstBytes / width))
}
