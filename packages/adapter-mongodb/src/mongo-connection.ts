import { setMaxListeners } from 'node:events'
import {
  type CallOptions,
  type Connection,
  type CountEach,
  type Erase,
  type EraseOptions,
  isPrivacyError,
  type KeyGroup,
  type Read,
  type Row,
} from '@habeas/core'
import type { ClientSession, Db, Document } from 'mongodb'
import { columnAt, readValue } from './bson-value.js'
import { checkHoldsCollections } from './check-holds-collections.js'
import type { ClientSettings } from './client-settings.js'
import { failure } from './connection-failure.js'
import { countedEach, countedRows } from './counted-rows.js'
import { documentMatcher } from './document-matcher.js'
import { type EraseContext, Meanwhile } from './erase-batch.js'
import { eraseAlone, eraseTogether } from './erasing.js'
import { type FenceDocument, fences } from './fences.js'
import { columnsOfGroups } from './key-filter.js'
import { catalogueOf, type LiveCollection, liveCollection, liveCollections } from './live-collections.js'
import {
  cancelledFailure,
  closedFailure,
  missingCollectionFailure,
  missingColumnFailure,
  mongoFailure,
  unwritableFailure,
  writingFailure,
} from './mongo-failures.js'
import { createMongoServer, type MongoServer } from './mongo-server.js'
import type { MongodbSettings } from './mongodb-settings.js'
import { foundNoServer } from './network-failure.js'
import { documentBatches, type Find } from './row-stream.js'
import { firstMet, groupsParts } from './split-groups.js'
import { untilAborted } from './until-aborted.js'
import { foundNoAnswer } from './within-time.js'

/** What a call names of a collection. */
interface Asked {
  readonly collection: string
  readonly columns?: readonly string[]
  readonly groups: readonly KeyGroup[]
}

