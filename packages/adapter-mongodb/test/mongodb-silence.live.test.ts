import { randomBytes } from 'node:crypto'
import type { Erase, EraseOptions } from '@habeas/core'
import { type Document, MongoClient, MongoError, MongoErrorLabel } from 'mongodb'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { type MongodbConnectorOptions, mongodbConnector } from '../src/index.js'
import { type MongoProxy, mongoProxy } from './mongo-proxy.js'
import { serverUrl } from './server-url.js'

const name = `habeas_${randomBytes(6).toString('hex')}`
const client = new MongoClient(serverUrl(), { writeConcern: { w: 'majority' } })
const people = client.db(name).collection<{ _id: number; email: string; name: string | null }>('people')
const erase: Erase = {
  ...{ collection: 'people', key: ['_id'], keys: [[1]], set: [{ column: 'name', to: null }] },
  anyOf: [{ fields: [{ path: ['email'] }], values: [['ann']] }],
  unchanged: [{ collection: 'people', group: { fields: [{ path: ['_id'] }], values: [[1]] }, rows: 1 }],
}
const fenced: EraseOptions = { fence: { lock: 'a', confirm: async () => {}, leftMs: () => 300 } }

/** A command, or one on a collection. */
let silentFor: string | undefined
const isSilent = (name: string, document: Document) => [name, `${name} ${document[name]}`].includes(silentFor ?? '')
/** The driver greets, and asks again and again whether the server is there. */
const isGreeting = (document: Document) => 'helloOk' in document || 'topologyVersion' in document
let proxy: MongoProxy
const connected = async (standsAlone: boolean, options: MongodbConnectorOptions = {}) => {
  await people.deleteMany({})
  await people.insertOne({ _id: 1, email: 'ann', name: 'Ann' })
  proxy = await mongoProxy(serverUrl(), {
    standsAlone,
    onCommand: (command, moment, document) =>
      moment === 'before' && isSilent(command, document) && !isGreeting(document) ? 'swallow' : undefined,
  })
  const connector = mongodbConnector(options)
  return connector.connect(connector.parseSecrets({ url: proxy.url, database: name }))
}
afterEach(async () => {
  silentFor = undefined
  await proxy.close()
})
afterAll(async () => {
  await client.db(name).dropDatabase()
  await client.close()
})

const silence = { code: 'connection_failed', details: { reason: 'timeout', transient: true } }

describe.each([
  ['a replica set', false, ['update', 'find people', 'commitTransaction']],
  ['a server that stands alone', true, ['update', 'find people']],
] as const)('on %s', (_, standsAlone, commands) => {
  it.each(commands)(
    'a batch is given up with its lease where %s is never answered, and is written when it is tried again',
    async (command) => {
      const connection = await connected(standsAlone)
      await connection.describe()
      silentFor = command
      const start = performance.now()
      await expect(connection.erase?.(erase, fenced)).rejects.toMatchObject(silence)
      expect(performance.now() - start).toBeLessThan(5_000)
      expect((await people.findOne())?.name).toBe('Ann')
      silentFor = undefined
      await proxy.settled()
      await connection.erase?.(erase, { fence: { ...fenced.fence!, leftMs: () => 60_000 } })
      expect((await people.findOne())?.name).toBeNull()
      await connection.close()
    },
  )
})

it('a read ends after its time where the server is silent', async () => {
  const connection = await connected(false, {
    statementTimeoutSeconds: 0.3,
    writeTimeoutSeconds: 0.3,
    connectTimeoutSeconds: 0.5,
  })
  await connection.describe()
  silentFor = 'find'
  const reading = async () => {
    for await (const _ of connection.read({ collection: 'people', columns: ['name'], anyOf: erase.anyOf })) break
  }
  await expect(reading()).rejects.toMatchObject(silence)
  silentFor = undefined
  await reading()
  await connection.close()
})

it('a call ends with its signal where the server does not say what it is', async () => {
  const connection = await connected(false)
  silentFor = 'hello'
  const signal = AbortSignal.timeout(500)
  await expect(connection.ping({ signal })).rejects.toMatchObject({ details: { reason: 'cancelled' } })
  silentFor = undefined
  await connection.close()
})

it('a batch keeps its client to the end when another call has given that client up', async () => {
  const connection = await connected(false)
  await connection.describe()
  let confirmed = 0
  const confirm = async () => {
    if (confirmed++ > 0) return
    silentFor = 'update people'
    await expect(connection.erase?.(erase, { fence: { ...fenced.fence!, lock: 'b' } })).rejects.toMatchObject(silence)
    silentFor = undefined
    const conflict = new MongoError('another transaction')
    conflict.addErrorLabel(MongoErrorLabel.TransientTransactionError)
    throw conflict
  }
  await connection.erase?.(erase, { fence: { lock: 'c', confirm, leftMs: () => 60_000 } })
  expect(confirmed).toBe(2)
  expect((await people.findOne())?.name).toBeNull()
  await connection.close()
})
