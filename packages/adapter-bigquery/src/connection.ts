import type {
  CallOptions,
  Connection,
  CountEach,
  CountRows,
  Erase,
  EraseOptions,
  PrivacyError,
  Row,
  RowFilter,
} from '@habeas/core'
import {
  type AskedColumns,
  ambiguousFailure,
  batchBytes,
  cancelledFailure,
  changedSinceFailure,
  columnsOfErase,
  compileCount,
  compileCountEach,
  compileRead,
  failure,
  missingColumnFailure,
  repeatedOnConflict,
  type SqlTable,
  sharedSinceFailure,
} from '@habeas/sql'
import type { BigqueryCatalogue } from './catalogue.js'
import { bigqueryDialect } from './dialect.js'
import { dividedRequests, dividedTuples } from './divided-requests.js'
import { billedBytes, scanOf } from './estimate.js'
import { bigqueryFailure, isConflict, missingTable, ownWord, writingFailure } from './failures.js'
import type { FencedJobs } from './fenced-jobs.js'
import { explained, type JobRequest, type JobService } from './job-service.js'
import type { LiveColumn } from './live-column.js'
import { filterCondition } from './partition.js'
import { missingPlaces } from './place.js'
import { parameterNames } from './query-parameters.js'
import { excessOf, tooManyRows } from './request-limits.js'
import { rowDecoder } from './row-values.js'
import { type BatchTables, writeScript } from './write-script.js'

export interface ConnectionParts {
  readonly jobs: JobService
  readonly catalogue: BigqueryCatalogue
  readonly fenced: FencedJobs
  readonly concurrency: number
  readonly dataset: string
  readonly maximumBytesBilled: number | undefined
  ping(signal?: AbortSignal): Promise<void>
}

/** A statement that is too complex is refused. */
const mostCounts = 100

type Table = SqlTable<LiveColumn>
type Asked = { readonly collection: string; readonly filter?: RowFilter } & AskedColumns

/**
 * The port over jobs. Not `createSqlConnection`: that keeps sessions and looks at results between BEGIN and COMMIT. Here a
 * batch is one job with its checks inside, so that a worker that stops leaves no transaction open.
 */
