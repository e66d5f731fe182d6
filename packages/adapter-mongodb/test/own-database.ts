import { randomBytes } from 'node:crypto'
import { createPrivacyService, type PrivacyService } from '@habeas/core'
import { BSON, type Db, type Document, MongoClient } from 'mongodb'
import { afterAll, afterEach, beforeEach } from 'vitest'
import { mongodbConnector } from '../src/index.js'
import { serverUrl } from './server-url.js'

export const key = { name: '_id', service_meta: { primary_key: true } }

/** A field that names the owner of its document. */
export const owner = (name: string) => ({
  name,
  service_meta: { references: [{ dataset: 'm', field: 'users._id', direction: 'from' }] },
})

export const ann = 'ann@example.com'
/** The collection of the two people. */
export const users = { name: 'users', fields: [key, { name: 'email', service_meta: { identity: 'email' } }] }
export const people = [
  { _id: 1, email: ann },
  { _id: 2, email: 'bob@example.com' },
]

/** A document as `stored` tells it. */
export const bytes = (document: Document): string => Buffer.from(BSON.serialize(document)).toString('latin1')

/** An empty database and a service with a dataset `m` for each test. */
export function ownDatabase() {
  const client = new MongoClient(serverUrl(), { writeConcern: { w: 'majority' } })
  const world = {} as { db: Db; privacy: PrivacyService }
  beforeEach(() => {
    world.db = client.db(`habeas_${randomBytes(6).toString('hex')}`)
    world.privacy = createPrivacyService({
      execution: { retryMinutes: 0 },
      encryptionKey: randomBytes(32).toString('base64'),
      connectors: [mongodbConnector()],
    })
  })
  afterEach(async () => {
    await world.privacy.close()
    await world.db.dropDatabase()
  })
  afterAll(() => client.close())
  return {
    of: world,
    async connected(documents: Readonly<Record<string, readonly object[]>>) {
      for (const [name, all] of Object.entries(documents)) {
        await world.db.collection(name).insertMany(all.map((each): Document => ({ ...each })))
      }
      await world.privacy.connections.put({ key: 'm', connectionType: 'mongodb', access: 'write' })
      await world.privacy.connections.setSecrets('m', { url: serverUrl(), database: world.db.databaseName })
    },
    /** Describes collections, of which all is personal. */
    async attached(...collections: readonly object[]) {
      const dataset = { service_key: 'm', data_categories: ['user'], collections }
      return world.privacy.connections.attachDataset('m', dataset as never)
    },
    /** Documents as bytes: the driver would make an object of a class of a DBRef. */
    async stored(name: string): Promise<string[]> {
      const all = await world.db.collection(name).find({}, { raw: true }).sort({ _id: 1 }).toArray()
      return all.map((each) => Buffer.from(each as unknown as Uint8Array).toString('latin1'))
    },
    async erased(email: string) {
      const { requests } = world.privacy
      const { id } = await requests.submit({ policyKey: 'default_erasure_policy', identities: [{ email }] })
      return requests.settled(id)
    },
  }
}
