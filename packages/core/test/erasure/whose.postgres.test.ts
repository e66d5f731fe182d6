import type { Connection, Connector } from '@habeas/core'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { postgresConnector } from '../../../adapter-postgres/src/index.js'
import { sharedServer } from '../../../adapter-postgres/test/shared-server.js'
import { collection, field, refer } from '../engine/described.js'
import { from, kept, key, plain } from './described-erasure.js'
import { erasedOf, erasureWorld } from './erasure-world.js'

const ann = { email: 'ann@example.com' }
const to = (name: string, of: string) => kept(refer(name, of, { direction: 'to' }))
const anyCase = (name: string, of: string) => kept(refer(name, of, { meta: { case_insensitive: true } }))

const server = sharedServer()
let client: pg.Client
beforeAll(async () => {
  client = new pg.Client({ connectionString: server.url })
  await client.connect()
})
beforeEach(async () => {
  await client.query('drop schema if exists shop cascade; create schema shop; set search_path to shop, public')
})
afterAll(async () => {
  await client.end()
})

type Call = 'countEach' | 'erase'

/** A connector that does something once, right before a call about a collection takes effect. */
function interrupted(at: Call, collection: string, work: () => Promise<unknown>): Connector {
  const connector = postgresConnector()
  let done = false
  const once = async (call: Call, name: string) => {
    if (done || call !== at || name !== collection) return
    done = true
    await work()
  }
  return {
    ...connector,
    async connect(): Promise<Connection> {
      const connection = await connector.connect(connector.parseSecrets({ url: server.url, db_schema: 'shop' }))
      return {
        ...connection,
        async countEach(asked, options) {
          await once('countEach', asked.collection)
          return (await connection.countEach?.(asked, options)) ?? []
        },
        async erase(erase, options) {
          if (!options?.rollBack) await once('erase', erase.collection)
          await connection.erase?.(erase, options)
        },
      }
    },
  }
}

const rowsOf = async (what: string) => (await client.query(what)).rows

/** Erases Ann's while something happens; `again` retries. */
async function eraseWhile(
  collections: readonly object[],
  connector: Connector = interrupted('erase', '', async () => {}),
) {
  const world = await erasureWorld(connector, [{ service_key: 'shop', collections }], {
    connectionSecrets: { url: server.url, db_schema: 'shop' },
  })
  const { id } = await world.privacy.requests.submit({ policyKey: 'erase', identities: [ann] })
  const request = await world.privacy.requests.settled(id)
  const again = async () => {
    await world.privacy.requests.retry(id)
    return world.privacy.requests.settled(id)
  }
  return { request, again, [Symbol.asyncDispose]: () => world.privacy.close() }
}

/** Customers are known by a text whose case does not count, orders by a decimal: whoever refers to them may spell them otherwise. */
const spelled = `
create table address (id numeric(6, 2) primary key, street text);
create table customer (id text primary key, email text, address_id numeric(8, 4) references address);
create table orders (id numeric(6, 2) primary key, customer_id text not null, note text);
create table line (id uuid primary key, order_id numeric(8, 4) not null references orders, title text);
insert into address values (30, 'Home Lane'), (31, 'Bob''s Street');
insert into customer values ('Ann1', 'Ann@Example.com', 30), ('Bob1', 'bob@example.com', 31);
insert into orders values (10, 'ANN1', 'first'), (11, 'ann1', 'second'), (12, 'BOB1', 'his');
insert into line values (gen_random_uuid(), 10, 'first'), (gen_random_uuid(), 11, 'second'), (gen_random_uuid(), 12, 'his');`

const collections = (erase: 'mask' | 'delete') => [
  collection('customer', [
    plain('id', { primary_key: true, case_insensitive: true }),
    ...[kept(field('email', { identity: 'email' })), to('address_id', 'address.id')],
  ]),
  collection('orders', [key, anyCase('customer_id', 'customer.id'), field('note')], { erase }),
  collection('line', [key, from('order_id', 'orders.id'), field('title')], { erase }),
  collection('address', [key, field('street')]),
]
const hers = "select title from line where title <> 'his' order by title"

