import { randomBytes } from 'node:crypto'
import type { KeyGroup } from '@habeas/core'
import { MongoClient } from 'mongodb'
import { afterAll, expect, it } from 'vitest'
import { mongodbConnector } from '../src/index.js'
import { mongoProxy } from './mongo-proxy.js'
import { serverUrl } from './server-url.js'

const name = `habeas_${randomBytes(6).toString('hex')}`
const client = new MongoClient(serverUrl())
afterAll(async () => {
  await client.db(name).dropDatabase()
  await client.close()
})

it('a connection to a server that stands alone closes while a write waits for somebody else’s', async () => {
  const people = client.db(name).collection<{ _id: number; name: string }>('people')
  await people.insertOne({ _id: 1, name: 'Ann' })
  const proxy = await mongoProxy(serverUrl(), { standsAlone: true })
  const connector = mongodbConnector()
  const connection = await connector.connect(connector.parseSecrets({ url: proxy.url, database: name }))
  const session = client.startSession()
  try {
    session.startTransaction()
    await people.updateOne({ _id: 1 }, { $set: { name: 'Anna' } }, { session })
    const anns: KeyGroup = { fields: [{ path: ['_id'] }], values: [[1]] }
    const set = [{ column: 'name', to: null }]
    const erased = connection.erase?.({ collection: 'people', key: ['_id'], keys: [[1]], anyOf: [anns], set })
    const failed = expect(erased).rejects.toMatchObject({ details: { reason: 'cancelled' } })
    await expect.poll(() => proxy.commands).toContain('update')
    await connection.close()
    await failed
    expect(session.inTransaction()).toBe(true)
  } finally {
    await session.abortTransaction()
    await session.endSession()
    await proxy.close()
  }
})
