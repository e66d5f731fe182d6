import { describe, expect, it } from 'vitest'
import { openDatabase, type TestDatabase } from './database.js'
import { countsOf, type ErasedShopOptions, erased, erasedShop, key, plain, refer } from './erased-shop.js'
import { caseless } from './loose-types.js'
import { sharedServer } from './shared-server.js'

/* Whose rows are, where what they point to is written differently there and only the server knows it for the same. */

const server = sharedServer()

const ann = 'ann@example.com'
/** Types of a key and of what points to it; Ann's key and Bob's, each with two further spellings. */
const loose: readonly Loose[] = [
  ['public.citext', 'public.citext', ['Ab', 'AB', 'aB'], ['ac', 'AC', 'aC']],
  ['text collate public.caseless', 'varchar(9) collate public.caseless', ['Ab', 'AB', 'aB'], ['ac', 'AC', 'aC']],
  ['numeric(8, 2)', 'numeric', ['1.00', '1', '1.0000'], ['2.00', '2', '2.0000']],
  ['jsonb', 'jsonb', ['[1]', '[1.0]', '[1.00]'], ['["1"]', '["1"]', '["1"]']],
  ['interval', 'interval', ['1 day', '24:00', '1440 minutes'], ['2 days', '48:00', '2880 minutes']],
  ['float8', 'float8', ['NaN', 'nan', 'NaN'], ['-Infinity', '-inf', '-Infinity']],
  ['timestamp', 'date', ['infinity', 'infinity', 'infinity'], ['-infinity', '-infinity', '-infinity']],
]
type Loose = readonly [key: string, pointer: string, hers: readonly string[], his: readonly string[]]

const email = plain('email', { identity: 'email' })
const undirected = (name: string, to: string) => plain(name, { references: [{ dataset: 'shop', field: to }] })
const customer = { name: 'customer', fields: [plain('code', { primary_key: true }), email, erased('name')] }

async function withShop(
  [type, pointer, [code], [bobs]]: Loose,
  tables: (pointer: string) => string,
  collections: readonly object[],
  work: (shop: Awaited<ReturnType<typeof erasedShop>>, database: TestDatabase) => Promise<void>,
  meanwhile?: (database: TestDatabase) => ErasedShopOptions['meanwhile'],
) {
  const database = await openDatabase(
    server.url,
    `${caseless}
     create table customer (code ${type} primary key, email text, name text);
     insert into customer values ('${code}', '${ann}', 'Ann'), ('${bobs}', 'bob@example.com', 'Bob');
     ${tables(`${pointer} references customer`)}`,
  )
  try {
    const around = meanwhile?.(database)
    await using shop = await erasedShop({
      ...{ database, collections },
      ...(around && { meanwhile: around }),
    })
    await work(shop, database)
  } finally {
    await database.close()
  }
}

const idsLeft = async ({ client }: TestDatabase, table: string) =>
  (await client.query(`select id from ${table} where note is not null order by id`)).rows.map(({ id }) => id)

const ticket = {
  name: 'ticket',
  fields: [key, refer('code', 'customer.code', 'from'), refer('helper', 'customer.code', 'from'), erased('note')],
}

