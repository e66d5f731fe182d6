import { randomBytes } from 'node:crypto'
import type { Connection } from '@habeas/core'
import { MongoClient } from 'mongodb'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { mongodbConnector } from '../src/index.js'
import { type MongoProxy, mongoProxy } from './mongo-proxy.js'
import { serverUrl } from './server-url.js'

const name = `habeas_${randomBytes(6).toString('hex')}`
const count = 3_000
const asked: number[] = []
let client: MongoClient
let proxy: MongoProxy
let connection: Connection

beforeAll(async () => {
  client = new MongoClient(serverUrl())
  proxy = await mongoProxy(serverUrl(), {
    onCommand: (command, moment, { batchSize }) => {
      if (command === 'getMore' && moment === 'before') asked.push(Number(batchSize))
      return undefined
    },
  })
  const connector = mongodbConnector()
  connection = await connector.connect(connector.parseSecrets({ url: proxy.url, database: name }))
  const entries = Array.from({ length: count }, (_, at) => ({ _id: at as never, who: 'ann', note: `entry ${at}` }))
  await client.db(name).collection('small').insertMany(entries)
  const long = 'x'.repeat(20_000)
  await client
    .db(name)
    .collection('long')
    .insertMany(entries.slice(0, 200).map((entry) => ({ ...entry, note: long })))
})
afterAll(async () => {
  await connection?.close()
  await proxy?.close()
  await client?.db(name).dropDatabase()
  await client?.close()
})

async function lengthsOf(collection: string): Promise<number[]> {
  asked.length = 0
  const lengths: number[] = []
  const ids = new Set<unknown>()
  const anyOf = [{ fields: [{ path: ['who'] }], values: [['ann']] }]
  for await (const rows of connection.read({ collection, columns: ['_id', 'note'], anyOf })) {
    lengths.push(rows.length)
    for (const [id] of rows) ids.add(id)
  }
  expect(ids.size).toBe(collection === 'small' ? count : 200)
  return lengths
}

it('small documents come by the thousand at most: the driver holds more for each than its bytes', async () => {
  expect(Math.max(...(await lengthsOf('small')))).toBeLessThanOrEqual(1_000)
  expect(asked.length).toBeGreaterThan(1)
  expect(Math.max(...asked)).toBe(1_000)
})

it('long documents come in batches of about 1 MB, of which a few at a time are handed over', async () => {
  expect(Math.max(...(await lengthsOf('long')))).toBe(4)
  expect(Math.max(...asked)).toBeGreaterThan(40)
  expect(Math.max(...asked)).toBeLessThan(60)
})
