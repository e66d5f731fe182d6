import { randomBytes } from 'node:crypto'
import { createPrivacyService } from '@habeas/core'
import { type Document, MongoClient, ObjectId } from 'mongodb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mongodbConnector } from '../src/index.js'
import { serverUrl } from './server-url.js'

const email = 'ann@example.com'
const [ann, bob] = [new ObjectId(), new ObjectId()]
const hex = ann.toHexString()

/** Applications that changed their driver hold ids in both forms. */
const documents: Readonly<Record<string, readonly Document[]>> = {
  users: [
    { _id: ann, email },
    { _id: bob, email: 'bob@example.com' },
  ],
  fields: [
    { u: hex, t: 'hers' },
    { u: ann, t: 'hers' },
    { u: bob, t: 'his' },
    { u: bob.toHexString(), t: 'his' },
  ],
  members: [
    { o: { u: hex }, t: 'hers' },
    { o: { u: ann }, t: 'hers' },
    { o: { u: bob }, t: 'his' },
  ],
  texts: [
    { o: { u: hex }, t: 'hers' },
    { o: { u: bob.toHexString() }, t: 'his' },
  ],
}

const references = { references: [{ dataset: 'shop', field: 'users._id', direction: 'from' as const }] }
const key = { name: '_id', service_meta: { primary_key: true } }
const text = { name: 't', data_categories: ['user'] }
const collections = [
  { name: 'users', fields: [key, { name: 'email', service_meta: { identity: 'email' }, data_categories: ['user'] }] },
  { name: 'fields', fields: [key, { name: 'u', service_meta: references }, text] },
  ...['members', 'texts'].map((name) => ({
    name,
    fields: [key, { name: 'o', fields: [{ name: 'u', service_meta: references }] }, text],
  })),
]

describe('ids that are stored as ObjectId and as their digits', () => {
  const name = `habeas_${randomBytes(6).toString('hex')}`
  let client: MongoClient

  beforeAll(async () => {
    client = new MongoClient(serverUrl(), { writeConcern: { w: 'majority' } })
    for (const [collection, all] of Object.entries(documents))
      await client.db(name).collection(collection).insertMany(structuredCloneOf(all))
  })
  afterAll(async () => {
    await client.db(name).dropDatabase()
    await client.close()
  })

  it('are one id: everything of hers is erased, and nothing of his', async () => {
    const privacy = createPrivacyService({
      encryptionKey: randomBytes(32).toString('base64'),
      connectors: [mongodbConnector()],
    })
    await privacy.connections.put({ key: 'shop', connectionType: 'mongodb', access: 'write' })
    await privacy.connections.setSecrets('shop', { url: serverUrl(), database: name })
    await privacy.connections.attachDataset('shop', { service_key: 'shop', collections })
    const { id } = await privacy.requests.submit({ policyKey: 'default_erasure_policy', identities: [{ email }] })
    const request = await privacy.requests.settled(id)
    await privacy.close()
    expect(request).toMatchObject({ status: 'complete' })
    for (const [collection, all] of Object.entries(documents)) {
      if (collection === 'users') continue
      const left = await client.db(name).collection(collection).find().toArray()
      expect(left.map(({ t }) => t).sort(), collection).toEqual(all.map(({ t }) => (t === 'hers' ? null : t)).sort())
    }
  })
})

/** The driver gives each document an `_id` where it has none. */
const structuredCloneOf = (all: readonly Document[]) => all.map((each) => ({ ...each }))
