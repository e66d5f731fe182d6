import { describe, expect, it } from 'vitest'
import { ann, customers, deleted, email, eraseAnns, onServer, server } from './anns-rows.js'
import { openDatabase, quoted } from './database.js'
import { erased, key, plain, refer } from './erased-shop.js'

onServer()

const annsRow = `insert into customer values (1, '${ann}', 'Ann');`
const bobs = { id: 7, customer_id: 1, who: 'bob' }
const bobsRow = "insert into orders values (7, 1, 'bob');"
const orders = (references = '') => `create table orders (id int, customer_id int ${references}, who text);`
const customer = 'create table customer (id int primary key, email text, name text)'

describe('foreign keys to rows that are read through another table', () => {
  const refused = "Rows of 'shop:customer' cannot be deleted: "
  const one = `${refused}1 row of 'orders' that this request does not delete would be deleted with them`
  it.each<[string, string, string]>([
    [
      'to a partition',
      `${customer} partition by range (id); create table part partition of customer for values from (0) to (100);
       ${orders('references part on delete cascade')}`,
      one,
    ],
    [
      'of a partition',
      `${customer}; create table orders (id int, customer_id int, who text) partition by range (id);
       create table part partition of orders for values from (0) to (100);
       alter table part add foreign key (customer_id) references customer on delete cascade;`,
      one,
    ],
    [
      'of one of several partitions that have rules of their own',
      `${customer}; create table orders (id int, customer_id int, who text) partition by range (id);
       create table part partition of orders for values from (0) to (100);
       alter table part add constraint of foreign key (customer_id) references customer on delete cascade;
       create table more partition of orders for values from (100) to (200);
       alter table more add constraint of foreign key (customer_id) references customer;`,
      one,
    ],
    [
      'to the table of a view',
      `create table people (id int primary key, email text, name text); create view customer as select * from people;
       ${orders('references people on delete cascade')}`,
      `${refused}Rows of 'orders' that refer to these rows cannot be counted: they refer to a table behind the described one`,
    ],
  ])('a foreign key %s stops the erasure', async (_, setUp, failure) => {
    const end = await eraseAnns(`${setUp}${annsRow} ${bobsRow}`, customers)
    expect(end.failure).toContain(failure)
    expect(end.customer).toHaveLength(1)
    expect(end.orders).toEqual([bobs])
  })

  it('a view whose table nothing refers to stops nothing', async () => {
    const view = `create table people (id int primary key, email text, name text);
      create view customer as select * from people; ${orders()} ${annsRow}`
    const end = await eraseAnns(`${view} ${bobsRow}`, customers)
    expect([end.failure, end.counts['customer']]).toEqual([undefined, { erased: 1 }])
  })

  it('own rows are masked through a view, whatever refers to its table', async () => {
    const setUp = `create table people (id int primary key, email text, name text);
      create view customer as select * from people; ${orders('references people')} ${annsRow} ${bobsRow}`
    const end = await eraseAnns(setUp, [{ name: 'customer', fields: [key, email, erased('name')] }])
    expect([end.failure, end.counts['customer']]).toEqual([undefined, { masked: 1 }])
  })

  it('rows on another server are left where it takes no writes, and that is reported before any row is written', async () => {
    const setUp = `create extension if not exists file_fdw schema public; create server if not exists elsewhere foreign data wrapper file_fdw;
      create foreign table customer (id int not null, email text, name text) server elsewhere options (program 'echo 1,${ann},Ann', format 'csv');
      ${orders()} ${bobsRow}`
    const end = await eraseAnns(setUp, [deleted([key, email, erased('name')])])
    expect(end.failure).toContain("'shop:customer' shows rows of other tables and cannot be written")
  })

  const address = [
    { name: 'customer', fields: [key, email, refer('address_id', 'address.id', 'to')] },
    { name: 'address', fields: [key, erased('street')] },
  ]
  const living = `create table customer (id int primary key, email text, address_id int);
    insert into customer values (1, '${ann}', 7);`
  it.each<[string, string, string]>([
    [
      'of a partition',
      `create table address (id int primary key, street text);
       create table orders (id int, address_id int) partition by range (id);
       create table part partition of orders for values from (0) to (100);
       alter table part add foreign key (address_id) references address;`,
      'shared with 1 row of orders',
    ],
    [
      'to the table of a view',
      `create table place (id int primary key, street text); create view address as select * from place;
       create table orders (id int, address_id int references place);`,
      'possibly shared, because rows of orders cannot be counted',
    ],
  ])('a row is shared over a foreign key %s', async (_, setUp, reason) => {
    const end = await eraseAnns(
      `${setUp} insert into address values (7, 'Ann Lane'); ${living} insert into orders values (1, 7)`,
      address,
    )
    const told = end.results?.find(({ actionType, collection }) => actionType === 'erasure' && collection === 'address')
    expect([end.failure, told?.outcomes]).toEqual([
      undefined,
      [expect.objectContaining({ outcome: 'retained', reason })],
    ])
  })
})

