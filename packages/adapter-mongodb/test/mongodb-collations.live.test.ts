import { randomBytes } from 'node:crypto'
import type { Connection, KeyGroup } from '@habeas/core'
import { type Document, MongoClient, ObjectId } from 'mongodb'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { mongodbConnector } from '../src/index.js'
import { type MongoProxy, mongoProxy } from './mongo-proxy.js'
import { serverUrl } from './server-url.js'

const collation = { locale: 'en', strength: 2 }
const id = new ObjectId()
const name = `habeas_${randomBytes(6).toString('hex')}`
const sent: Document[] = []
let proxy: MongoProxy
let client: MongoClient
let connection: Connection

beforeAll(async () => {
  proxy = await mongoProxy(serverUrl(), {
    onCommand(_, moment, command) {
      if (moment === 'before' && 'find' in command) sent.push(command)
      return undefined
    },
  })
  client = new MongoClient(proxy.url, { writeConcern: { w: 'majority', journal: true } })
  const db = client.db(name)
  await db.createCollection('people', { collation })
  await db.collection<{ _id: unknown; email: string; note: string }>('people').insertMany([
    { _id: id, email: 'a@x', note: 'n/a' },
    { _id: 2, email: 'A@X', note: 'N/A' },
    { _id: 3, email: 'b@x', note: 'n/a' },
    { _id: 'k', email: 'c@x', note: 'n/a' },
  ])
  const connector = mongodbConnector()
  connection = await connector.connect(connector.parseSecrets({ url: proxy.url, database: name }))
  await connection.describe()
})
beforeEach(() => {
  sent.length = 0
})
afterAll(async () => {
  await connection.close()
  await client.db(name).dropDatabase()
  await client.close()
  await proxy.close()
})

const by = (path: string, ...values: readonly string[]): KeyGroup => ({ fields: [{ path: [path] }], values: [values] })
const collations = () => sent.map((command) => command['collation'])

it('texts are looked for as the collection compares them, which an index serves', async () => {
  const found: unknown[] = []
  for await (const rows of connection.read({ collection: 'people', columns: ['email'], anyOf: [by('email', 'a@x')] })) {
    found.push(...rows.flat())
  }
  expect(found.toSorted()).toEqual(['A@X', 'a@x'])
  expect(collations()).toEqual([undefined])
})

it('a count is exact', async () => {
  const anyOf = [by('email', 'a@x', 'b@x')]
  expect(await connection.count([{ collection: 'people', anyOf }])).toEqual([2])
  expect(await connection.count([{ collection: 'people', anyOf, noneOf: [by('note', 'N/A')] }])).toEqual([2])
  const empty = [{ path: ['note'], placeholders: ['N/A'] }]
  expect(await connection.count([{ collection: 'people', anyOf: [by('email', 'A@X', 'b@x')], empty }])).toEqual([1])
  const numbers = { fields: [{ path: ['_id'] }], values: [[2, 3]] }
  expect(await connection.count([{ collection: 'people', anyOf: [numbers], empty }])).toEqual([1])
})

it('others are counted as loosely as the collection compares', async () => {
  const group = by('email', 'a@x', 'b@x', 'none')
  expect(await connection.countEach?.({ collection: 'people', group })).toEqual([2, 1, 0])
})
