import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDatabase, type TestDatabase } from './database.js'
import { countsOf, type ErasingMoment, erased, erasedShop, key, plain, refer } from './erased-shop.js'
import { sharedServer } from './shared-server.js'
import { erasure, waitingFor } from './waiting-for.js'

const ann = 'ann@example.com'
const setUp = `
create table customer (id int primary key, email text, phone text, name text);
create table orders (id int primary key, customer_id int references customer, note text, profile jsonb);
insert into customer values (0, '${ann}', '1', 'Ann'), (1, 'bob@example.com', '2', 'Bob'), (2, '${ann}', '2', 'Both');
insert into orders values (10, 0, 'first', '{"name": "Ann", "seen": 1}'), (11, 1, 'his', '{"name": "Bob"}'), (12, 0, 'second', null),
  (13, 0, 'third', null);`

const collections = (how: 'mask' | 'delete', orders: readonly object[] = []) => [
  {
    name: 'customer',
    fields: [key, plain('email', { identity: 'email' }), plain('phone', { identity: 'phone' }), erased('name')],
  },
  {
    name: 'orders',
    service_meta: { erase: how },
    fields: [key, refer('customer_id', 'customer.id', 'from'), erased('note'), ...orders],
  },
]

const ways = ['mask', 'delete'] as const

const server = sharedServer({ deadlock_timeout: '20ms' })
let database: TestDatabase
beforeEach(async () => {
  database = await openDatabase(server.url, setUp)
})
afterEach(() => database?.close())

/** Erases Ann's, two rows a statement, while the application writes once, right before or after the first of orders. */
async function eraseWhile(
  how: 'mask' | 'delete',
  write: string | (() => Promise<void>),
  { when = 'before', orders = [] }: { readonly when?: ErasingMoment['when']; readonly orders?: object[] } = {},
) {
  let written = false
  const shop = await erasedShop({
    database,
    collections: collections(how, orders),
    maxErased: 2,
    async meanwhile(moment) {
      if (written || moment.collection !== 'orders' || moment.when !== when) return
      written = true
      await (typeof write === 'string' ? database.client.query(write) : write())
    },
  })
  const id = await shop.submit({ email: ann })
  const request = await shop.run(id)
  return { request, again: () => shop.run(id), [Symbol.asyncDispose]: () => shop[Symbol.asyncDispose]() }
}

const rowsOf = async (what: string) => (await database.client.query(what)).rows
const orders = () => rowsOf('select id, customer_id, note from orders order by id')
const customers = () => rowsOf('select id, name from customer order by id')
const his = { id: 11, customer_id: 1, note: 'his' }

