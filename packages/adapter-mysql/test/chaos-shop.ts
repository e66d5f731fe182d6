import { setTimeout as delay } from 'node:timers/promises'
import { accountOf, type ChaosShop, emailOf, nameOf, shopRows } from '../../adapter-postgres/test/chaos/chaos-shop.js'
import { cuttingProxy } from './cutting-proxy.js'
import { connectorOf, type Kind, openDatabase } from './servers.js'

/** A database of so many people, on a server that others use as well. */
export async function chaosShop(kind: Kind, people: number): Promise<ChaosShop> {
  const database = await openDatabase(kind)
  const { name, run, rows, client } = database
  await run(
    'create table customer (id int primary key, email varchar(190) unique, name varchar(80))',
    'create table orders (id int primary key, customer_id int not null references customer (id), note varchar(80), key (customer_id))',
    'create table card (id int primary key, account varchar(190) unique, holder varchar(80))',
  )
  const { customer, orders } = shopRows(people)
  const insert = (table: string, values: readonly (readonly unknown[])[]) =>
    client.query(`insert into ${table} values ?`, [values])
  const cardsOf = (people: readonly number[]) => people.map((person) => [person, accountOf(person), nameOf(person)])
  await insert(
    'customer',
    customer.map(([person, name]) => [person, emailOf(person), name]),
  )
  await insert(
    'orders',
    orders.map(([person, note], at) => [at + 1, person, note]),
  )
  await insert('card', cardsOf(customer.map(([person]) => person)))
  const line = await cuttingProxy(database.url)
  const others = async () =>
    (await rows(`select id from information_schema.processlist where db = '${name}' and id <> connection_id()`)).flat()
  return {
    connector: connectorOf(kind),
    secrets: { url: line.url },
    key: 'id',
    cut: line.cut,
    heal: line.heal,
    /** Other suites need the server: all that this database knows of a restart happens to it. */
    async restart() {
      line.cut()
      for (const id of await others()) await client.query(`kill ${id}`).catch(() => {})
      await delay(2_000)
      line.heal()
    },
    rows: async () => ({
      customer: (await rows('select id, name from customer order by id')) as [number, string | null][],
      orders: (await rows('select customer_id, note from orders order by id')) as [number, string | null][],
      card: (await rows('select id from card order by id')).flat() as number[],
    }),
    async comeAgain(people) {
      await client.query(`update customer set name = concat('name ', id) where id in (?)`, [people])
      await insert('card', cardsOf(people))
    },
    others: async () => (await others()).length,
    async close() {
      await line.close()
      await database.close()
    },
  }
}
