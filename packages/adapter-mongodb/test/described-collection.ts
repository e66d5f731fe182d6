import { BSON, type Db, type Document } from 'mongodb'
import { type LiveCollection, liveCollections } from '../src/live-collections.js'

/** A collection of a database that is made up. */
interface Stored {
  readonly info: Document
  readonly documents?: readonly Document[]
  readonly indexes?: readonly Document[]
  readonly count?: number
}

/** Documents as bytes, as they are asked for. */
async function* stream(documents: readonly Document[]): AsyncGenerator<Uint8Array> {
  yield* documents.map((document) => BSON.serialize(document))
}

/** Answers what is asked of a database while it is described. A view has no indexes and no count. */
export function databaseOf(collections: readonly Stored[]): Db {
  const listed = (documents: readonly Document[] = []) => ({
    toArray: async () => documents,
    sort: () => stream(documents.slice(0, 1)),
    [Symbol.asyncIterator]: () => stream(documents),
  })
  return {
    listCollections: () => ({ toArray: async () => collections.map(({ info }) => info) }),
    collection(name: string) {
      const { documents, indexes, count } = collections.find(({ info }) => info['name'] === name) ?? {}
      const stored = <Result>(result: Result | undefined) => {
        if (result === undefined) throw new Error(`${name} is not stored`)
        return result
      }
      return {
        find: () => listed(documents),
        aggregate: () => listed(documents),
        indexes: async () => stored(indexes),
        estimatedDocumentCount: async () => stored(count),
      }
    },
  } as unknown as Db
}

export const describeOptions = { sampleSize: 3, maxTimeMS: 1_000, own: 'habeas_fences', sharded: false }
export const onId = { key: { _id: 1 }, name: '_id_' }

/** The only collection of a database, as it is described. */
export async function described(
  stored: Partial<Stored>,
  more: Partial<typeof describeOptions> = {},
): Promise<LiveCollection> {
  const info = { name: 'people', type: 'collection', ...stored.info }
  const database = databaseOf([{ indexes: [onId], count: 1, ...stored, info }])
  const [live] = await liveCollections(database, { ...describeOptions, ...more })
  return live as LiveCollection
}
