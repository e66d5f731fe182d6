import assert from 'node:assert/strict'
import {
  type CallOptions,
  type Connection,
  type Connector,
  type ConnectorCapabilities,
  type CountEach,
  type CountRows,
  type Erase,
  type Estimate,
  type Estimated,
  emptyMatcher,
  type KeyGroup,
  PrivacyError,
  type Read,
} from '@habeas/core'
import { type CallControl, type ControlledCall, callControl, type MemoryCall } from './call-control.js'
import { checkKeyLists } from './check-key-lists.js'
import { countedRows } from './counted-rows.js'
import { keySpeller } from './key-speller.js'
import { describeDatabase, hasColumn, type MemoryCollection, type MemoryDatabase } from './memory-database.js'
import type { MemoryRule, UnenforcedRules } from './memory-draft.js'
import { eraseRowByRow, preparedErase } from './memory-erase.js'
import { memoryFences } from './memory-fences.js'
import { type MemorySecrets, parseMemorySecrets } from './memory-secrets.js'
import { recordedCount, recordedEach, recordedErase, recordedRead } from './recorded-calls.js'
import { rowGiver } from './row-giver.js'
import { rowMatcher } from './row-matcher.js'
import { rowsWithin } from './rows-within.js'

export interface MemoryConnectorOptions {
  /** Default: `postgres`. */
  readonly type?: Connector['type']
  /** The database that every connection serves, whatever its secrets. */
  readonly database?: MemoryDatabase
  /** Instead of `database`: databases by name. Secrets name one of them (`database`, `dbname` or the path of `url`). */
  readonly databases?: Readonly<Record<string, MemoryDatabase>>
  /** Rows per batch. Default: 2, so that everything comes in several batches. */
  readonly batchSize?: number
  /** Default: 4. */
  readonly concurrency?: number
  /**
   * Compares loosely (case, blanks, text against numbers) and so gives more rows than asked. Foreign keys still lead to
   * exactly the keys they name, unless they are `loose`. Default: false.
   */
  readonly loose?: boolean
  /** What a statement is billed. Default: nothing is, so that there is no `estimate`. */
  readonly estimate?: (estimated: Estimated) => Estimate
  /** False for a connector that only reads. Default: true. */
  readonly erases?: boolean
  /** Rules that are described, and that `erase` does not enforce. Foreign keys do not cascade then. Default: none. */
  readonly unenforced?: readonly MemoryRule[]
  /** With the capability `transactions: false`: called before each row of a batch, and after the last one. */
  readonly betweenRows?: () => Promise<void>
  /** Default: 1,000 keys per read, 1,000 rows per erase, nested fields for `mongodb` only. Exceeding one fails the test. */
  readonly capabilities?: Partial<ConnectorCapabilities>
}

/** A connector over plain objects that records its calls and fails or waits when a test says so. */
export interface MemoryConnector extends Connector, CallControl {
  /** The `database` option itself: changes by a test are visible to the next read. */
  readonly database: MemoryDatabase
  /** Reads that have begun and have neither ended nor been stopped. */
  readonly openReads: number
  /** The most reads that were open at the same time. */
  readonly mostOpenReads: number
  readonly openConnections: number
}

const noTransactions = new PrivacyError('unsupported', 'There are no transactions here to roll back', {
  feature: 'transactions',
})

const failed = (message: string, reason: string): PrivacyError =>
  new PrivacyError('connection_failed', message, { reason })

/** The columns of a collection that a call names, besides those that it reads or writes. */
type Asked = Pick<CountRows, 'collection' | 'anyOf' | 'noneOf' | 'empty'>

const fieldsOf = (groups: readonly KeyGroup[]) => groups.flatMap(({ fields, when = [] }) => [...fields, ...when])

const countedGroup = ({ collection, group }: CountEach): Asked => ({ collection, anyOf: [group] })

const databaseOf = (options: MemoryConnectorOptions, { database: name }: MemorySecrets): MemoryDatabase => {
  if (options.database !== undefined) return options.database
  const database = name === undefined ? undefined : options.databases?.[name]
  if (database === undefined) throw failed('No such database: check its name in the secrets', 'missing_database')
  return database
}

