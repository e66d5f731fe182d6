import { randomBytes } from 'node:crypto'
import { MongoClient } from 'mongodb'
import { expect } from 'vitest'
import { inSmallBatches } from '../../adapter-postgres/test/crash/crash-service.js'
import { overtakenSuite, people, type SharedShop } from '../../adapter-postgres/test/crash/overtaken-suite.js'
import { mongodbConnector } from '../src/index.js'
import { mongoProxy } from './mongo-proxy.js'
import { serverUrl } from './server-url.js'

overtakenSuite({
  connector: inSmallBatches(mongodbConnector(), 2),
  program: new URL('./crash-child.ts', import.meta.url),
  key: '_id',
  // the server decides how long a transaction lasts
  connectorOptions: {},
  openShop,
})

interface Person {
  readonly _id: number
  readonly email: string
  readonly name: string
}

async function openShop(): Promise<SharedShop> {
  const database = `habeas_${randomBytes(6).toString('hex')}`
  const client = new MongoClient(serverUrl(), { writeConcern: { w: 'majority' } })
  const customers = client.db(database).collection<Person>('customer')
  await customers.insertMany(people.map(({ id, ...person }) => ({ _id: id, ...person })))
  let deletions = 0
  const proxy = await mongoProxy(serverUrl(), {
    lifetimeMs: 15_000,
    onCommand(name, moment, { delete: collection }) {
      if (name === 'delete' && collection === 'customer' && moment === 'before') deletions++
      return undefined
    },
  })
  const session = client.startSession()
  return {
    secrets: { url: proxy.url, database },
    async hold() {
      session.startTransaction()
      await customers.updateOne({ _id: 1 }, { $set: { held: true } }, { session })
      deletions = 0
    },
    letGo: () => session.abortTransaction(),
    waits: async () => deletions > 0,
    idle: () => expect.poll(proxy.openTransactions).toBe(0),
    rename: async (name) => void (await customers.updateOne({ _id: 1 }, { $set: { name } })),
    signUp: async (name) => void (await customers.insertOne({ _id: 1, email: 'ann@example.com', name })),
    names: async () => (await customers.find().sort({ _id: 1 }).toArray()).map(({ name }) => name),
    async close() {
      await proxy.settled()
      await proxy.close()
      await session.endSession()
      await client.db(database).dropDatabase()
      await client.close()
    },
  }
}
