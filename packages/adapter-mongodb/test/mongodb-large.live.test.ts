import { randomBytes } from 'node:crypto'
import type { Connection, KeyGroup, Value } from '@habeas/core'
import { MongoClient } from 'mongodb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mongodbConnector } from '../src/index.js'
import { type MongoProxy, mongoProxy } from './mongo-proxy.js'
import { serverUrl } from './server-url.js'

const text = (at: number) => `${at}.`.repeat(500_000)
const keys = Array.from({ length: 24 }, (_, at) => text(at + 10))
const [held, both, absent] = [keys[0], keys[23], text(99)] as [string, string, string]

/** A proxy refuses commands over 16 MB, as MongoDB does. */
describe('keys of more than 16 MB', () => {
  const name = `habeas_${randomBytes(6).toString('hex')}`
  let client: MongoClient
  let proxy: MongoProxy
  let connection: Connection
  const people = () => client.db(name).collection<{ _id: number }>('people')

  beforeAll(async () => {
    client = new MongoClient(serverUrl())
    proxy = await mongoProxy(serverUrl())
    const connector = mongodbConnector()
    connection = await connector.connect(connector.parseSecrets({ url: proxy.url, database: name }))
    await people().insertMany([
      { _id: 1, code: held, name: 'Ann' },
      { _id: 2, code: [held, both], name: 'Ann' },
      { _id: 3, code: both, name: 'Ann' },
      { _id: 4, code: absent, name: 'Ben' },
    ] as never)
  })
  afterAll(async () => {
    await connection?.close()
    await proxy?.close()
    await client?.db(name).dropDatabase()
    await client?.close()
  })

  const group = (...values: readonly Value[]): KeyGroup => ({ fields: [{ path: ['code'] }], values: [values] })

  it('are read in several commands, and each document once', async () => {
    const before = proxy.commands.filter((command) => command === 'find').length
    const ids: unknown[] = []
    for await (const rows of connection.read({ collection: 'people', columns: ['_id'], anyOf: [group(...keys)] })) {
      ids.push(...rows.map(([id]) => id))
    }
    expect(ids.toSorted()).toEqual([1, 2, 3])
    expect(proxy.commands.filter((command) => command === 'find').length).toBeGreaterThan(before + 1)
  })

  it('are counted, all together and one by one', async () => {
    const counts = [
      { collection: 'people', anyOf: [group(...keys)] },
      { collection: 'people', anyOf: [group(held, absent)], noneOf: [group(...keys)] },
    ]
    expect(await connection.count(counts)).toEqual([3, 1])
    const each = await connection.countEach?.({ collection: 'people', group: group(...keys) })
    expect(each).toEqual(keys.map((key) => (key === held || key === both ? 2 : 0)))
  })

  it('name the documents of a batch', async () => {
    await connection.erase?.({
      ...{ collection: 'people', key: ['_id'], keys: [[1, 2, 3, 4]], anyOf: [group(...keys)] },
      set: [{ column: 'name', to: null }],
      unchanged: [{ collection: 'people', group: { ...group(...keys), exact: true }, rows: 2 }],
    })
    const left = await people()
      .find({}, { projection: { name: 1 }, sort: { _id: 1 } })
      .toArray()
    expect(left.map((document) => (document as { name?: unknown }).name)).toEqual([null, null, null, 'Ben'])
  })
})