/** Databases in memory behind the connector port, for tests of code that reads through it. */
export const memoryConnector = (options: MemoryConnectorOptions): MemoryConnector => {
  const { type = 'postgres', batchSize = 2, concurrency = 4, loose = false, erases = true } = options
  const capabilities: ConnectorCapabilities = {
    maxKeys: 1_000,
    nestedFields: type === 'mongodb',
    ...(erases && { maxErased: 1_000, fencing: true }),
    ...options.capabilities,
  }
  const { transactions = true } = capabilities
  const rules: UnenforcedRules = [
    ...(options.unenforced ?? []),
    ...(capabilities.enforcedKeys === false ? (['unique'] as const) : []),
  ]
  const control = callControl()
  const fences = memoryFences()
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

  const checkAsked = ({ anyOf, noneOf = [], empty = [] }: Asked): void => {
    for (const groups of [anyOf, noneOf])
      checkKeyLists(
        groups.map(({ values }) => values),
        capabilities,
      )
    const fields = [...fieldsOf([...anyOf, ...noneOf]), ...empty]
    const nested = fields.some(({ path }) => path.length > 1)
    assert.ok(capabilities.nestedFields || !nested, `${type} has no nested fields to read by`)
  }

  /** The collection with every requested column. */
  const collectionOf = (database: MemoryDatabase, asked: Asked, columns: readonly string[] = []): MemoryCollection => {
    checkAsked(asked)
    const collection = Object.hasOwn(database, asked.collection) ? database[asked.collection] : undefined
    if (collection === undefined) throw failed(`There is no collection ${asked.collection}`, 'missing_collection')
    const fields = [...fieldsOf([...asked.anyOf, ...(asked.noneOf ?? [])]), ...(asked.empty ?? [])]
    const keyColumns = fields.map(({ path }) => path[0]!)
    const missing = [...columns, ...keyColumns].find((column) => !hasColumn(collection, column))
    if (missing === undefined) return collection
    throw failed(`The collection ${asked.collection} has no column ${missing}`, 'missing_column')
  }

  const checkErased = ({ keys }: Erase): void => {
    const most = capabilities.maxErased ?? 0
    const rows = keys[0]?.length ?? 0
    assert.ok(rows <= most, `an erase names at most ${most} rows, not ${rows}`)
    checkKeyLists([keys], capabilities)
  }

  const connectionTo = (secrets: MemorySecrets): Connection => {
    const closing = new AbortController()

    const begin = (call: MemoryCall, { signal }: CallOptions = {}): ControlledCall & { signal: AbortSignal } => {
      const either = signal === undefined ? closing.signal : AbortSignal.any([signal, closing.signal])
      return { ...control.begin(call, either), signal: either }
    }

    const matching = (read: Read) => {
      const database = databaseOf(options, secrets)
      const spelled = (read.spelled ?? []).flatMap(({ columns }) => columns)
      const collection = collectionOf(database, read, [...read.columns, ...spelled])
      const meets = rowMatcher(read.anyOf, loose, keySpeller(database, read.collection))
      return { database, collection, rows: rowsWithin(collection, read.filter).filter(meets) }
    }

    const counted = (asked: CountRows): number => {
      const database = databaseOf(options, secrets)
      const rows = rowsWithin(collectionOf(database, asked), asked.filter)
      const { anyOf, noneOf = [], empty = [] } = asked
      if (anyOf.length === 0) return 0
      const spell = keySpeller(database, asked.collection)
      const isLeftOut = noneOf.length === 0 ? () => false : rowMatcher(noneOf, loose, spell)
      const conditions = [rowMatcher(anyOf, loose, spell), ...empty.map(emptyMatcher)]
      return rows.filter((row) => !isLeftOut(row) && conditions.every((holds) => holds(row))).length
    }

    const estimate: Connection['estimate'] = (estimated, callOptions) => {
      const { step } = begin({ operation: 'estimate', estimated }, callOptions)
      return step().then(() => options.estimate!(estimated))
    }

    const writing: Pick<Connection, 'erase' | 'countEach' | 'endWrites'> = {
      async erase(erase, { rollBack = false, fence } = {}) {
        const call = begin({ operation: 'erase', erase: recordedErase(erase), ...(rollBack && { rollBack }) })
        await call.step()
        checkErased(erase)
        const database = databaseOf(options, secrets)
        const set = erase.set === 'delete' ? [] : erase.set.map(({ column }) => column)
        collectionOf(database, erase, [...erase.key, ...set])
        for (const { count } of erase.pointers ?? []) collectionOf(database, countedGroup(count))
        for (const held of erase.unchanged ?? []) collectionOf(database, countedGroup(held))
        if (rollBack && !transactions) throw noTransactions
        const write = preparedErase(database, erase, rules)
        if (rollBack) return
        if (fence) await fences.confirmed(fence, call.signal)
        // Others may have written meanwhile.
        if (!fence && transactions) write()
        else if (transactions) preparedErase(database, erase, rules)()
        else await eraseRowByRow(database, erase, rules, options.betweenRows)
        await call.written()
      },
      ...(capabilities.fencing && {
        async endWrites(lock, callOptions) {
          await begin({ operation: 'endWrites', lock }, callOptions).step()
          fences.end(lock)
        },
      }),
      async countEach(asked, callOptions) {
        await begin({ operation: 'countEach', countEach: recordedEach(asked) }, callOptions).step()
        const database = databaseOf(options, secrets)
        collectionOf(database, countedGroup(asked))
        return countedRows(database, asked)
      },
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
        const call = begin({ operation: 'read', read: recordedRead(read) }, callOptions)
        const release = countRead()
        // Also when the reader never asks again.
        call.signal.addEventListener('abort', release)
        try {
          await call.step()
          const { database, collection, rows } = matching(read)
          const give = rowGiver(read, collection, database)
          for (let start = 0; start < rows.length; start += batchSize) {
            yield rows.slice(start, start + batchSize).map(give)
            await call.step()
          }
        } finally {
          call.signal.removeEventListener('abort', release)
          release()
        }
      },
      async count(counts, callOptions) {
        await begin({ operation: 'count', counts: counts.map(recordedCount) }, callOptions).step()
        return counts.map(counted)
      },
      ...(options.estimate && { estimate }),
      ...(erases && writing),
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