describe.each(['mask', 'delete'] as const)('on a server, where keys are spelled in several ways: %s', (how) => {
  const word = how === 'mask' ? 'masked' : 'erased'
  beforeEach(() => client.query(spelled))

  test('all her rows are erased, and none of his', async () => {
    await using run = await eraseWhile(collections(how))
    expect([run.request.failure, erasedOf(run.request)]).toEqual([
      undefined,
      {
        'shop:address': 'masked 1',
        'shop:orders': `${word} 2`,
        'shop:line': `${word} 2`,
        'shop:customer': 'retained 1 (no rule asks for anything of it)',
      },
    ])
    expect(await rowsOf(hers)).toEqual([])
    expect(await rowsOf('select street from address order by id')).toEqual([
      { street: null },
      { street: "Bob's Street" },
    ])
  })

  test('an order that moves to another customer meanwhile stays, and so do its lines', async () => {
    const move = () => client.query("update orders set customer_id = 'BoB1' where id = 11")
    await using run = await eraseWhile(collections(how), interrupted('countEach', 'customer', move))
    expect(run.request.failure).toContain("1 row of 'shop:orders' is no longer the person's")
    expect(await rowsOf(hers)).toEqual([{ title: 'first' }, { title: 'second' }])
    const end = await run.again()
    expect([end.failure, erasedOf(end)['shop:line']]).toEqual([undefined, `${word} 1`])
    expect(await rowsOf(hers)).toEqual([{ title: 'second' }])
    expect(await rowsOf('select note from orders where id = 11')).toEqual([{ note: 'second' }])
  })

  test('an address that becomes his meanwhile is not masked', async () => {
    const move = () =>
      client.query("update customer set address_id = case id when 'Bob1' then 30 end where id in ('Ann1', 'Bob1')")
    await using run = await eraseWhile(collections(how), interrupted('countEach', 'customer', move))
    expect(run.request.status).toBe('error')
    const end = await run.again()
    expect([end.failure, erasedOf(end)['shop:address']]).toEqual([undefined, 'nothing_found 0'])
    expect(await rowsOf('select street from address where id = 30')).toEqual([{ street: 'Home Lane' }])
  })
})

describe('on a server, a value that is put back after its batch was verified is an error, and does not count as masked', () => {
  const described = [
    collection('customer', [key, kept(field('email', { identity: 'email' })), field('name')]),
    collection('orders', [key, from('customer_id', 'customer.id'), field('note')]),
  ]
  beforeEach(() =>
    client.query(`
create table customer (id int primary key, email text, name text);
create table orders (id int primary key, customer_id int not null references customer, note text);
insert into customer values (0, 'ann@example.com', 'Ann'), (1, 'bob@example.com', 'Bob');
insert into orders values (10, 0, 'first'), (11, 0, 'second'), (12, 1, 'his');`),
  )
  const told = "1 row of 'shop:orders' that was erased holds data again (note)"

  test('a trigger of another table', async () => {
    await client.query(`
create function copies_the_name() returns trigger language plpgsql as $$ begin
  update shop.orders set note = 'of ' || old.name where id = 10; return new; end $$;
create trigger copies_the_name after update of name on customer for each row execute function copies_the_name();`)
    await using run = await eraseWhile(described)
    expect([run.request.status, run.request.failure]).toEqual(['error', expect.stringContaining(told)])
    expect(erasedOf(run.request)['shop:orders']).toMatch(/^masked 1, failed 1 /)
    await client.query('drop trigger copies_the_name on customer')
    const end = await run.again()
    expect([end.failure, erasedOf(end)['shop:orders']]).toEqual([undefined, 'masked 2'])
    expect(await rowsOf('select note from orders order by id')).toEqual([
      { note: null },
      { note: null },
      { note: 'his' },
    ])
  })

  test('a stale save of the application', async () => {
    const save = () => client.query("update orders set note = 'first' where id = 10")
    await using run = await eraseWhile(described, interrupted('erase', 'customer', save))
    expect([run.request.status, run.request.failure]).toEqual(['error', expect.stringContaining(told)])
    const end = await run.again()
    expect([end.failure, erasedOf(end)['shop:orders']]).toEqual([undefined, 'masked 2'])
    expect(await rowsOf('select id from orders where note is not null')).toEqual([{ id: 12 }])
  })
})

test('an e-mail address is found and erased with the blanks and the case it was saved with', async () => {
  await client.query(`create table customer (id int primary key, email text, name text);
    insert into customer values (1, E' Ann@Example.com\r\n', 'Ann'), (2, 'joann@example.com', 'Jo'), (3, 'ann @example.com', 'An')`)
  const described = collection('customer', [key, field('email', { identity: 'email' }), field('name')])
  await using world = await erasureWorld(postgresConnector(), [{ service_key: 'shop', collections: [described] }], {
    connectionSecrets: { url: server.url, db_schema: 'shop' },
  })
  const { status, failure, found } = await world.erase({ email: 'ann@example.com ' })
  expect([status, failure, found]).toEqual(['complete', undefined, undefined])
  expect(await rowsOf('select id, email is null as gone, name from customer order by id')).toEqual([
    { id: 1, gone: true, name: null },
    { id: 2, gone: false, name: 'Jo' },
    { id: 3, gone: false, name: 'An' },
  ])
})
