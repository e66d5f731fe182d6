import { randomBytes } from 'node:crypto'
import { createPrivacyService, type PrivacyService } from '@habeas/core'
import { type Db, type Document, MongoClient } from 'mongodb'
import { afterAll, afterEach, beforeEach } from 'vitest'
import { mongodbConnector } from '../src/index.js'
import { serverUrl } from './server-url.js'

export const key = { name: '_id', service_meta: { primary_key: true } }

/** A field that names the owner of its document. */
export const owner = (name: string) => ({
  name,
  service_meta: { references: [{ dataset: 'm', field: 'users._id', direction: 'from' }] },
})

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
      await world.privacy.connections.attachDataset('m', dataset as never)
    },
    async erased(email: string) {
      const { requests } = world.privacy
      const { id } = await requests.submit({ policyKey: 'default_erasure_policy', identities: [{ email }] })
      return requests.settled(id)
    },
  }
}
