import type pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { having, openDatabase, quoted, type TestDatabase } from './database.js'
import { countsOf, erased, erasedShop, key, plain, refer } from './erased-shop.js'
import { sharedServer } from './shared-server.js'
import { erasure, pid, waitingFor } from './waiting-for.js'

const ann = 'ann@example.com'
const tables = (type: string, first: string, second: string) => `
create extension if not exists citext schema public;
create table address (id ${type} primary key, street text);
create table customer (id int primary key, email text, address_id ${type} references address);
insert into address values ('${first}', 'Ann Lane'), ('${second}', 'Ann Road'), ('9', 'Bob Street');
insert into customer values (0, '${ann}', '${first}'), (1, 'bob@example.com', '9'), (2, '${ann}', '${second}');`

const collections = (how: 'mask' | 'delete') => [
  {
    ...{ name: 'customer', service_meta: { erase: how } },
    fields: [key, plain('email', { identity: 'email' }), refer('address_id', 'address.id', 'to')],
  },
  { name: 'address', service_meta: { erase: how }, fields: [key, erased('street')] },
]

const server = sharedServer({ deadlock_timeout: '500ms' })
let database: TestDatabase
let other: pg.Client
beforeEach(async () => {
  database = await openDatabase(server.url, tables('int', '7', '8'))
  other = await database.session()
})
afterEach(() => database.close())

const rowsOf = async (what: string) => (await database.client.query(what)).rows
const streets = async () => (await rowsOf('select street from address order by id::text')).map(({ street }) => street)

interface Interrupted {
  readonly how?: 'mask' | 'delete'
  /** Collections beside the usual ones. */
  readonly further?: readonly object[]
  /** Right before its rows are written somebody acts. */
  readonly written?: string
}

/** Erases Ann's while somebody acts when everything was found and read again, right before rows are written. */
async function eraseWhile(
  act: () => Promise<unknown>,
  { how = 'mask', further = [], written = 'address' }: Interrupted = {},
) {
  let acted = false
  const shop = await erasedShop({
    ...{ database, collections: [...collections(how), ...further] },
    async meanwhile({ collection, when }) {
      if (acted || collection !== written || when !== 'before') return
      acted = true
      await act()
    },
  })
  const id = await shop.submit({ email: ann })
  const request = await shop.run(id)
  return { request, again: () => shop.run(id), [Symbol.asyncDispose]: () => shop[Symbol.asyncDispose]() }
}

const waiting = (who: string) => waitingFor(database.client, who)
const moveIn = 'update customer set address_id = 7 where id = 1'
const came =
  "1 row of 'shop:customer' now refers to rows of 'shop:address', so these may belong to somebody else as well and were not changed: retry to find their owners again."

