import { randomBytes } from 'node:crypto'
import { createPrivacyService, type KeyGroup } from '@habeas/core'
import { type Document, MongoClient } from 'mongodb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mongodbConnector } from '../src/index.js'
import { type MongoProxy, mongoProxy } from './mongo-proxy.js'
import { key } from './own-database.js'
import { serverUrl } from './server-url.js'

const email = 'ann@example.com'
const anns: KeyGroup = { fields: [{ path: ['email'] }], values: [[email]] }
const name = `habeas_${randomBytes(6).toString('hex')}`
let proxy: MongoProxy
let client: MongoClient
const stored = (of: string) => client.db(name).collection<Document & { _id: number }>(of)

beforeAll(async () => {
  proxy = await mongoProxy(serverUrl())
  client = new MongoClient(proxy.url, { writeConcern: { w: 'majority', journal: true } })
  const db = client.db(name)
  const own = { _id: 1, email, note: 'hers' }
  await stored('people').insertOne(own)
  await db.createCollection('view', { viewOn: 'people' })
  await db.createCollection('log', { capped: true, size: 4096 })
  await db.createCollection('series', { timeseries: { timeField: 'at' } })
  for (const of of ['log', 'series']) await stored(of).insertOne({ ...own, at: new Date(0) })
})
afterAll(async () => {
  await client.db(name).dropDatabase()
  await client.close()
  await proxy.close()
})

describe.each([
  ['view', 'is a view: erase in the collections that it shows.'],
  ['log', 'is a capped collection'],
  ['series', 'is a time-series collection'],
])('a collection that is not written: %s', (collection, why) => {
  it('is described as such and read, and refuses a batch', async () => {
    const connector = mongodbConnector()
    const connection = await connector.connect(connector.parseSecrets({ url: proxy.url, database: name }))
    try {
      const { collections } = await connection.describe()
      const found = collections.find((each) => each.name === collection)
      expect(found?.view?.writable ?? found?.unwritable).toSatisfy(
        (said) => said === false || String(said).includes(why),
      )
      // the server at hand shows nothing in a view
      const before = await stored(collection).find().toArray()
      if (collection !== 'view') expect(before).toHaveLength(1)
      const notes: unknown[] = []
      for await (const rows of connection.read({ collection, columns: ['note'], anyOf: [anns] })) notes.push(...rows)
      expect(notes).toEqual(before.map(({ note }) => [note]))
      for (const set of [[{ column: 'note', to: null }], 'delete'] as const) {
        const batch = connection.erase?.({ collection, key: ['_id'], keys: [[1]], anyOf: [anns], set })
        await expect(batch).rejects.toThrow(why)
      }
      expect(await stored(collection).find().toArray()).toEqual(before)
    } finally {
      await connection.close()
    }
  })

  it('stops an erasure before it writes anything, and says so', async () => {
    const privacy = createPrivacyService({
      execution: { retryMinutes: 0 },
      encryptionKey: randomBytes(32).toString('base64'),
      connectors: [mongodbConnector()],
    })
    try {
      await privacy.connections.put({ key: 'm', connectionType: 'mongodb', access: 'write' })
      await privacy.connections.setSecrets('m', { url: proxy.url, database: name })
      const fields = [key, { name: 'email', service_meta: { identity: 'email' } }, { name: 'note' }]
      const collections = ['people', collection].map((each) => ({ name: each, fields }))
      const dataset = { service_key: 'm', data_categories: ['user'], collections }
      await privacy.connections.attachDataset('m', dataset as never)
      const { id } = await privacy.requests.submit({ policyKey: 'default_erasure_policy', identities: [{ email }] })
      const { status, failure } = await privacy.requests.settled(id)
      expect(status).toBe('error')
      expect(failure).toContain(`'m:${collection}'`)
      expect(failure).toMatch(/cannot be (?:written|erased)/)
      expect(await stored('people').find().toArray()).toMatchObject([{ email, note: 'hers' }])
    } finally {
      await privacy.close()
    }
  })
})
