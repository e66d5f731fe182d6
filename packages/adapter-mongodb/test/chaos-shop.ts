import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type Collection, MongoClient } from 'mongodb'
import { accountOf, type ChaosShop, emailOf, nameOf, shopRows } from '../../adapter-postgres/test/chaos/chaos-shop.js'
import { mongodbConnector } from '../src/index.js'
import { mongoProxy } from './mongo-proxy.js'
import { serverUrl } from './server-url.js'

interface Stored {
  readonly _id: number
  readonly [name: string]: unknown
}

type Documents = Collection<Stored>

/** A database of so many people, on a server that others use as well. */
export async function chaosShop(people: number): Promise<ChaosShop> {
  const database = `habeas_${randomBytes(6).toString('hex')}`
  const client = new MongoClient(serverUrl(), { writeConcern: { w: 'majority' }, maxPoolSize: 1 })
  const [customers, orders, cards] = ['customer', 'orders', 'card'].map((name) =>
    client.db(database).collection<Stored>(name),
  ) as [Documents, Documents, Documents]
  const rows = shopRows(people)
  const cardOf = (person: number) => ({ _id: person, account: accountOf(person), holder: nameOf(person) })
  await customers.insertMany(rows.customer.map(([person, name]) => ({ _id: person, email: emailOf(person), name })))
  await orders.insertMany(rows.orders.map(([person, note], at) => ({ _id: at + 1, customer_id: person, note })))
  await cards.insertMany(rows.card.map(cardOf))
  // longer than a worker is frozen, so that it may go on with its transaction
  const proxy = await mongoProxy(serverUrl(), { lifetimeMs: 15_000 })
  // in one answer: a server that is restarted, and one that stands in for MongoDB, may forget a cursor
  const all = async (collection: Documents) => collection.find({}, { batchSize: 100_000 }).sort({ _id: 1 }).toArray()
  return {
    connector: mongodbConnector({ poolSize: 2 }),
    secrets: { url: proxy.url, database },
    key: '_id',
    cut: proxy.cut,
    heal: proxy.heal,
    /** Other suites need the server: all that this database knows of a restart happens to it. */
    async restart() {
      proxy.cut()
      await proxy.settled()
      await delay(2_000)
      proxy.heal()
    },
    rows: async () => ({
      customer: (await all(customers)).map(({ _id, name }) => [_id, name as string | null]),
      orders: (await all(orders)).map(({ customer_id, note }) => [customer_id as number, note as string | null]),
      card: (await all(cards)).map(({ _id }) => _id),
    }),
    async comeAgain(people) {
      for (const person of people) await customers.updateOne({ _id: person }, { $set: { name: nameOf(person) } })
      await cards.insertMany(people.map(cardOf))
    },
    others: async () => proxy.openTransactions(),
    async close() {
      await proxy.settled()
      await proxy.close()
      await client.db(database).dropDatabase()
      await client.close()
    },
  }
}