describe('on a server, the application writes between reading and erasing', () => {
  it.each(ways)(
    'a row that was deleted meanwhile is gone, and nobody says that the erasure removed it (%s)',
    async (how) => {
      await using run = await eraseWhile(how, 'delete from orders where id = 13')
      const word = how === 'mask' ? 'masked' : 'erased'
      expect(run.request.failure).toBeUndefined()
      expect(countsOf(run.request)['orders']).toEqual({ [word]: 2, gone: 1 })
    },
  )

  it.each(ways)('a row that was re-keyed to somebody else is left as it is, and reported (%s)', async (how) => {
    await using run = await eraseWhile(how, 'update orders set customer_id = 1 where id = 13')
    expect(run.request.failure).toBeUndefined()
    expect(countsOf(run.request)['orders']).toEqual({ [how === 'mask' ? 'masked' : 'erased']: 2, changed: 1 })
    expect(await rowsOf('select * from orders where customer_id = 1 order by id')).toEqual([
      { ...his, profile: { name: 'Bob' } },
      { id: 13, customer_id: 1, note: 'third', profile: null },
    ])
  })

  it('a row that got another key of its own is found by a retry, and counted once', async () => {
    await using run = await eraseWhile('mask', 'update orders set id = 99 where id = 13')
    expect(run.request).toMatchObject({
      status: 'error',
      failure: expect.stringContaining("appeared in 'shop:orders'"),
    })
    expect(await customers()).toContainEqual({ id: 0, name: 'Ann' })
    const end = await run.again()
    expect([end.failure, countsOf(end)]).toEqual([undefined, { customer: { masked: 2 }, orders: { masked: 3 } }])
    expect(await orders()).toContainEqual({ id: 99, customer_id: 0, note: null })
  })

  it('a key that a row of somebody else has taken over is not that row', async () => {
    await using run = await eraseWhile(
      'delete',
      "delete from orders where id = 13; insert into orders values (13, 1, 'taken over')",
    )
    expect([run.request.failure, countsOf(run.request)['orders']]).toEqual([undefined, { erased: 2, changed: 1 }])
    expect(await orders()).toEqual([his, { id: 13, customer_id: 1, note: 'taken over' }])
  })

  it('a value that was changed after it was read is erased as well', async () => {
    await using run = await eraseWhile('mask', "update orders set note = 'edited' where id in (10, 13)")
    expect([run.request.failure, countsOf(run.request)['orders']]).toEqual([undefined, { masked: 3 }])
    expect(await rowsOf('select id from orders where note is not null')).toEqual([{ id: 11 }])
  })

  it('a value typed again after it was masked is a residual, and a retry erases it', async () => {
    await using run = await eraseWhile('mask', "update orders set note = 'typed again' where id = 10", {
      when: 'after',
    })
    expect(run.request).toMatchObject({
      status: 'error',
      failure: expect.stringContaining("1 row of 'shop:orders' still holds data that was to be erased (note)"),
    })
    const end = await run.again()
    expect(end.failure).toBeUndefined()
    expect(await rowsOf('select id from orders where note is not null')).toEqual([{ id: 11 }])
  })

  it.each(ways)(
    'a row that came since keeps the rows that lead to it, until a retry has erased it (%s)',
    async (how) => {
      await using run = await eraseWhile(how, "insert into orders values (14, 0, 'new')")
      expect(run.request).toMatchObject({
        status: 'error',
        failure: expect.stringContaining("appeared in 'shop:orders'"),
      })
      expect(await customers()).toContainEqual({ id: 0, name: 'Ann' })
      const end = await run.again()
      expect(end.failure).toBeUndefined()
      expect(countsOf(end)['orders']).toEqual({ [how === 'mask' ? 'masked' : 'erased']: 4 })
      expect(await rowsOf('select id from orders where note is not null')).toEqual([{ id: 11 }])
    },
  )

  it.each(ways)(
    'a transaction that locks the same rows in the opposite order makes neither side fail (%s)',
    async (how) => {
      const other = await database.session()
      const crossing = async () => {
        await waitingFor(database.client, erasure)
        const ended = await other.query("update orders set note = 'a' where id = 10").then(
          () => 'commit',
          () => 'rollback',
        )
        await other.query(ended)
      }
      let crossed: Promise<void> | undefined
      await using run = await eraseWhile(how, async () => {
        await other.query("begin; update orders set note = 'b' where id = 12")
        crossed = crossing()
      })
      await crossed
      expect([run.request.failure, countsOf(run.request)['orders']]).toEqual([
        undefined,
        { [how === 'mask' ? 'masked' : 'erased']: 3 },
      ])
      expect(await rowsOf('select id from orders where note is not null')).toEqual([{ id: 11 }])
    },
  )
})

describe('on a server, the application writes to a document between reading and erasing', () => {
  const profile = { ...plain('profile', { data_type: 'object' }), fields: [erased('name'), plain('seen')] }
  const documents = () => rowsOf('select id, profile from orders where profile is not null order by id')
  const others = { id: 11, profile: { name: 'Bob' } }
  const set = (path: string, value: string) =>
    `update orders set profile = jsonb_set(profile, '{${path}}', '${value}') where id = 10`

  it.each([
    ['what it wrote to another member', set('seen', '2'), { name: null, seen: 2 }],
    ['a member that it added', set('basket', '[1]'), { name: null, seen: 1, basket: [1] }],
  ])('%s stays', async (_, write, expected) => {
    await using run = await eraseWhile('mask', write, { orders: [profile] })
    expect([run.request.failure, countsOf(run.request)['orders']]).toEqual([undefined, { masked: 3 }])
    expect(await documents()).toEqual([{ id: 10, profile: expected }, others])
  })

  it('a value that it writes to the erased member is erased, or reported and never called done', async () => {
    await using run = await eraseWhile('mask', set('name', '"Anna"'), { orders: [profile] })
    const [document] = await documents()
    if (run.request.status === 'complete') expect(document.profile).toEqual({ name: null, seen: 1 })
    else
      expect(run.request.failure).toContain("1 row of 'shop:orders' still holds data that was to be erased (profile)")
    const end = run.request.status === 'complete' ? run.request : await run.again()
    expect([end.failure, countsOf(end)['orders']]).toEqual([undefined, { masked: 3 }])
    expect(await documents()).toEqual([{ id: 10, profile: { name: null, seen: 1 } }, others])
  })

  it('a document that it removed need not be erased', async () => {
    await using run = await eraseWhile('mask', 'update orders set profile = null where id = 10', { orders: [profile] })
    expect(run.request.failure).toBeUndefined()
    expect(await documents()).toEqual([others])
  })
})

