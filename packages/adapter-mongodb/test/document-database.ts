import { randomBytes } from 'node:crypto'
import { BSON, MongoClient } from 'mongodb'
import { mongoProxy } from './mongo-proxy.js'

/** A database of its own behind a proxy that refuses what MongoDB refuses. Documents are extended JSON. */
export interface DocumentDatabase {
  readonly url: string
  readonly name: string
  documents(collection: string): Promise<readonly Readonly<Record<string, unknown>>[]>
  close(): Promise<void>
}

/** Makes a database that holds these documents, by collection. */
export async function documentDatabase(
  url: string,
  documents: Readonly<Record<string, readonly object[]>>,
): Promise<DocumentDatabase> {
  const proxy = await mongoProxy(url)
  const client = new MongoClient(proxy.url, { writeConcern: { w: 'majority', journal: true } })
  const name = `habeas_${randomBytes(6).toString('hex')}`
  const db = client.db(name)
  for (const [collection, all] of Object.entries(documents))
    await db.collection(collection).insertMany(all.map((each) => BSON.EJSON.deserialize(each, { relaxed: false })))
  return {
    url: proxy.url,
    name,
    async documents(collection) {
      const found = await db.collection(collection).find({}, { promoteValues: false }).toArray()
      return found.map((each) => BSON.EJSON.serialize(each, { relaxed: false }))
    },
    async close() {
      await db.dropDatabase()
      await client.close()
      await proxy.close()
    },
  }
}
