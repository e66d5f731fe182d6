import { setTimeout as delay } from 'node:timers/promises'
import type { Connector } from '@habeas/core'
import { startPostgres } from '@habeas/testkit'
import pg from 'pg'
import { postgresConnector } from '../../src/index.js'
import { cuttingProxy } from '../cutting-proxy.js'

/** How many orders each person has: several batches. */
export const ordersEach = 50

export const emailOf = (person: number) => `person${person}@example.com`
export const accountOf = (person: number) => `account-${person}`
export const nameOf = (person: number) => `name ${person}`
const numbers = (count: number) => Array.from({ length: count }, (_, at) => at + 1)

/** All rows of the shop, in the order of their keys. */
export interface ShopRows {
  readonly customer: readonly (readonly [person: number, name: string | null])[]
  /** A note for each order of a person. */
  readonly orders: readonly (readonly [person: number, note: string | null])[]
  /** Whose cards there are. */
  readonly card: readonly number[]
}

/** What a shop holds whose customers are the numbers up to `people`. */
export const shopRows = (people: number): ShopRows => ({
  customer: numbers(people).map((person) => [person, nameOf(person)]),
  orders: numbers(people).flatMap((person) => numbers(ordersEach).map((at) => [person, `note ${at}`] as const)),
  card: numbers(people),
})

/** The database of the people that ask, with what can happen to it. */
export interface ChaosShop {
  readonly connector: Connector
  /** They lead over a line that can be cut. */
  readonly secrets: Readonly<Record<string, unknown>>
  /** The column or member that is the key of each table. */
  readonly key: string
  cut(): void
  heal(): void
  /** Ends all sessions at once, with everything that they have not committed. */
  restart(): Promise<void>
  rows(): Promise<ShopRows>
  /** People who were erased come again, under the keys that their rows had. */
  comeAgain(people: readonly number[]): Promise<void>
  /** How many sessions or transactions of others are open. */
  others(): Promise<number>
  close(): Promise<void>
}

const user = { data_categories: ['user'] }

/** A key that leads to rows is an account: only the receiver of the webhook knows it. */
export const datasetOf = (key: string) => {
  const id = { name: key, service_meta: { primary_key: true } }
  const ofCustomer = { references: [{ dataset: 'shop', field: `customer.${key}`, direction: 'from' as const }] }
  return {
    service_key: 'shop',
    collections: [
      {
        name: 'customer',
        fields: [id, { name: 'email', service_meta: { identity: 'email' } }, { name: 'name', ...user }],
      },
      { name: 'orders', fields: [id, { name: 'customer_id', service_meta: ofCustomer }, { name: 'note', ...user }] },
      {
        name: 'card',
        service_meta: { erase: 'delete' as const },
        fields: [id, { name: 'account', service_meta: { identity: 'account' } }, { name: 'holder', ...user }],
      },
    ],
  }
}

/** A PostgreSQL whose only purpose is this shop. */
export async function postgresShop(people: number): Promise<ChaosShop> {
  // What it has confirmed has to outlive its crashes.
  const server = await startPostgres({ durable: true })
  const pool = new pg.Pool({ connectionString: server.url, max: 2, application_name: 'chaos' })
  pool.on('error', () => {})
  await pool.query(`
    create table customer (id int primary key, email text unique, name text);
    create table orders (id int primary key, customer_id int not null references customer, note text);
    create index on orders (customer_id);
    create table card (id int primary key, account text unique, holder text);
    insert into customer select n, 'person' || n || '@example.com', 'name ' || n from generate_series(1, ${people}) n;
    insert into card select n, 'account-' || n, 'name ' || n from generate_series(1, ${people}) n;
    insert into orders select n * 1000 + m, n, 'note ' || m
      from generate_series(1, ${people}) n, generate_series(1, ${ordersEach}) m
  `)
  const line = await cuttingProxy(server.url)
  const listed = async <Row>(text: string) => (await pool.query({ text, rowMode: 'array' })).rows as Row[]
  return {
    connector: postgresConnector(),
    secrets: { url: line.url },
    key: 'id',
    cut: () => line.cut(),
    heal: () => line.heal(),
    restart: () => crash(pool),
    rows: async () => ({
      customer: await listed<[number, string | null]>('select id, name from customer order by id'),
      orders: await listed<[number, string | null]>('select customer_id, note from orders order by id'),
      card: (await listed<[number]>('select id from card order by id')).flat(),
    }),
    async comeAgain(people) {
      await pool.query(`update customer set name = 'name ' || id where id = any($1)`, [people])
      await pool.query(`insert into card select n, 'account-' || n, 'name ' || n from unnest($1::int[]) n`, [people])
    },
    async others() {
      const text = `select count(*)::int from pg_stat_activity where datname = current_database() and application_name <> 'chaos'`
      return (await listed<[number]>(text))[0]?.[0] as number
    },
    async close() {
      await Promise.all([pool.end(), line.close()])
      await server.stop()
    },
  }
}

/** A session that is killed makes the server end all others, recover and start again. */
export async function crash(pool: pg.Pool): Promise<void> {
  for (;;) {
    try {
      const { rows } = await pool.query('select pg_backend_pid() as pid')
      process.kill(rows[0].pid, 'SIGKILL')
      return
    } catch {
      await delay(100) // it is away already
    }
  }
}
