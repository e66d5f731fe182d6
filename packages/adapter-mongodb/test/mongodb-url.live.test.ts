import { randomBytes } from 'node:crypto'
import { MongoClient } from 'mongodb'
import { afterAll, expect, it, vi } from 'vitest'
import { mongodbConnector } from '../src/index.js'
import { mongoProxy } from './mongo-proxy.js'
import { serverUrl } from './server-url.js'

const name = `habeas_${randomBytes(6).toString('hex')}`
afterAll(async () => {
  const client = new MongoClient(serverUrl())
  await client.db(name).dropDatabase()
  await client.close()
})

/** The proxy refuses a read that need not go to the primary, and a write that need not be in the journals of a majority. */
it.each([
  'readPreference=secondary&readPreferenceTags=dc:ny&maxStalenessSeconds=120',
  'readConcernLevel=available&w=0&journal=false&wTimeoutMS=1',
  'raw=true&promoteValues=false&promoteLongs=false&minPoolSize=50',
])('a URL with %s reads from the primary and writes to a majority', async (parameters) => {
  const proxy = await mongoProxy(serverUrl(), { standsAlone: true })
  const filling = new MongoClient(proxy.url, { writeConcern: { w: 'majority', journal: true } })
  const people = filling.db(name).collection<{ _id: number; name: string | null }>('people')
  await people.deleteMany({})
  await people.insertMany([{ _id: 1, name: 'Ann' }])
  const connector = mongodbConnector()
  const secrets = connector.parseSecrets({ url: `${proxy.url}&${parameters}`, database: name })
  const connection = await connector.connect(secrets)
  const group = { fields: [{ path: ['_id'] }], values: [[1]] }
  const read = async () => {
    const found: unknown[] = []
    for await (const rows of connection.read({ collection: 'people', columns: ['_id', 'name'], anyOf: [group] }))
      found.push(...rows)
    return found
  }
  try {
    expect(await read()).toEqual([[1, 'Ann']])
    const set = [{ column: 'name', to: null }]
    await connection.erase?.({ collection: 'people', key: ['_id'], keys: [[1]], anyOf: [group], set })
    expect(await read()).toEqual([[1, null]])
  } finally {
    await connection.close()
    await filling.close()
    await proxy.close()
  }
})

it('a member that is not the primary is not read from', async () => {
  const proxy = await mongoProxy(serverUrl(), { isSecondary: () => true })
  const connector = mongodbConnector()
  const connection = await connector.connect(connector.parseSecrets({ url: proxy.url, database: name }))
  const failure = await connection.ping().catch((error: Error) => error)
  await connection.close()
  await proxy.close()
  expect(failure).toMatchObject({ message: expect.stringContaining('not the primary'), details: { transient: true } })
})

it('a member that is the primary no longer is not read from, and not counted on', async () => {
  let isSecondary = false
  const proxy = await mongoProxy(serverUrl(), { isSecondary: () => isSecondary })
  const connector = mongodbConnector()
  const url = `${proxy.url}&heartbeatFrequencyMS=500`
  const connection = await connector.connect(connector.parseSecrets({ url, database: name }))
  const group = { fields: [{ path: ['_id'] }], values: [[9]] }
  const read = async () => {
    const found: unknown[] = []
    for await (const rows of connection.read({ collection: 'people', columns: ['_id'], anyOf: [group] }))
      found.push(...rows)
    return found
  }
  const count = () => connection.count([{ collection: 'people', anyOf: [group] }])
  const refused = { message: expect.stringContaining('not the primary'), details: { transient: true } }
  const filling = await MongoClient.connect(serverUrl())
  try {
    await filling.db(name).collection<{ _id: number }>('people').insertOne({ _id: 9 })
    await connection.describe()
    expect([await read(), await count()]).toEqual([[[9]], [1]])
    isSecondary = true
    await vi.waitFor(() => expect(read()).rejects.toMatchObject(refused), { timeout: 20_000, interval: 100 })
    await expect(count()).rejects.toMatchObject(refused)
    isSecondary = false
    await vi.waitFor(async () => expect(await read()).toEqual([[9]]), { timeout: 20_000, interval: 100 })
  } finally {
    await connection.close()
    await filling.close()
    await proxy.close()
  }
})

it.each([
  ['replicaSet=nope', 'replicaSet in url names another set'],
  ['tls=true', 'ssl (tls in url) asks for encryption'],
])('a URL with %s, which the server is not, is named as a possible cause', async (parameter, cause) => {
  const connector = mongodbConnector({ connectTimeoutSeconds: 1 })
  const url = `${serverUrl()}&${parameter}`
  const connection = await connector.connect(connector.parseSecrets({ url, database: name }))
  const failure = await connection.ping().catch((error: Error) => error)
  await connection.close()
  expect(failure).toMatchObject({ message: expect.stringContaining(cause), details: { reason: 'timeout' } })
})