describe('rows that refer to a row are counted in the transaction that writes it', () => {
  it('somebody else’s reference that comes after it was found keeps it, and a retry erases the rest', async () => {
    await using run = await eraseWhile(() => other.query(moveIn))
    expect(run.request).toMatchObject({ status: 'error', failure: expect.stringContaining(came) })
    expect(await streets()).toEqual(['Ann Lane', 'Ann Road', 'Bob Street'])
    const end = await run.again()
    expect([end.failure, countsOf(end)['address']]).toEqual([undefined, { masked: 1, retained: 1 }])
    expect(await streets()).toEqual(['Ann Lane', null, 'Bob Street'])
  })

  it.each(['no action', 'set null', 'cascade'])(
    "somebody else's pointer does not make up for one that was deleted before (%s)",
    async (onDelete) => {
      await database.client.query(`alter table customer drop constraint customer_address_id_fkey,
        add foreign key (address_id) references address on delete ${onDelete}`)
      await using run = await eraseWhile(() => other.query(moveIn), { how: 'delete' })
      expect(run.request).toMatchObject({ status: 'error', failure: expect.stringContaining(came) })
      expect(await rowsOf('select id, address_id from customer')).toEqual([{ id: 1, address_id: 7 }])
      expect(await streets()).toEqual(['Ann Lane', 'Ann Road', 'Bob Street'])
    },
  )

  it("somebody else's pointer does not take the place of one of hers, where nothing is followed over it", async () => {
    await database.client.query(`
      create table visit (id int primary key, customer_id int references customer, address_id int references address);
      insert into visit values (1, 0, 7), (2, 1, 9)`)
    const visit = {
      name: 'visit',
      fields: [
        key,
        refer('customer_id', 'customer.id', 'from'),
        plain('address_id', { references: [{ dataset: 'shop', field: 'address.id' }] }),
      ],
    }
    const swap = 'update visit set address_id = case id when 1 then 9 else 7 end'
    await using run = await eraseWhile(() => other.query(swap), { further: [visit] })
    expect(run.request).toMatchObject({
      status: 'error',
      failure: expect.stringContaining("1 row of 'shop:visit' now refers to rows of 'shop:address'"),
    })
    expect(await streets()).toEqual(['Ann Lane', 'Ann Road', 'Bob Street'])
  })

  it.each(['cascade', 'set null'])(
    'a row that comes to refer to a row to delete is not deleted with it (%s)',
    async (onDelete) => {
      await database.client.query(
        `create table note (id int primary key, about int references customer on delete ${onDelete})`,
      )
      const insert = 'insert into note values (1, 0)'
      await using run = await eraseWhile(() => other.query(insert), { how: 'delete', written: 'customer' })
      const carried = `1 row of 'note' now refers to rows of 'shop:customer' that were to be deleted, and the deletion would reach it as well (${onDelete})`
      expect(run.request).toMatchObject({ status: 'error', failure: expect.stringContaining(carried) })
      expect(await rowsOf('select * from note')).toEqual([{ id: 1, about: 0 }])
      expect(await rowsOf('select id from customer order by id')).toEqual([{ id: 0 }, { id: 1 }, { id: 2 }])
    },
  )

  it.each([
    ['commit', { status: 'error', failure: expect.stringContaining(came) }, 'Ann Lane'],
    ['rollback', { status: 'complete' }, null],
  ])('the erasure waits for a transaction that is about to refer to it: %s', async (end, expected, street) => {
    await other.query(`begin; ${moveIn}`)
    let ended: Promise<unknown> | undefined
    await using run = await eraseWhile(async () => {
      ended = waiting(erasure).then(() => other.query(end))
    })
    await ended
    expect(run.request).toMatchObject(expected)
    expect((await streets())[0]).toBe(street)
  })

  it('a transaction that wants to refer to it while it is written waits, and then refers to the masked row', async () => {
    await database.client.query(`create function wait() returns trigger language plpgsql as
        $$ begin perform pg_advisory_xact_lock(42); return new; end $$;
      create trigger held before update on address for each row execute function wait()`)
    const holder = await database.session()
    const seen: unknown[] = []
    const movingIn = async () => {
      await waiting(erasure)
      const moved = other.query(`${moveIn}; select street from address where id = 7`)
      seen.push(await waiting(pid(other)))
      await holder.query('select pg_advisory_unlock(42)')
      seen.push((await (moved as unknown as Promise<pg.QueryResult[]>))[1]?.rows)
    }
    let moved: Promise<void> | undefined
    await using run = await eraseWhile(async () => {
      await holder.query('select pg_advisory_lock(42)')
      moved = movingIn()
    })
    await moved
    expect(seen).toEqual([['habeas 0'], [{ street: null }]])
    expect([run.request.failure, countsOf(run.request)['address']]).toEqual([undefined, { masked: 2 }])
    expect(await rowsOf('select address_id from customer where id = 1')).toEqual([{ address_id: 7 }])
  })

  it('an application that refers to rows in the opposite order makes neither side fail', async () => {
    // The erasure has locked 7 and waits for 8. What the application waits for is not looked at for long.
    await other.query(`set deadlock_timeout to '20s'; begin; update customer set address_id = 8 where id = 0`)
    const crossing = async () => {
      await waiting(erasure)
      const ended = await other.query('update customer set address_id = 7 where id = 2').then(
        () => 'commit',
        () => 'rollback',
      )
      await other.query(ended)
    }
    let crossed: Promise<void> | undefined
    await using run = await eraseWhile(async () => {
      crossed = crossing()
    })
    await crossed
    expect([run.request.failure, countsOf(run.request)['address']]).toEqual([undefined, { masked: 2 }])
    expect(await streets()).toEqual([null, null, 'Bob Street'])
  })

  it('a pointer that spells the key differently counts as well', async () => {
    await database.client.query(`drop table customer, address; ${tables('public.citext', 'Ab', 'Cd')}`)
    await using run = await eraseWhile(() => other.query("update customer set address_id = 'aB' where id = 1"))
    expect(run.request).toMatchObject({ status: 'error', failure: expect.stringContaining(came) })
    expect((await streets()).toSorted()).toEqual(['Ann Lane', 'Ann Road', 'Bob Street'])
    const end = await run.again()
    expect([end.failure, countsOf(end)['address']]).toEqual([undefined, { masked: 1, retained: 1 }])
  })
})