describe("on a server, 'retain' until a period after a date or time of the row", () => {
  it.each([
    ['date', "'2000-01-01'", 'current_date + 1'],
    ['timestamp', "'2000-01-01 10:00:00.5'", "localtimestamp + interval '1 day'"],
    ['timestamptz', "'2000-01-01 10:00:00.5+02'", "now() + interval '1 day'"],
  ])('%s', async (type, past, future) => {
    await database.client.query(`alter table orders add placed ${type};
      update orders set placed = ${past} where id in (10, 11); update orders set placed = ${future} where id = 12`)
    const retain = { reason: 'tax law', until: { after: 'placed', period: 'P1D' } }
    const [customer, given] = collections('mask') as [object, { fields: readonly { name: string }[] }]
    const fields = given.fields.map((each) => (each.name === 'note' ? erased('note', { retain }) : each))
    await using shop = await erasedShop({
      database,
      collections: [customer, { name: 'orders', fields: [...fields, plain('placed')] }],
    })
    const request = await shop.erase({ email: ann })
    expect([request.failure, countsOf(request)['orders']]).toEqual([undefined, { masked: 1, retained: 2 }])
    expect(await orders()).toEqual([
      { id: 10, customer_id: 0, note: null },
      his,
      { id: 12, customer_id: 0, note: 'second' },
      { id: 13, customer_id: 0, note: 'third' },
    ])
  })
})

describe('on a server, erasures of people who share rows', () => {
  it.each(ways)('run at once in three processes, end alike and leave no row (%s)', async (how) => {
    // A telephone number says whose rows are where no two e-mail addresses stand beside it.
    await database.client.query(`update customer set email = null where id = 1;
      insert into customer values (3, 'carol@example.com', '3', 'Carol');
      insert into orders select 100 + i, i % 4, 'note' from generate_series(0, 399) i`)
    const third = await rowsOf('select * from orders where customer_id = 3 order by id')
    await using shop = await erasedShop({ database, collections: collections(how), maxErased: 20, processes: 3 })
    const ids = await Promise.all(
      [{ email: ann }, { email: ann }, { phone: '2' }].map((identity) => shop.submit(identity)),
    )
    const requests = await Promise.all(
      ids.map(async (id, at) => {
        let request = await shop.run(id, at)
        for (let attempt = 0; attempt < 5 && request.status === 'error'; attempt++) request = await shop.run(id, at)
        return request
      }),
    )
    expect(requests.map(({ status, failure }) => [status, failure])).toEqual(ids.map(() => ['complete', undefined]))
    expect(await customers()).toEqual(
      [0, 1, 2].map((id) => ({ id, name: null })).concat({ id: 3, name: 'Carol' } as never),
    )
    expect(await rowsOf('select * from orders where note is not null order by id')).toEqual(third)
    if (how === 'delete') expect(await rowsOf('select id from orders where customer_id <> 3')).toEqual([])
    // Whoever comes second finds less, and says so: every row is counted by one of them, none by one whose it is not.
    const counts = requests.map((request) => countsOf(request)['orders'] ?? {})
    const written = counts.map(({ masked = 0, erased = 0 }) => masked + erased)
    expect(written.reduce((sum, count) => sum + count)).toBeGreaterThanOrEqual(304)
    const found = counts.map((each) => Object.values(each).reduce((sum, count) => sum + count, 0))
    expect(found.every((count, at) => count <= [203, 203, 201][at]!)).toBe(true)
    expect(await shop.storage.table('erasureLock').count()).toBe(0)
  })
})