export function bigqueryConnection(parts: ConnectionParts): Connection {
  const { jobs, catalogue, fenced, dataset } = parts
  const tables = new Map<string, Table>()
  async function tableFor(asked: Asked, signal?: AbortSignal): Promise<Table> {
    const table = await liveTable(asked, signal)
    const { filter, collection } = asked
    return filter ? { ...table, within: filterCondition(filter, table.columns, collection) } : table
  }

  /** A name that is missing may just have been added. */
  async function liveTable(asked: Asked, signal?: AbortSignal): Promise<Table> {
    const known = tables.get(asked.collection)
    if (known && missingPlaces(asked, known).length === 0) return known
    const table = await catalogue.table(asked.collection, signal)
    if (!table) {
      tables.delete(asked.collection)
      throw missingTable(asked.collection, dataset)
    }
    tables.set(asked.collection, table)
    const missing = missingPlaces(asked, table)
    if (missing.length > 0) throw missingColumnFailure(asked.collection, missing)
    return table
  }

  /** The service refused a job: when a table or column has gone since it was looked at, it is named. */
  async function named(error: unknown, asked: readonly Asked[]): Promise<unknown> {
    if (!/notFound|invalidQuery/.test(String((error as PrivacyError).cause))) return error
    tables.clear()
    try {
      for (const each of asked) await tableFor(each)
      return error
    } catch (missing) {
      return missing
    }
  }

  async function* rows(request: JobRequest): AsyncGenerator<Row[], void, undefined> {
    try {
      const jobId = await jobs.begin(request)
      for await (const { fields, rows } of jobs.pages(jobId, request)) {
        const decode = rowDecoder(fields)
        let batch: Row[] = []
        let bytes = 0
        for (const raw of rows) {
          batch.push(decode(raw))
          bytes += JSON.stringify(raw).length
          if (bytes < batchBytes) continue
          yield batch
          if (request.signal?.aborted) throw cancelledFailure(request.signal.reason)
          batch = []
          bytes = 0
        }
        if (batch.length > 0) yield batch
      }
    } catch (error) {
      throw bigqueryFailure(error, request.doing)
    }
  }

  async function all(request: JobRequest): Promise<Row[]> {
    const found: Row[] = []
    for await (const batch of rows(request)) found.push(...batch)
    return found
  }

  /** Together in one job where the service takes them at once. */
  async function countTogether(counts: readonly CountRows[], signal?: AbortSignal): Promise<number[]> {
    const live = new Map<CountRows, Table>()
    for (const counted of counts) live.set(counted, await tableFor(counted, signal))
    const collections = [...new Set(counts.map(({ collection }) => `"${collection}"`))].join(', ')
    const doing = `counting ${collections}`
    const compiled = (asked: readonly CountRows[], tableOf: (counted: CountRows) => Table) => {
      const names = parameterNames()
      const found = compileCount(asked, tableOf, bigqueryDialect(names))
      return found && { query: found.statement.sql, parameters: names.all(), positions: found.positions }
    }
    const whole = compiled(counts, (counted) => live.get(counted)!)
    if (whole && excessOf(whole) !== undefined && counts.length > 1) {
      const middle = counts.length >> 1
      const first = await countTogether(counts.slice(0, middle), signal)
      return [...first, ...(await countTogether(counts.slice(middle), signal))]
    }
    const result = counts.map(() => 0)
    const [only] = counts
    const requests =
      only && counts.length === 1
        ? dividedRequests({ anyOf: only.anyOf, table: live.get(only)! }, doing, ({ anyOf, table }) =>
            compiled([{ ...only, anyOf }], () => table),
          )
        : whole
          ? [whole]
          : []
    try {
      for (const { positions, ...request } of requests) {
        const [row] = await all({ ...request, doing, signal })
        for (const [at, position] of positions.entries()) result[position]! += Number(row![at])
      }
    } catch (error) {
      throw await named(error, counts)
    }
    return result
  }

  /** The table, and the columns that its foreign key points to. */
  async function referencingTable({ group, references, ...asked }: CountEach, signal?: AbortSignal) {
    const other = references && (await tableFor({ ...references, anyOf: [] }, signal))
    const to = references?.columns.map((name) => other!.columns.get(name)!)
    return { table: await tableFor({ ...asked, anyOf: [group] }, signal), ...(to && { to }) }
  }

  async function batchTables(erase: Erase): Promise<BatchTables> {
    const { collection, anyOf, filter } = erase
    const own = await tableFor({ collection, anyOf, columns: columnsOfErase(erase), ...(filter && { filter }) })
    const unchanged: Map<NonNullable<Erase['unchanged']>[number], Table> = new Map()
    for (const rows of erase.unchanged ?? []) {
      const { group, rows: _, ...held } = rows
      unchanged.set(rows, await tableFor({ ...held, anyOf: [group] }))
    }
    const pointers = new Map<CountEach, Awaited<ReturnType<typeof referencingTable>>>()
    for (const { count } of erase.pointers ?? []) pointers.set(count, await referencingTable(count))
    return { own, unchanged, pointers }
  }

  return {
    concurrency: parts.concurrency,
    ping: ({ signal } = {}) => explained('being asked for a sign of life', () => parts.ping(signal)),
    async describe({ signal } = {}) {
      tables.clear()
      return catalogue.describe(signal)
    },
    async *read(read, { signal } = {}) {
      if (signal?.aborted) throw cancelledFailure(signal.reason)
      const table = await tableFor(read, signal)
      const doing = `reading "${read.collection}"`
      const requests = dividedRequests({ anyOf: read.anyOf, table }, doing, (part) => {
        const names = parameterNames()
        const statement = compileRead({ ...read, anyOf: part.anyOf }, part.table, bigqueryDialect(names))
        return statement && { query: statement.sql, parameters: names.all() }
      })
      try {
        for (const request of requests) {
          for await (const batch of rows({ ...request, doing, signal })) {
            // the one NULL of a read of no columns is none of the row's values
            yield read.columns.length === 0 ? batch.map(() => []) : batch
          }
        }
      } catch (error) {
        throw await named(error, [read])
      }
    },
    async count(counts, { signal }: CallOptions = {}) {
      if (signal?.aborted) throw cancelledFailure(signal.reason)
      const result: number[] = []
      for (let from = 0; from < counts.length; from += mostCounts) {
        result.push(...(await countTogether(counts.slice(from, from + mostCounts), signal)))
      }
      return result
    },
    async countEach(asked, { signal } = {}) {
      const { collection, group } = asked
      const counts = new Array<number>(group.values[0]?.length ?? 0).fill(0)
      const { table, to } = await referencingTable(asked, signal)
      const doing = `counting "${collection}"`
      const requests = dividedTuples(group, doing, (part) => {
        const names = parameterNames()
        const compiled = compileCountEach(part, table, bigqueryDialect(names), to)
        return compiled && { query: compiled.statement.sql, parameters: names.all(), positions: compiled.positions }
      })
      try {
        for (const { request, from } of requests) {
          const { positions, ...job } = request
          for (const [position, count] of await all({ ...job, doing, signal })) {
            counts[from + positions[Number(position)]!] = Number(count)
          }
        }
      } catch (error) {
        throw await named(error, [{ collection, anyOf: [group] }])
      }
      return counts
    },
    async estimate({ columns, writes, ...asked }, { signal } = {}) {
      const table = await tableFor({ ...asked, columns, anyOf: [] }, signal)
      const processed = async (names: Iterable<string>) => {
        const doing = `being asked what reading "${asked.collection}" costs`
        const request = { ...scanOf(table, names), doing, signal }
        try {
          return Number((await jobs.dryRun(request)).totalBytesProcessed ?? 0)
        } catch (error) {
          throw await named(bigqueryFailure(error, doing), [{ ...asked, columns, anyOf: [] }])
        }
      }
      // a statement that writes is billed for every column of the partitions that it changes, beside those that it names
      const bytes = (await processed(columns)) + (writes ? await processed(table.columns.keys()) : 0)
      return {
        bytes: billedBytes(bytes),
        ...(parts.maximumBytesBilled !== undefined && { most: parts.maximumBytesBilled }),
      }
    },
    async erase(erase, { rollBack = false, fence }: EraseOptions = {}) {
      const script = writeScript(erase, await batchTables(erase), rollBack)
      const excess = excessOf(script)
      if (excess !== undefined) throw tooManyRows(excess, erase)
      const request = { ...script, doing: `writing to "${erase.collection}"` }
      try {
        await repeatedOnConflict({ isConflict, pauseMs: 200 }, async () => {
          if (fence && !rollBack) return fenced.write(request, fence)
          await fence?.confirm()
          await jobs.ended(await jobs.begin(request), request)
        })
      } catch (error) {
        throw await named(raisedFailure(error, erase) ?? writingFailure(error, erase.collection), [erase])
      }
    },
    endWrites: (lock, { signal } = {}) =>
      explained('waiting for an earlier worker', () => fenced.endWrites(lock, signal)),
    close: () => jobs.close(),
  }
}

/** What the script of a batch found wrong. */
function raisedFailure(error: unknown, { collection, key }: Erase): PrivacyError | undefined {
  const raised = ownWord(error)
  switch (raised?.word) {
    case 'ambiguous_rows':
      return ambiguousFailure(collection, key)
    case 'changed_since':
      return changedSinceFailure(collection)
    case 'shared_since':
      return sharedSinceFailure(collection, raised.position, raised.rows)
    case 'changed_meanwhile':
      return failure(
        'other',
        `Others changed rows that say whose those of "${collection}" are, or came to point to them, while these were written. They have been written: look at what refers to them, then retry.`,
      )
    default:
      return undefined
  }
}
