import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { crashWorlds } from './crash-world.js'
import { customers } from './customers.js'
import { onPostgres } from './on-postgres.js'

/* A process is told to end while it runs a request, as in each deploy. Another one, whose clock is not ahead, goes on. */

const email = 'ann@example.com'
const tables = `
  create table customer (id int primary key, email text, name text);
  create table orders (id int primary key, customer_id int not null references customer, note text);
  insert into customer values (1, '${email}', 'Ann'), (2, 'ben@example.com', 'Ben');
  insert into orders select n, 1, 'note ' || n from generate_series(1, 5) n
`
const user = { data_categories: ['user'] }
const customerId = { references: [{ dataset: 'shop', field: 'customer.id', direction: 'from' }] }
const dataset = {
  service_key: 'shop',
  collections: [
    customers,
    {
      name: 'orders',
      fields: [
        { name: 'id', service_meta: { primary_key: true } },
        { name: 'customer_id', service_meta: customerId },
        { name: 'note', ...user },
      ],
    },
  ],
}
const all = { data_categories: { matches: 'ANY', values: ['user'] } } as const
const policy = {
  service_key: 'both',
  rules: [
    { service_key: 'access', action_type: 'access', ...all },
    { service_key: 'erasure', action_type: 'erasure', ...all },
  ],
}
const submission = { policyKey: 'both', identities: [{ email }] }
const openWorld = crashWorlds({ ...onPostgres, tables, dataset, policy })

describe('a process that is told to end hands its request back', () => {
  it.each([
    'described',
    'customer: before it is read',
    'orders: in the middle',
    'orders: before it is erased',
    'orders: before the commit of what is erased',
    'orders: erased',
    'customer: before it is erased',
  ])('%s', { timeout: 120_000 }, async (step) => {
    const world = await openWorld()
    const test = new pg.Client({ connectionString: world.place.url })
    await test.connect()
    await test.query('select pg_advisory_lock(42)')
    const child = await world.startChild({ submission, pause: step })
    const waiting = `select from pg_locks where locktype = 'advisory' and not granted and objid = 42`
    while ((await test.query(waiting)).rowCount === 0) await delay(10)
    child.signal('SIGTERM')
    await test.query('select pg_advisory_unlock(42)')
    expect((await child.ended).killed).toBe(false)
    const [id] = await world.requests()
    const { request, package: delivered, trail, doubts } = await world.endingOf(id as string, { minutesAhead: 0 })
    expect(request.failure ?? request.status).toBe('complete')
    expect(JSON.parse(delivered)['shop:orders']).toHaveLength(5)
    expect(trail).not.toContain('request_failed')
    expect(doubts).toEqual([])
    expect(JSON.parse(await world.rowsOf('customer', 'orders'))).toEqual({
      customer: [
        { id: 1, email: null, name: null },
        { id: 2, email: 'ben@example.com', name: 'Ben' },
      ],
      orders: [1, 2, 3, 4, 5].map((at) => ({ id: at, customer_id: 1, note: null })),
    })
    await test.end()
    await world.close()
  })
})
