import { randomBytes } from 'node:crypto'
import type { Connection, Erase, KeyGroup } from '@habeas/core'
import { type Document, MongoClient, ObjectId } from 'mongodb'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { mongodbConnector } from '../src/index.js'
import { type MongoProxy, mongoProxy } from './mongo-proxy.js'
import { serverUrl } from './server-url.js'

const anns: KeyGroup = { fields: [{ path: ['email'] }], values: [['ann@example.com']] }
const email = 'ann@example.com'

describe('a batch that one write may do', () => {
  const name = `habeas_${randomBytes(6).toString('hex')}`
  let client: MongoClient
  let proxy: MongoProxy
  let connection: Connection
  const people = () => client.db(name).collection<Document & { _id: number }>('people')

  beforeAll(async () => {
    client = new MongoClient(serverUrl())
    proxy = await mongoProxy(serverUrl())
    const connector = mongodbConnector()
    connection = await connector.connect(connector.parseSecrets({ url: proxy.url, database: name }))
  })
  afterAll(async () => {
    await connection?.close()
    await proxy?.close()
    await client?.db(name).dropDatabase()
    await client?.close()
  })
  beforeEach(async () => {
    await people().deleteMany({})
  })

  /** Erases the documents with these keys. Gives the commands that this took. */
  async function erased(keys: readonly number[], set: Erase['set'], change: Partial<Erase> = {}): Promise<string[]> {
    await connection.describe()
    const before = proxy.commands.length
    await connection.erase?.({ collection: 'people', key: ['_id'], keys: [keys], anyOf: [anns], set, ...change })
    return proxy.commands.slice(before).filter((command) => !/^(hello|ismaster)$/i.test(command))
  }

  const left = async () =>
    Object.fromEntries(
      (
        await people()
          .find({}, { sort: { _id: 1 } })
          .toArray()
      ).map(({ _id, ...each }) => [_id, each]),
    )

  it('is written without being read', async () => {
    await people().insertMany([1, 2, 3].map((_id) => ({ _id, email, name: 'Ann' })))
    expect(await erased([1, 2], [{ column: 'name', to: '$email' }])).toEqual(['update', 'commitTransaction'])
    expect(await left()).toEqual({
      1: { email, name: '$email' },
      2: { email, name: '$email' },
      3: { email, name: 'Ann' },
    })
  })

  it('is deleted without being read', async () => {
    await people().insertMany([1, 2, 3].map((_id) => ({ _id, email, name: 'Ann' })))
    expect(await erased([1, 2], 'delete')).toEqual(['delete', 'commitTransaction'])
    expect(Object.keys(await left())).toEqual(['3'])
  })

  it('is read where a document needs a decision of its own, and each gets it', async () => {
    const bob = 'bob@example.com'
    await people().insertMany([
      { _id: 1, email, name: 'Ann' },
      { _id: 2, email, name: null },
      { _id: 3, email },
      { _id: 4, email: bob, name: 'Bob' },
      { _id: 5, email: [bob, email], name: ['Ann', 'Bob'] },
      { _id: 6, email, name: { first: 'Ann' } },
    ] as never)
    const commands = await erased([1, 2, 3, 4, 5, 6, 7], [{ column: 'name', to: '{"$gt":""}' }])
    expect(commands).toEqual(['update', 'find', 'update', 'commitTransaction'])
    expect(await left()).toEqual({
      1: { email, name: '{"$gt":""}' },
      2: { email, name: null },
      3: { email },
      4: { email: bob, name: 'Bob' },
      5: { email: [bob, email], name: '{"$gt":""}' },
      6: { email, name: '{"$gt":""}' },
    })
  })

  it('keeps null in a column while another is written', async () => {
    await people().insertMany([
      { _id: 1, email, name: 'Ann', phone: null },
      { _id: 2, email, name: null, phone: 7 },
      { _id: 3, email, name: 'Ann', phone: 7 },
    ] as never)
    await erased(
      [1, 2, 3],
      [
        { column: 'name', to: 'x' },
        { column: 'phone', to: null },
      ],
    )
    expect(await left()).toEqual({
      1: { email, name: 'x', phone: null },
      2: { email, name: null, phone: null },
      3: { email, name: 'x', phone: null },
    })
  })

  it('is written when the column by which it is hers is among those that are written', async () => {
    await people().insertMany([
      { _id: 1, email, name: 'Ann' },
      { _id: 2, email, name: null },
    ] as never)
    await erased(
      [1, 2],
      [
        { column: 'email', to: 'x' },
        { column: 'name', to: 'x' },
      ],
    )
    expect(await left()).toEqual({ 1: { email: 'x', name: 'x' }, 2: { email: 'x', name: null } })
  })

  it('is taken back where a document cannot take the value', async () => {
    await people().insertMany([
      { _id: 1, email, name: 'Ann' },
      { _id: 2, email, name: new ObjectId() },
    ] as never)
    const before = await left()
    await expect(erased([1, 2], [{ column: 'name', to: 'x' }])).rejects.toMatchObject({
      details: { reason: 'refused', column: 'name' },
    })
    expect(await left()).toEqual(before)
  })

  it('is taken back where what it depends on has changed', async () => {
    await people().insertMany([1, 2].map((_id) => ({ _id, email, name: 'Ann' })))
    const before = await left()
    const unchanged = [{ collection: 'people', group: { ...anns, exact: true as const }, rows: 3 }]
    await expect(erased([1, 2], [{ column: 'name', to: 'x' }], { unchanged })).rejects.toMatchObject({
      details: { reason: 'changed_since' },
    })
    expect(await left()).toEqual(before)
  })

  it('of others, with letters that are no ASCII letters in another case, is left', async () => {
    const [hers, others] = ['kö@example.com', ['KÖ@example.com', '\u212aö@example.com']]
    await people().insertMany(
      [hers, 'Kö@example.com', ...others].map((each, at) => ({ _id: at, email: each, name: 'n' })),
    )
    const folded: KeyGroup = { fields: [{ path: ['email'], caseInsensitive: true, trimmed: true }], values: [[hers]] }
    expect(await connection.count([{ collection: 'people', anyOf: [folded] }])).toEqual([2])
    await erased([0, 1, 2, 3], [{ column: 'name', to: 'x' }], { anyOf: [folded] })
    expect(Object.values(await left()).map((each) => (each as Document)['name'])).toEqual(['x', 'x', 'n', 'n'])
  })

  it('of a member that is named by digits is not one of a list with that position', async () => {
    await people().insertMany([
      { _id: 1, of: { 0: 'ann' }, name: 'Ann' },
      { _id: 2, of: ['ann'], name: 'Bob' },
    ] as never)
    const first: KeyGroup = { fields: [{ path: ['of', '0'] }], values: [['ann']] }
    await connection.describe()
    expect(await connection.count([{ collection: 'people', anyOf: [first] }])).toEqual([1])
    await erased([1, 2], [{ column: 'name', to: 'x' }], { anyOf: [first] })
    expect(Object.values(await left()).map((each) => (each as Document)['name'])).toEqual(['x', 'Bob'])
  })
})