/** The port over the driver. What the collections look like is asked once and kept until `describe` asks again. */
export function createMongoConnection(settingsOf: () => ClientSettings, settings: MongodbSettings): Connection {
  const server = createMongoServer(settingsOf, settings)
  const closing = new AbortController()
  setMaxListeners(0, closing.signal)
  const maxTimeMS = Math.ceil(settings.statementTimeoutSeconds * 1_000)
  const writeTimeoutMs = Math.ceil(settings.writeTimeoutSeconds * 1_000)
  const patienceMs = Math.ceil(settings.lockTimeoutSeconds * 1_000)
  const known = new Map<string, LiveCollection>()
  const writing = new Set<Promise<unknown>>()

  const fencesOf = (db: Db) => fences(db.collection<FenceDocument>(settings.fenceCollection), writeTimeoutMs)
  const signalOf = ({ signal }: CallOptions) => (signal ? AbortSignal.any([signal, closing.signal]) : closing.signal)

  /** Work that ends with its signal, and whose failures say what to mend. */
  async function call<Result>(
    doing: string,
    options: CallOptions,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const signal = signalOf(options)
    const used = server.current()
    try {
      signal.throwIfAborted()
      const result = await untilAborted(work(signal), signal)
      await server.traits()
      return result
    } catch (error) {
      throw failed(error, doing, signal, used)
    }
  }

  function failed(error: unknown, doing: string, signal: AbortSignal, used: MongoServer | undefined): unknown {
    if (foundNoServer(error) || foundNoAnswer(error)) server.retire(used)
    if (closing.signal.aborted && !isPrivacyError(error)) return closedFailure()
    return signal.aborted && !isPrivacyError(error)
      ? cancelledFailure(signal.reason)
      : mongoFailure(error, doing, server.given())
  }

  async function describeOptions(signal: AbortSignal) {
    const { sharded } = await server.traits()
    return { sampleSize: settings.sampleSize, maxTimeMS, own: settings.fenceCollection, sharded, signal }
  }

  /** The collection, with every column that is asked for. A name that is missing may just have been added. */
  async function liveFor(asked: Asked, signal: AbortSignal): Promise<LiveCollection> {
    const held = known.get(asked.collection)
    if (held && missingColumns(asked, held).length === 0) return held
    const { db } = server.open()
    const live = await liveCollection(db, asked.collection, await describeOptions(signal))
    if (!live) {
      known.delete(asked.collection)
      throw missingCollectionFailure(asked.collection, db.databaseName)
    }
    known.set(asked.collection, live)
    const missing = missingColumns(asked, live)
    if (missing.length > 0) throw missingColumnFailure(asked.collection, missing)
    return live
  }

  const finder = (live: LiveCollection, signal: AbortSignal, session?: ClientSession, expected?: number): Find =>
    async function* find(filter, columns, exactly) {
      const read = { collection: live.catalogue.name, filter, columns, maxTimeMS, expected, exactly }
      const options = { signal, session, keepsTypes: expected !== undefined }
      for await (const batch of documentBatches(server.open().db, read, options)) yield* batch
    }

  async function countOf(
    { catalogue, collation }: LiveCollection,
    filter: Document,
    signal: AbortSignal,
  ): Promise<number> {
    // a view takes no other collation than its own
    const exactly = collation && !catalogue.view ? { collation: { locale: 'simple' } } : {}
    const stages = [{ $match: filter }, { $count: 'rows' }]
    const [counted] = await server
      .open()
      .db.collection(catalogue.name)
      .aggregate(stages, { maxTimeMS, signal, ...exactly })
      .toArray()
    return Number(counted?.['rows'] ?? 0)
  }

  const askedOfCount = ({ collection, group }: CountEach): Asked => ({ collection, groups: [group] })

  async function liveForErase(erase: Erase, signal: AbortSignal): Promise<ReadonlyMap<string, LiveCollection>> {
    const { collection, key, set, anyOf: groups, pointers = [], unchanged = [] } = erase
    const columns = [...key, ...(set === 'delete' ? [] : set.map(({ column }) => column))]
    const all = [
      { collection, columns, groups },
      ...pointers.map(({ count }) => askedOfCount(count)),
      ...unchanged.map((held) => ({ collection: held.collection, groups: [held.group] })),
    ]
    const live = new Map<string, LiveCollection>()
    for (const asked of all) live.set(asked.collection, await liveFor(asked, signal))
    return live
  }

  async function eraseBatch(erase: Erase, options: EraseOptions): Promise<void> {
    const live = await liveForErase(erase, closing.signal)
    const { unwritable, indexNames } = live.get(erase.collection) as LiveCollection
    if (unwritable !== undefined) throw unwritableFailure(unwritable)
    const { client, db } = server.open()
    const context: EraseContext = {
      ...{ db, signal: closing.signal, maxTimeMS },
      live: (name) => live.get(name) as LiveCollection,
      find: (name, session) =>
        finder(live.get(name) as LiveCollection, closing.signal, session, (erase.keys[0]?.length ?? 0) + 1),
    }
    const { standsAlone } = await server.traits()
    try {
      if (standsAlone) await eraseAlone(context, erase, { ...options, patienceMs })
      else await eraseTogether(client, context, erase, { ...options, fences: fencesOf(db), writeTimeoutMs, patienceMs })
    } catch (error) {
      if (error instanceof Meanwhile) throw changingFailure(erase.collection)
      throw writingFailure(error, erase.collection, indexNames)
    }
  }

  return {
    concurrency: settings.poolSize,
    lacks: () => (server.known()?.standsAlone ? ['transactions', 'fencing'] : []),
    ping: (options = {}) =>
      call('being asked for a sign of life', options, async (signal) => {
        const { db } = server.open()
        await db.command({ ping: 1 })
        await checkHoldsCollections(db, { maxTimeMS, own: settings.fenceCollection, signal })
      }),
    describe: (options = {}) =>
      call('asking for its collections', options, async (signal) => {
        const found = await liveCollections(server.open().db, await describeOptions(signal))
        known.clear()
        for (const live of found) known.set(live.catalogue.name, live)
        return catalogueOf(found)
      }),
    async *read(read, options = {}) {
      const signal = signalOf(options)
      const doing = `reading "${read.collection}"`
      const asked = { collection: read.collection, columns: read.columns, groups: read.anyOf }
      const live = await call(doing, options, () => liveFor(asked, signal))
      const used = server.current()
      try {
        yield* readRows(read, live, signal)
        await server.traits()
      } catch (error) {
        throw failed(error, doing, signal, used)
      }
    },
    count: (counts, options = {}) =>
      call(
        `counting ${[...new Set(counts.map(({ collection }) => `"${collection}"`))].join(', ')}`,
        options,
        async (signal) => {
          const all: LiveCollection[] = []
          for (const { collection, anyOf, noneOf = [], empty = [] } of counts) {
            all.push(
              await liveFor(
                { collection, columns: empty.map(({ path }) => path[0] as string), groups: [...anyOf, ...noneOf] },
                signal,
              ),
            )
          }
          return Promise.all(
            counts.map((asked, at) => {
              const live = all[at] as LiveCollection
              return countedRows(asked, live, {
                find: finder(live, signal),
                count: (filter) => countOf(live, filter, signal),
              })
            }),
          )
        },
      ),
    countEach: (asked, options = {}) =>
      call(`counting "${asked.collection}"`, options, async (signal) => {
        const live = await liveFor(askedOfCount(asked), signal)
        return countedEach(asked, live, finder(live, signal))
      }),
    async erase(erase, options = {}) {
      const doing = `writing to "${erase.collection}"`
      if (closing.signal.aborted) throw closedFailure()
      const used = server.current()
      const work = eraseBatch(erase, options)
      writing.add(work)
      try {
        await work
      } catch (error) {
        const reason = isPrivacyError(error) ? error : writingFailure(error, erase.collection, [])
        throw failed(reason, doing, closing.signal, used)
      } finally {
        writing.delete(work)
      }
    },
    endWrites: (lock, options = {}) =>
      call('waiting for an earlier worker', options, async (signal) => {
        const { standsAlone } = await server.traits()
        if (standsAlone) return
        const { db } = server.open()
        await fencesOf(db).end(lock, signal)
      }),
    async close() {
      closing.abort(closedFailure())
      // a transaction takes itself back before its socket goes
      await Promise.allSettled(writing)
      await server.close()
    },
  }

  async function* readRows(
    { columns, anyOf, collection }: Read,
    live: LiveCollection,
    signal: AbortSignal,
  ): AsyncGenerator<Row[]> {
    const { db } = server.open()
    const parts = groupsParts(anyOf, live.kindOf)
    const isFirst = firstMet(parts, live.kindOf)
    // what holds a value as a whole is told by its values alone
    const isExact = anyOf.some(({ exact }) => exact)
    const meets = isExact ? documentMatcher(anyOf, live.kindOf) : () => true
    const kinds = columns.map((column) => columnAt(live.catalogue.columns, [column]))
    const needed = isExact || parts.length > 1 ? [...new Set([...columns, ...columnsOfGroups(anyOf)])] : columns
    for (const [at, { filter }] of parts.entries()) {
      const read = { collection, filter, columns: needed, maxTimeMS }
      for await (const batch of documentBatches(db, read, { signal })) {
        const rows = batch
          .filter((document) => meets(document) && isFirst(document, at))
          .map((document) =>
            columns.map((column, at) =>
              Object.hasOwn(document, column) ? readValue(document[column], kinds[at]) : live.closed ? null : undefined,
            ),
          )
        if (rows.length > 0) yield rows
      }
    }
  }
}

function missingColumns({ columns = [], groups }: Asked, { closed, catalogue }: LiveCollection): string[] {
  if (!closed) return []
  const named = new Set(catalogue.columns.map(({ name }) => name))
  return [...new Set([...columns, ...columnsOfGroups(groups)])].filter((column) => !named.has(column))
}

function changingFailure(collection: string) {
  return failure(
    'other',
    `Others kept writing documents of "${collection}" while they were erased: try again in a moment.`,
    undefined,
    'transient',
  )
}