describe('foreign keys whose server takes different values for equal', () => {
  const loose = `create extension if not exists citext schema public;
    create collation if not exists public.caseless (provider = icu, locale = 'und-u-ks-level2', deterministic = false);`
  const named = [deleted([plain('handle', { primary_key: true }), email, erased('name')])]
  const customer = (type: string, handle: string) =>
    `${loose} create table customer (handle ${type} primary key, email text, name text);
     insert into customer values ('${handle}', '${ann}', 'Ann');`
  const order = (type: string, handle: string) =>
    `create table orders (id int primary key, handle ${type} references customer on delete cascade);
     insert into orders values (7, '${handle}');`
  it.each([
    ['public.citext', 'public.citext', 'Ab', 'aB'],
    ['char(5)', 'varchar(9)', 'Ab', 'Ab  '],
    ['char(5)', 'text', 'Ab', 'Ab      '],
    ['text', 'char(5)', 'Ab', 'Ab'],
    ['text collate public.caseless', 'varchar(9) collate public.caseless', 'Ab', 'aB'],
    ['text', 'public.citext', 'Ab', 'Ab'],
    ['interval', 'interval', '1 day', '24:00'],
    ['numrange', 'numrange', '[1,2)', '[1.0,2.0)'],
    ['numeric', 'numeric(9, 2)', '7', '7.00'],
    ['bigint', 'smallint', '7', '7'],
    ['double precision', 'real', '0.5', '0.5'],
    ['uuid', 'uuid', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'A0EEBC999C0B4EF8BB6D6BB9BD380A11'],
    ['bytea', 'bytea', '\\x00ff', '\\x00FF'],
    ['date', 'date', '2024-02-29', '2024-02-29'],
  ])('a %s that a %s refers to keeps its row', async (type, referencing, handle, other) => {
    const end = await eraseAnns(customer(type, handle) + order(referencing, other), named)
    expect(end.failure).toContain("1 row of 'orders' that this request does not delete would be deleted with them")
    expect([end.customer.length, end.orders.length]).toEqual([1, 1])
  })

  it.each([
    ['int[]', 'int[]', '{1,2}', '{1,2}'],
    ['timestamp', 'timestamptz', '2024-02-29', '2024-02-29 UTC'],
  ])(
    'a %s that a %s refers to cannot be compared, so that nothing is deleted',
    async (type, referencing, handle, other) => {
      const end = await eraseAnns(`set timezone to utc; ${customer(type, handle)}${order(referencing, other)}`, named)
      expect(end.failure).toContain("Rows of 'shop:customer' cannot be deleted")
      expect([end.customer.length, end.orders.length]).toEqual([1, 1])
    },
  )

  it('the operator is found wherever the type lies', async () => {
    const database = await openDatabase(server.url, loose)
    await database.client.query(`create schema away; alter extension citext set schema away;
      create table customer (handle away.citext primary key); create table orders (handle away.citext references customer);
      insert into customer values ('Ab'); insert into orders values ('Ab'), ('Ab')`)
    await database.client.query(`set search_path to ${quoted(database.schema)}, away; update orders set handle = 'aB'`)
    const group = { fields: [{ path: ['handle'] }], values: [['Ab', 'x']] }
    const references = { collection: 'customer', columns: ['handle'] }
    const counted = await database.connection.countEach!({ collection: 'orders', group, references })
    await database.client.query('alter extension citext set schema public; drop schema away')
    await database.close()
    expect(counted).toEqual([2, 0])
  })

  it('rows of the request are deleted, and nobody else’s key is mistaken for theirs', async () => {
    const setUp = `${customer('public.citext', 'Ab')} insert into customer values ('Cd', 'bob@example.com', 'Bob');
      ${order('public.citext', 'Ab')} insert into orders values (8, 'cD');`
    const theirs = {
      ...{ name: 'orders', service_meta: { erase: 'delete' } },
      fields: [
        key,
        erased('handle', { references: [{ dataset: 'shop', field: 'customer.handle', direction: 'from' }] }),
      ],
    }
    const end = await eraseAnns(setUp, [...named, theirs])
    expect([end.failure, end.counts]).toEqual([undefined, { customer: { erased: 1 }, orders: { erased: 1 } }])
    expect(end.orders).toEqual([{ id: 8, handle: 'cD' }])
  })
})

describe('rows that row-level security hides', () => {
  const user = `clerk_${process.pid}`
  const grants = `do $$ begin if not exists (select from pg_roles where rolname = '${user}') then create role ${user} login; end if;
    execute format('grant usage on schema %I to ${user}; grant all on all tables in schema %I to ${user}', current_schema(), current_schema()); end $$;`
  const policy = (condition: string) =>
    `alter table orders enable row level security; create policy few on orders using (${condition}); ${grants}`

  it('stop a deletion that would be carried on to them', async () => {
    const setUp = `${customer}; ${orders('references customer on delete cascade')} ${annsRow} ${bobsRow} ${policy('id = 0')}`
    const end = await eraseAnns(setUp, customers, user)
    expect(end.failure).toContain(
      `Rows of 'shop:customer' cannot be deleted: Rows of 'orders' that refer to these rows cannot be counted: the database may hide some of them`,
    )
    expect([end.customer.length, end.orders]).toEqual([1, [bobs]])
  })

  it('keep rows that they may refer to as well', async () => {
    const setUp = `create table address (id int primary key, street text); insert into address values (7, 'Ann Lane');
      create table customer (id int); create table orders (id int, email text, address_id int references address);
      insert into orders values (1, '${ann}', 7), (2, 'bob@example.com', 7); ${policy('id = 1')}`
    const end = await eraseAnns(
      setUp,
      [
        { name: 'orders', fields: [key, email, refer('address_id', 'address.id', 'to')] },
        { name: 'address', fields: [key, erased('street')] },
      ],
      user,
    )
    expect([end.failure, end.counts['address']]).toEqual([undefined, { retained: 1 }])
  })

  it('are reported as a finding to a user from whom they are hidden', async () => {
    const database = await openDatabase(server.url, `${customer}; ${orders()} ${policy('id = 0')}`)
    const url = new URL(server.url)
    url.username = user
    const clerk = await database.connect({}, { url: String(url) })
    const hiding = async (connection: typeof clerk) =>
      (await connection.describe()).collections.filter(({ hidesRows }) => hidesRows).map(({ name }) => name)
    expect([await hiding(clerk), await hiding(database.connection)]).toEqual([['orders'], []])
    await database.close()
  })
})