describe('a batch that counts the rows that refer to its rows', () => {
  const batch = (most: number) => ({
    ...{ collection: 'address', key: ['id'], keys: [[7, 8]], anyOf: [having('id', 7, 8)] },
    set: [{ column: 'street', to: 'masked' }],
    pointers: [{ count: { collection: 'customer', group: having('address_id', 7) }, most: [most] }],
  })

  it('sees what was committed while it waited, whatever isolation the database prefers', async () => {
    await database.client.query(
      `do $$ begin execute format('alter database %I set default_transaction_isolation to %L', current_database(), 'repeatable read'); end $$`,
    )
    const connection = await database.connect({ applicationName: 'habeas' })
    await other.query(`begin; ${moveIn}`)
    const writing = connection.erase?.(batch(1))
    const ended = Promise.allSettled([writing])
    await waiting(erasure)
    await other.query('commit')
    const [end] = await ended
    await database.client.query(
      `do $$ begin execute format('alter database %I reset default_transaction_isolation', current_database()); end $$`,
    )
    expect(end).toMatchObject({ reason: { details: { reason: 'shared_since', position: 0, rows: 1 } } })
    expect(await streets()).toEqual(['Ann Lane', 'Ann Road', 'Bob Street'])
  })

  it.each([
    ['a view', 'create view place as select * from address'],
    [
      'a table with partitions',
      'create table place (id int primary key, street text) partition by range (id);' +
        'create table near partition of place for values from (0) to (8); create table far partition of place for values from (8) to (99);' +
        'insert into place select * from address',
    ],
  ])('locks rows of %s', async (_, setUp) => {
    await database.client.query(setUp)
    const { erase } = database.connection
    const places = { ...batch(1), collection: 'place' }
    await other.query('begin; select from place where id = 7 for key share')
    const writing = erase?.(places)
    expect(await waiting('true')).toHaveLength(1)
    await other.query('commit')
    await writing
    expect((await rowsOf('select street from place order by id')).slice(0, 2)).toEqual([
      { street: 'masked' },
      { street: 'masked' },
    ])
    await expect(erase?.({ ...places, ...{ pointers: batch(0).pointers } })).rejects.toMatchObject({
      details: { reason: 'shared_since', position: 0, rows: 1 },
    })
  })

  it('names a table to be counted that was dropped since it was described', async () => {
    await database.connection.describe()
    await database.client.query('drop table customer')
    await expect(database.connection.erase?.(batch(1))).rejects.toMatchObject({
      details: { reason: 'missing_collection' },
    })
  })

  it('counts every row, and writes only those that a policy lets it write', async () => {
    const user = `writer_${process.pid}`
    const url = new URL(server.url)
    url.username = user
    await database.client.query(`create role ${user} login; alter table address enable row level security;
      create policy few on address using (id = 7); grant usage on schema ${quoted(database.schema)} to ${user};
      grant all on all tables in schema ${quoted(database.schema)} to ${user}`)
    const writer = await database.connect({}, { url: String(url) })
    await expect(writer.erase?.(batch(0))).rejects.toMatchObject({ details: { reason: 'shared_since' } })
    await writer.erase?.(batch(1))
    expect(await streets()).toEqual(['masked', 'Ann Road', 'Bob Street'])
    await database.client.query('alter table customer enable row level security')
    await expect(writer.erase?.(batch(1))).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('Rows of "customer" cannot be counted: row-level security'),
    })
    await database.client.query(`drop owned by ${user}; drop role ${user}`)
  })
})
