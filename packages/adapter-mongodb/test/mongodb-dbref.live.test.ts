import { randomBytes } from 'node:crypto'
import { createPrivacyService, type PrivacyService } from '@habeas/core'
import { BSON, type Db, type Document, MongoClient } from 'mongodb'
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest'
import { mongodbConnector } from '../src/index.js'
import { serverUrl } from './server-url.js'

const ann = 'ann@example.com'
const key = { name: '_id', service_meta: { primary_key: true } }
const to = (field: string, more: object = {}) => ({ references: [{ dataset: 'm', field, direction: 'from', ...more }] })
const users = { name: 'users', fields: [key, { name: 'email', service_meta: { identity: 'email' } }] }
const people = [
  { _id: 1, email: ann },
  { _id: 2, email: 'bob@example.com' },
]

const client = new MongoClient(serverUrl(), { writeConcern: { w: 'majority' } })
let db: Db
let privacy: PrivacyService

beforeEach(() => {
  db = client.db(`habeas_${randomBytes(6).toString('hex')}`)
  privacy = createPrivacyService({
    execution: { retryMinutes: 0 },
    encryptionKey: randomBytes(32).toString('base64'),
    connectors: [mongodbConnector()],
  })
})
afterEach(async () => {
  await privacy.close()
  await db.dropDatabase()
})
afterAll(() => client.close())

async function connected(documents: Readonly<Record<string, readonly object[]>>) {
  for (const [name, all] of Object.entries({ users: people, ...documents })) {
    await db.collection(name).insertMany(all.map((each): Document => ({ ...each })))
  }
  await privacy.connections.put({ key: 'm', connectionType: 'mongodb', access: 'write' })
  await privacy.connections.setSecrets('m', { url: serverUrl(), database: db.databaseName })
}

async function erased(...collections: readonly object[]) {
  const dataset = { service_key: 'm', data_categories: ['user'], collections: [users, ...collections] }
  await privacy.connections.attachDataset('m', dataset as never)
  return erasedOf(ann)
}

async function erasedOf(email: string) {
  const { id } = await privacy.requests.submit({ policyKey: 'default_erasure_policy', identities: [{ email }] })
  return privacy.requests.settled(id)
}

/** Documents as bytes: the driver would make an object of a class of a DBRef. */
async function stored(name: string): Promise<string[]> {
  const all = await db.collection(name).find({}, { raw: true }).sort({ _id: 1 }).toArray()
  return all.map((each) => Buffer.from(each as unknown as Uint8Array).toString('latin1'))
}

const bytes = (document: Document) => Buffer.from(BSON.serialize(document)).toString('latin1')

it('members of a DBRef in a list are erased, and it stays one', async () => {
  await connected({ reviews: [{ _id: 1, by: 1, seen: [{ $ref: 'users', $id: 9, note: 'Ann secret' }] }] })
  const seen = { name: 'seen', service_meta: { data_type: 'object[]' }, fields: [{ name: 'note' }] }
  const request = await erased({ name: 'reviews', fields: [key, { name: 'by', service_meta: to('users._id') }, seen] })
  expect(request.failure ?? request.status).toBe('complete')
  expect(await stored('reviews')).toEqual([bytes({ _id: 1, by: 1, seen: [{ $ref: 'users', $id: 9, note: null }] })])
})

it('members of a DBRef in an element are erased, and those of another person are left', async () => {
  const seat = (id: number, name: string | null) => ({ who: { $ref: 'users', $id: id, name }, t: name })
  await connected({ chats: [{ _id: 1, seats: [seat(1, 'Ann'), seat(2, 'Bob')] }] })
  const who = { name: 'who', fields: [{ name: '$id', service_meta: to('users._id') }, { name: 'name' }] }
  const seats = { name: 'seats', service_meta: { data_type: 'object[]' }, fields: [who, { name: 't' }] }
  const request = await erased({ name: 'chats', fields: [key, seats] })
  expect(request.failure ?? request.status).toBe('complete')
  expect(await stored('chats')).toEqual([bytes({ _id: 1, seats: [seat(1, null), seat(2, 'Bob')] })])
})

it('the members of a DBRef are written as members', async () => {
  await connected({ invoices: [{ _id: 1, patient: { $ref: 'users', $id: 1, $db: 'clinic', name: 'Ann' } }] })
  const fields = [{ name: '$id', service_meta: to('users._id') }, { name: '$ref' }, { name: '$db' }, { name: 'name' }]
  const request = await erased({ name: 'invoices', fields: [key, { name: 'patient', fields }] })
  expect(request.failure ?? request.status).toBe('complete')
  const patient = { $ref: null, $id: 1, $db: null, name: null }
  expect(await stored('invoices')).toEqual([bytes({ _id: 1, patient })])
})

it('a draft has the members of a DBRef', async () => {
  const plain = { name: 'Bob', $ref: 'users' }
  await connected({
    orders: [
      { _id: 1, who: { $ref: 'users', $id: 1, name: 'Ann' } },
      { _id: 2, who: plain },
    ],
  })
  const { dataset } = await privacy.connections.draftDataset('m')
  const who = dataset.collections.find(({ name }) => name === 'orders')?.fields.find(({ name }) => name === 'who')
  expect(who?.fields.map(({ name }) => name).toSorted()).toEqual(['$id', '$ref', 'name'])
})
