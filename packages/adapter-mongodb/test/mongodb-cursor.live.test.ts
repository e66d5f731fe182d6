import { randomBytes } from 'node:crypto'
import type { Connection } from '@habeas/core'
import { type Long, MongoClient } from 'mongodb'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { mongodbConnector } from '../src/index.js'
import { type MongoProxy, mongoProxy } from './mongo-proxy.js'
import { serverUrl } from './server-url.js'

const name = `habeas_${randomBytes(6).toString('hex')}`
const asked: Long[] = []
let client: MongoClient
let proxy: MongoProxy
let connection: Connection

beforeAll(async () => {
  client = new MongoClient(serverUrl())
  const text = 'x'.repeat(10_000)
  const documents = Array.from({ length: 1_000 }, (_, at) => ({ _id: at as never, email: 'ann@example.com', text }))
  await client.db(name).collection('notes').insertMany(documents)
  proxy = await mongoProxy(serverUrl(), {
    onCommand(command, moment, { getMore }) {
      if (command === 'getMore' && moment === 'after') asked.push(getMore)
      return undefined
    },
  })
  const connector = mongodbConnector()
  connection = await connector.connect(connector.parseSecrets({ url: proxy.url, database: name }))
  await connection.describe()
})
afterAll(async () => {
  await connection.close()
  await client.db(name).dropDatabase()
  await client.close()
  await proxy.close()
})

it('a read whose cursor the server forgets fails, so that it is tried again, and gives no part as the whole', async () => {
  asked.length = 0
  const anyOf = [{ fields: [{ path: ['email'] }], values: [['ann@example.com']] }]
  const reading = async () => {
    let rows = 0
    for await (const batch of connection.read({ collection: 'notes', columns: ['_id', 'text'], anyOf })) {
      rows += batch.length
      const cursors = asked.splice(0)
      if (cursors.length > 0) await client.db(name).command({ killCursors: 'notes', cursors })
    }
    return rows
  }
  await expect(reading()).rejects.toMatchObject({
    message: 'The server forgot a cursor that was not asked for long: try again.',
    details: { reason: 'other', transient: true },
  })
})