describe.each(loose)('%s, referred to by %s', (...of) => {
  const [, , [, hers, again], [, his]] = of

  it('a row is hers where it names only her, shared where it names another as well, or his', async () => {
    await withShop(
      of,
      (points) => `create table ticket (id int primary key, code ${points}, helper ${points}, note text);
        insert into ticket values (1, '${hers}', '${again}', 'x'), (2, '${again}', null, 'x'), (3, '${hers}', '${his}', 'x'),
          (4, '${his}', '${his}', 'x'), (5, null, '${again}', 'x'), (6, null, null, 'x')`,
      [customer, ticket],
      async (shop, database) => {
        const request = await shop.erase({ email: ann })
        expect([request.status, request.failure]).toEqual(['complete', undefined])
        expect(countsOf(request)).toMatchObject({ customer: { masked: 1 }, ticket: { masked: 3, retained: 1 } })
        expect(await idsLeft(database, 'ticket')).toEqual([3, 4, 6])
      },
    )
  })

  it('an identity is confirmed by an owner, and contradicted by another', async () => {
    const orders = {
      name: 'orders',
      fields: [key, email, refer('code', 'customer.code', 'from'), erased('note')],
    }
    await withShop(
      of,
      (points) => `create table orders (id int primary key, email text, code ${points}, note text);
        insert into orders values (1, '${ann}', '${again}', 'x'), (2, '${ann}', '${his}', 'x'), (3, null, '${hers}', 'x'),
          (4, 'bob@example.com', '${his}', 'x')`,
      [customer, orders],
      async (shop, database) => {
        const request = await shop.erase({ email: ann })
        expect([request.status, request.failure]).toEqual(['complete', undefined])
        expect(countsOf(request)).toMatchObject({ orders: { masked: 2, retained: 1 } })
        expect(await idsLeft(database, 'orders')).toEqual([2, 4])
      },
    )
  })

  it('rows of an open reference are counted, except those that are hers by another one', async () => {
    const gift = {
      name: 'gift',
      fields: [key, refer('code', 'customer.code', 'from'), undirected('giver', 'customer.code'), erased('note')],
    }
    await withShop(
      of,
      (points) => `create table gift (id int primary key, code ${points}, giver ${points}, note text);
        insert into gift values (1, '${hers}', '${again}', 'x'), (2, null, '${again}', 'x'), (3, null, '${hers}', 'x'),
          (4, null, '${his}', 'x'), (5, '${his}', null, 'x')`,
      [customer, gift],
      async (shop, database) => {
        const id = await shop.submit({ email: ann })
        const paused = await shop.run(id)
        const reference = 'shop:gift.giver'
        expect(paused).toMatchObject({ status: 'paused', actionRequired: { accept: { acceptUndecided: [reference] } } })
        await shop.privacy.requests.accept(id, { acceptUndecided: [reference] })
        const request = await shop.run(id)
        expect([request.status, request.failure]).toEqual(['complete', undefined])
        const undecided = request.results?.flatMap((each) => each.undecided ?? [])
        expect(undecided).toMatchObject([{ reference, rowCount: 2 }])
        expect(await idsLeft(database, 'gift')).toEqual([2, 3, 4, 5])
      },
    )
  })

  it('a row that names him right before it is written stays', async () => {
    await withShop(
      of,
      (points) => `create table ticket (id int primary key, code ${points}, helper ${points}, note text);
        insert into ticket values (1, '${hers}', '${again}', 'x'), (2, '${again}', '${hers}', 'x')`,
      [customer, ticket],
      async (shop, database) => {
        const request = await shop.erase({ email: ann })
        expect(countsOf(request)).toMatchObject({ ticket: { masked: 1, changed: 1 } })
        expect(await idsLeft(database, 'ticket')).toEqual([2])
      },
      ({ client }) =>
        async ({ collection, when }) => {
          if (collection === 'ticket' && when === 'before')
            await client.query(`update ticket set helper = '${his}' where id = 2`)
        },
    )
  })

  it('dependents of a row that becomes his are found to have moved', async () => {
    const collections = [
      customer,
      { name: 'orders', fields: [key, refer('code', 'customer.code', 'from'), erased('note')] },
      { name: 'line', fields: [key, refer('order_id', 'orders.id', 'from'), erased('note')] },
      { name: 'other', fields: [key, refer('order_id', 'orders.id', 'from'), erased('note')] },
    ]
    let moved = false
    await withShop(
      of,
      (points) => `create table orders (id int primary key, code ${points}, note text);
        create table line (id int primary key, order_id int references orders, note text);
        create table other (id int primary key, order_id int references orders, note text);
        insert into orders values (1, '${hers}', 'x'), (2, '${again}', 'x');
        insert into line values (1, 1, 'x'), (2, 2, 'x'); insert into other values (1, 1, 'x'), (2, 2, 'x')`,
      collections,
      async (shop, database) => {
        const id = await shop.submit({ email: ann })
        const first = await shop.run(id)
        expect([first.status, moved]).toEqual(['error', true])
        const request = await shop.run(id)
        expect([request.status, request.failure]).toEqual(['complete', undefined])
        expect(await idsLeft(database, 'orders')).toEqual([2])
        expect((await idsLeft(database, 'line')).concat(await idsLeft(database, 'other'))).toHaveLength(1)
      },
      ({ client }) =>
        async ({ collection, when }) => {
          if (moved || when !== 'after' || (collection !== 'line' && collection !== 'other')) return
          moved = true
          await client.query(`update orders set code = '${his}' where id = 2`)
        },
    )
  })

  it('rows that refer to her row are counted before it is deleted, described or not', async () => {
    const visit = {
      ...{ name: 'visit', service_meta: { erase: 'delete' } },
      fields: [key, refer('code', 'customer.code', 'from'), erased('note')],
    }
    const collections = [{ ...customer, service_meta: { erase: 'delete' } }, visit]
    await withShop(
      of,
      (points) => `create table visit (id int primary key, code ${points} on delete cascade, note text);
        create table unknown (id int primary key, code ${points} on delete cascade);
        insert into visit values (1, '${hers}', 'x'), (2, '${again}', 'x'), (3, '${his}', 'x');
        insert into unknown values (1, '${again}'), (2, '${his}')`,
      collections,
      async (shop, { client }) => {
        const id = await shop.submit({ email: ann })
        const refused = await shop.run(id)
        expect(refused.status).toBe('error')
        expect(refused.failure).toContain("1 row of 'unknown' that this request does not delete")
        await client.query('delete from unknown where id = 1')
        const request = await shop.run(id)
        expect([request.status, request.failure]).toEqual(['complete', undefined])
        expect(countsOf(request)).toMatchObject({ customer: { erased: 1 }, visit: { erased: 2 } })
        expect((await client.query('select id from visit')).rows).toEqual([{ id: 3 }])
      },
    )
  })

  it('a row that hers refers to stays where a row of his refers to it as well', async () => {
    const room = { name: 'room', fields: [plain('code', { primary_key: true }), erased('note')] }
    const stay = { name: 'stay', fields: [key, email, refer('code', 'room.code', 'to'), erased('note')] }
    const [type, pointer, [code], [other]] = of
    await withShop(
      of,
      () => `create table room (code ${type} primary key, id int, note text);
        create table stay (id int primary key, email text, code ${pointer} references room, note text);
        insert into room values ('${code}', 1, 'x'), ('${other}', 2, 'x');
        insert into stay values (1, '${ann}', '${hers}', 'x'), (2, '${ann}', '${again}', 'x'), (3, '${ann}', '${his}', 'x'),
          (4, 'bob@example.com', '${other}', 'x')`,
      [customer, room, stay],
      async (shop, database) => {
        const request = await shop.erase({ email: ann })
        expect([request.status, request.failure]).toEqual(['complete', undefined])
        expect(countsOf(request)).toMatchObject({ room: { masked: 1, retained: 1 }, stay: { masked: 3 } })
        expect(await idsLeft(database, 'room')).toEqual([2])
      },
    )
  })
})
