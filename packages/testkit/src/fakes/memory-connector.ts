import assert from 'node:assert/strict'
import {
  type CallOptions,
  type Connection,
  type Connector,
  type ConnectorCapabilities,
  PrivacyError,
  type Read,
  type Row,
  type Value,
} from '@habeas/core'
import { type CallControl, type ControlledCall, callControl, type MemoryCall } from './call-control.js'
import {
  describeDatabase,
  hasColumn,
  type MemoryCollection,
  type MemoryDatabase,
  type MemoryRow,
} from './memory-database.js'
import { type MemorySecrets, parseMemorySecrets } from './memory-secrets.js'
import { rowMatcher } from './row-matcher.js'

export interface MemoryConnectorOptions {
  /** Default: `postgres`. */
  readonly type?: Connector['type']
  /** What every connection serves, whatever its secrets say. */
  readonly database?: MemoryDatabase
  /** Instead of `database`: what a connection serves whose secrets name it (`database`, `dbname` or the path of `url`). */
  readonly databases?: Readonly<Record<string, MemoryDatabase>>
  /** Rows a batch. Default: 2, so that everything comes in several batches. */
  readonly batchSize?: number
  /** Default: 4. */
  readonly concurrency?: number
  /** Compares forgivingly (case, blanks, text against numbers) and so gives more rows than asked. Default: false. */
  readonly loose?: boolean
  /** Default: 1,000 keys a read, nested fields for the type `mongodb` only. A read beyond them fails the test. */
  readonly capabilities?: Partial<ConnectorCapabilities>
}

/** A connector over plain objects that records its calls and fails or waits when a test says so. */
export interface MemoryConnector extends Connector, CallControl {
  /** The `database` option itself: what a test changes here, the next read sees. */
  readonly database: MemoryDatabase
  /** Reads that have begun and have neither ended nor been stopped. */
  readonly openReads: number
  /** The most reads that were open at the same time. */
  readonly mostOpenReads: number
  readonly openConnections: number
}

const failed = (message: string, reason: string): PrivacyError =>
  new PrivacyError('connection_failed', message, { reason })

/** Plain data, copied, so that a caller that changes a row does not change the database. */
const copyOf = (value: Value): Value => {
  if (Array.isArray(value)) return value.map(copyOf)
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copyOf(member)]))
}

const rowOf = (columns: readonly string[], row: MemoryRow, { schemaless }: MemoryCollection): Row =>
  columns.map((column) => {
    const value = row[column]
    if (value === undefined) return schemaless === true ? undefined : null
    return copyOf(value)
  })

const recorded = <Asked extends MemoryCall['read'] & object>(read: Asked): Asked => ({
  ...read,
  anyOf: read.anyOf.map((group) => ({ ...group, values: group.values.map((column) => [...column]) })),
})

const databaseOf = (options: MemoryConnectorOptions, { database: name }: MemorySecrets): MemoryDatabase => {
  if (options.database !== undefined) return options.database
  const database = name === undefined ? undefined : options.databases?.[name]
  if (database === undefined) throw failed('No such database: check its name in the secrets', 'missing_database')
  return database
}

/** Databases in memory behind the connector port, for tests of whatever reads through it. */
export const memoryConnector = (options: MemoryConnectorOptions): MemoryConnector => {
  const { type = 'postgres', batchSize = 2, concurrency = 4, loose = false } = options
  const capabilities = { maxKeys: 1_000, nestedFields: type === 'mongodb', ...options.capabilities }
  const control = callControl()
  let openReads = 0
  let mostOpenReads = 0
  let openConnections = 0

  const countRead = (): (() => void) => {
    openReads += 1
    mostOpenReads = Math.max(mostOpenReads, openReads)
    let open = true
    return () => {
      if (open) openReads -= 1
      open = false
    }
  }

  const checkRead = ({ anyOf }: Pick<Read, 'anyOf'>): void => {
    const keys = anyOf.reduce((sum, { values }) => sum + (values[0]?.length ?? 0), 0)
    assert.ok(keys <= capabilities.maxKeys, `a read carries at most ${capabilities.maxKeys} keys, not ${keys}`)
    const nested = anyOf.some(({ fields, when = [] }) => [...fields, ...when].some(({ path }) => path.length > 1))
    assert.ok(capabilities.nestedFields || !nested, `${type} has no nested fields to read by`)
  }

  const collectionOf = (database: MemoryDatabase, read: MemoryCall['read'] & object): MemoryCollection => {
    checkRead(read)
    const collection = Object.hasOwn(database, read.collection) ? database[read.collection] : undefined
    if (collection === undefined) throw failed(`There is no collection ${read.collection}`, 'missing_collection')
    const keyColumns = read.anyOf.flatMap(({ fields, when = [] }) => [...fields, ...when].map(({ path }) => path[0]!))
    const missing = [...(read.columns ?? []), ...keyColumns].find((column) => !hasColumn(collection, column))
    if (missing === undefined) return collection
    throw failed(`The collection ${read.collection} has no column ${missing}`, 'missing_column')
  }

  const connectionTo = (secrets: MemorySecrets): Connection => {
    const closing = new AbortController()

    const begin = (call: MemoryCall, { signal }: CallOptions = {}): ControlledCall & { signal: AbortSignal } => {
      const either = signal === undefined ? closing.signal : AbortSignal.any([signal, closing.signal])
      return { ...control.begin(call, either), signal: either }
    }

    const matching = (read: MemoryCall['read'] & object) => {
      const collection = collectionOf(databaseOf(options, secrets), read)
      return { collection, rows: collection.rows.filter(rowMatcher(read.anyOf, loose)) }
    }

    return {
      concurrency,
      async ping(callOptions) {
        await begin({ operation: 'ping' }, callOptions).step()
        databaseOf(options, secrets)
      },
      async describe(callOptions) {
        await begin({ operation: 'describe' }, callOptions).step()
        return describeDatabase(databaseOf(options, secrets))
      },
      async *read(read, callOptions) {
        const call = begin({ operation: 'read', read: recorded(read) }, callOptions)
        const release = countRead()
        // Also when whoever reads never asks again.
        call.signal.addEventListener('abort', release)
        try {
          await call.step()
          const { collection, rows } = matching(read)
          for (let start = 0; start < rows.length; start += batchSize) {
            yield rows.slice(start, start + batchSize).map((row) => rowOf(read.columns, row, collection))
            await call.step()
          }
        } finally {
          call.signal.removeEventListener('abort', release)
          release()
        }
      },
      async count(read, callOptions) {
        await begin({ operation: 'count', read: recorded(read) }, callOptions).step()
        return matching(read).rows.length
      },
      async close() {
        if (closing.signal.aborted) return
        control.calls.push({ operation: 'close' })
        openConnections -= 1
        closing.abort(failed('The connection was closed', 'closed'))
      },
    }
  }

  return {
    type,
    category: 'database',
    capabilities,
    calls: control.calls,
    failNext: control.failNext,
    hold: control.hold,
    database: options.database ?? {},
    get openReads() {
      return openReads
    },
    get mostOpenReads() {
      return mostOpenReads
    },
    get openConnections() {
      return openConnections
    },
    parseSecrets: parseMemorySecrets,
    async connect(secrets) {
      await control.begin({ operation: 'connect' }, new AbortController().signal).step()
      openConnections += 1
      return connectionTo(parseMemorySecrets(secrets))
    },
  }
}
