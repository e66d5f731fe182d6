import { randomBytes } from 'node:crypto'
import type { Connection, Erase, KeyGroup } from '@habeas/core'
import { type Document, MongoClient, ObjectId } from 'mongodb'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
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

describe.each([
  ['a replica set', false],
  ['a server that stands alone', true],
])('an erasure in a collection with a collation, on %s', (_, standsAlone) => {
  const database = `habeas_${randomBytes(6).toString('hex')}`
  let near: MongoProxy
  let open: Connection
  const people = () => client.db(database).collection<Document & { _id: number }>('people')
  const left = async () => Object.fromEntries((await people().find().toArray()).map(({ _id, ...each }) => [_id, each]))

  beforeAll(async () => {
    near = await mongoProxy(serverUrl(), { standsAlone })
    await client.db(database).createCollection('people', { collation })
    const connector = mongodbConnector()
    open = await connector.connect(connector.parseSecrets({ url: near.url, database }))
  })
  beforeEach(async () => {
    await people().deleteMany({})
    await people().insertMany([
      { _id: 1, email: 'a@x', note: 'n/a' },
      { _id: 2, email: 'A@X', note: 'n/a' },
      { _id: 3, email: 'b@x', note: 'n/a' },
    ])
    await open.describe()
  })
  afterAll(async () => {
    await open.close()
    await near.close()
    await client.db(database).dropDatabase()
  })

  const erase = (set: Erase['set']) =>
    open.erase?.({ collection: 'people', key: ['_id'], keys: [[1, 2, 3]], anyOf: [by('email', 'a@x')], set })

  it('writes the documents with the very text alone, also where nothing but the case changes', async () => {
    await erase([{ column: 'note', to: 'N/A' }])
    expect(await left()).toEqual({
      1: { email: 'a@x', note: 'N/A' },
      2: { email: 'A@X', note: 'n/a' },
      3: { email: 'b@x', note: 'n/a' },
    })
  })

  it('writes another case of the text by which they are hers', async () => {
    await erase([{ column: 'email', to: 'A@x' }])
    expect(Object.values(await left()).map(({ email }) => email)).toEqual(['A@x', 'A@X', 'b@x'])
  })

  it('deletes the documents with the very text alone', async () => {
    await erase('delete')
    expect(Object.keys(await left())).toEqual(['2', '3'])
  })
})
