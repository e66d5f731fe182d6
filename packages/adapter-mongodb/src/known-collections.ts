import type { KeyGroup } from '@habeas/core'
import type { Call } from './connection-calls.js'
import { columnsOfGroups } from './key-filter.js'
import { type LiveCollection, liveCollection, liveCollections } from './live-collections.js'
import { missingCollectionFailure, missingColumnFailure } from './mongo-failures.js'
import type { ServerTraits } from './mongo-server.js'
import type { MongodbSettings } from './mongodb-settings.js'

/** What a call names of a collection. */
export interface Asked {
  readonly collection: string
  readonly columns?: readonly string[]
  readonly groups: readonly KeyGroup[]
}

/** What the collections look like. It is asked once and kept until `describe` asks again. */
export function knownCollections(traits: () => Promise<ServerTraits>, settings: MongodbSettings, maxTimeMS: number) {
  const known = new Map<string, LiveCollection>()

  async function optionsOf(signal: AbortSignal) {
    const { sharded } = await traits()
    return { sampleSize: settings.sampleSize, maxTimeMS, own: settings.fenceCollection, sharded, signal }
  }

  return {
    async describe({ db, signal }: Call): Promise<readonly LiveCollection[]> {
      const found = await liveCollections(db, await optionsOf(signal))
      known.clear()
      for (const live of found) known.set(live.catalogue.name, live)
      return found
    },

    /** The collection, with every column that is asked for. A name that is missing may just have been added. */
    async live(asked: Asked, { db, signal }: Call): Promise<LiveCollection> {
      const held = known.get(asked.collection)
      if (held && missingColumns(asked, held).length === 0) return held
      const live = await liveCollection(db, asked.collection, await optionsOf(signal))
      if (!live) {
        known.delete(asked.collection)
        throw missingCollectionFailure(asked.collection, db.databaseName)
      }
      known.set(asked.collection, live)
      const missing = missingColumns(asked, live)
      if (missing.length > 0) throw missingColumnFailure(asked.collection, missing)
      return live
    },
  }
}

function missingColumns({ columns = [], groups }: Asked, { closed, catalogue }: LiveCollection): string[] {
  if (!closed) return []
  const named = new Set(catalogue.columns.map(({ name }) => name))
  return [...new Set([...columns, ...columnsOfGroups(groups)])].filter((column) => !named.has(column))
}
