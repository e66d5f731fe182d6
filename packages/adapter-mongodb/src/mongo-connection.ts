import { setMaxListeners } from 'node:events'
import {
  type Connection,
  type CountEach,
  type CountRows,
  type Erase,
  type EraseOptions,
  isPrivacyError,
} from '@habeas/core'
import type { ClientSession, Db, Document } from 'mongodb'
import { checkHoldsCollections } from './check-holds-collections.js'
import type { ClientSettings } from './client-settings.js'
import { type Call, connectionCalls } from './connection-calls.js'
import { failure } from './connection-failure.js'
import { countedEach, countedRows } from './counted-rows.js'
import { type EraseContext, Meanwhile } from './erase-batch.js'
import { eraseAlone, eraseTogether } from './erasing.js'
import { type FenceDocument, fences } from './fences.js'
import { type Asked, knownCollections } from './known-collections.js'
import { catalogueOf, type LiveCollection } from './live-collections.js'
import { closedFailure, unwritableFailure, writingFailure } from './mongo-failures.js'
import { createMongoServer } from './mongo-server.js'
import type { MongodbSettings } from './mongodb-settings.js'
import { readRows } from './read-rows.js'
import { documentBatches, type Find } from './row-stream.js'
import { untilAborted } from './until-aborted.js'
import { withinTime } from './within-time.js'

/** The port over the driver. */
export function createMongoConnection(settingsOf: () => ClientSettings, settings: MongodbSettings): Connection {
  const server = createMongoServer(settingsOf, settings)
  const closing = new AbortController()
  setMaxListeners(0, closing.signal)
  const maxTimeMS = Math.ceil(settings.statementTimeoutSeconds * 1_000)
  const writeTimeoutMs = Math.ceil(settings.writeTimeoutSeconds * 1_000)
  const patienceMs = Math.ceil(settings.lockTimeoutSeconds * 1_000)
  const { begun, call } = connectionCalls(server, closing.signal)
  const known = knownCollections(server.traits, settings, maxTimeMS)
  const writing = new Set<Promise<unknown>>()

  const fencesOf = (db: Db) => fences(db.collection<FenceDocument>(settings.fenceCollection), writeTimeoutMs)

  const finder = (live: LiveCollection, { db, signal }: Call, session?: ClientSession, expected?: number): Find =>
    async function* find(filter, columns, exactly) {
      const read = { collection: live.catalogue.name, filter, columns, maxTimeMS, expected, exactly }
      const options = { signal, session, keepsTypes: expected !== undefined }
      for await (const batch of documentBatches(db, read, options)) yield* batch
    }

  async function countOf({ catalogue, collation }: LiveCollection, filter: Document, { db, signal }: Call) {
    // a view takes no other collation than its own
    const exactly = collation && !catalogue.view ? { collation: { locale: 'simple' } } : {}
    const stages = [{ $match: filter }, { $count: 'rows' }]
    const counting = db.collection(catalogue.name).aggregate(stages, { maxTimeMS, signal, ...exactly })
    const [counted] = await counting.toArray()
    return Number(counted?.['rows'] ?? 0)
  }

  async function eraseBatch(erase: Erase, options: EraseOptions, use: Call): Promise<void> {
    const { client, db, signal } = use
    const within = <Result>(asking: Promise<Result>) =>
      untilAborted(withinTime(asking, options.fence?.leftMs?.()), signal)
    const live = new Map<string, LiveCollection>()
    for (const asked of askedOfErase(erase)) live.set(asked.collection, await within(known.live(asked, use)))
    const { unwritable, indexNames } = live.get(erase.collection) as LiveCollection
    if (unwritable !== undefined) throw unwritableFailure(unwritable)
    const context: EraseContext = {
      ...{ db, signal, maxTimeMS },
      live: (name) => live.get(name) as LiveCollection,
      find: (name, session) => finder(live.get(name) as LiveCollection, use, session, (erase.keys[0]?.length ?? 0) + 1),
    }
    const { standsAlone } = await within(server.traits())
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
      call('being asked for a sign of life', options, async ({ db, signal }) => {
        await db.command({ ping: 1 })
        await checkHoldsCollections(db, { maxTimeMS, own: settings.fenceCollection, signal })
      }),
    describe: (options = {}) =>
      call('asking for its collections', options, async (use) => catalogueOf(await known.describe(use))),
    async *read(read, options = {}) {
      const { open, checkPrimary, failed, signal } = begun(`reading "${read.collection}"`, options)
      const asked = { collection: read.collection, columns: read.columns, groups: read.anyOf }
      try {
        const use = open()
        const live = await untilAborted(known.live(asked, use), signal)
        yield* readRows(read, live, use, maxTimeMS)
        await checkPrimary()
      } catch (error) {
        throw failed(error)
      }
    },
    count(counts, options = {}) {
      const names = [...new Set(counts.map(({ collection }) => `"${collection}"`))]
      return call(`counting ${names.join(', ')}`, options, async (use) => {
        const all: (readonly [CountRows, LiveCollection])[] = []
        for (const asked of counts) all.push([asked, await known.live(askedOfRows(asked), use)])
        return Promise.all(
          all.map(([asked, live]) => {
            const ask = { find: finder(live, use), count: (filter: Document) => countOf(live, filter, use) }
            return countedRows(asked, live, ask)
          }),
        )
      })
    },
    countEach: (asked, options = {}) =>
      call(`counting "${asked.collection}"`, options, async (use) => {
        const live = await known.live(askedOfCount(asked), use)
        return countedEach(asked, live, finder(live, use))
      }),
    async erase(erase, options = {}) {
      const { open, failed } = begun(`writing to "${erase.collection}"`, {})
      if (closing.signal.aborted) throw closedFailure()
      let work: Promise<void> | undefined
      try {
        work = eraseBatch(erase, options, open())
        writing.add(work)
        await work
      } catch (error) {
        throw failed(isPrivacyError(error) ? error : writingFailure(error, erase.collection, []))
      } finally {
        if (work !== undefined) writing.delete(work)
      }
    },
    endWrites: (lock, options = {}) =>
      call('waiting for an earlier worker', options, async ({ db, signal }) => {
        const { standsAlone } = await server.traits()
        if (!standsAlone) await fencesOf(db).end(lock, signal)
      }),
    async close() {
      closing.abort(closedFailure())
      // a transaction takes itself back before its socket goes
      await Promise.allSettled(writing)
      await server.close()
    },
  }
}

const askedOfCount = ({ collection, group }: CountEach): Asked => ({ collection, groups: [group] })

const askedOfRows = ({ collection, anyOf, noneOf = [], empty = [] }: CountRows): Asked => ({
  collection,
  columns: empty.map(({ path }) => path[0] as string),
  groups: [...anyOf, ...noneOf],
})

function askedOfErase({ collection, key, set, anyOf: groups, pointers = [], unchanged = [] }: Erase): Asked[] {
  const columns = [...key, ...(set === 'delete' ? [] : set.map(({ column }) => column))]
  return [
    { collection, columns, groups },
    ...pointers.map(({ count }) => askedOfCount(count)),
    ...unchanged.map((held) => ({ collection: held.collection, groups: [held.group] })),
  ]
}

function changingFailure(collection: string) {
  return failure(
    'other',
    `Others kept writing documents of "${collection}" while they were erased: try again in a moment.`,
    undefined,
    'transient',
  )
}
