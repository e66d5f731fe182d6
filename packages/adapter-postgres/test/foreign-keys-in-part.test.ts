import { describe, expect, it } from 'vitest'
import { ann, customers, email, eraseAnns, onServer, server } from './anns-rows.js'
import { openDatabase } from './database.js'
import { erased, key, refer } from './erased-shop.js'

onServer()

const customer = 'create table customer (id int primary key, email text, name text);'
const people = `insert into customer values (1, '${ann}', 'Ann'), (2, 'bob@example.com', 'Bob');`
const orders = 'create table orders (id int);'

async function described(setUp: string) {
  const database = await openDatabase(server.url, setUp)
  try {
    const { collections } = await database.connection.describe()
    return (name: string) => collections.find((each) => each.name === name)!
  } finally {
    await database.client.query('drop schema if exists crm cascade')
    await database.close()
  }
}

describe('tables that inherit', () => {
  const documents = `${customer} ${orders}
    create table document (id int primary key, customer_id int not null references customer, title text);
    create table contract (other_id int not null, primary key (id)) inherits (document);
    ${people} insert into document values (1, 1, 'Ann'); insert into contract values (2, 1, 'Ann and Bob', 2), (3, 2, 'Bob', 2);`
  const document = { name: 'document', fields: [key, refer('customer_id', 'customer.id', 'from'), erased('title')] }
  const contract = {
    name: 'contract',
    fields: [...document.fields, refer('other_id', 'customer.id', 'from')],
  }
  const masked = [{ name: 'customer', fields: [key, email, erased('name')] }]

  it('keep their rows when rows of their parent are written', async () => {
    for (const collections of [
      [...masked, document, contract],
      [...masked, document],
    ]) {
      const end = await eraseAnns(documents, collections, undefined, 'contract')
      expect(end.counts['document']).toEqual({ masked: 1 })
      expect(end.others).toMatchObject([{ title: 'Ann and Bob' }, { title: 'Bob' }])
      expect(end.coverage.tables).toEqual(collections.includes(contract) ? undefined : ['shop:contract'])
    }
  })

  it('keep their rows when rows of their parent are deleted', async () => {
    const setUp = `${customer} create table former (more text) inherits (customer);
      create table orders (id int, customer_id int references customer, who text);
      ${people} insert into former values (3, '${ann}', 'Ann', 'left'); insert into orders values (7, 2, 'bob');`
    const end = await eraseAnns(setUp, customers)
    expect([end.failure, end.counts['customer']]).toEqual([undefined, { erased: 1 }])
    expect(end.customer).toMatchObject([{ id: 2 }, { id: 3 }])
  })
})

describe('tables of another schema that inherit, and materialized views there,', () => {
  const far = `create schema crm; create table crm.kid (more text) inherits (customer); create table crm.grandkid () inherits (crm.kid);
    create view crm.plain as select name from customer; create materialized view crm.report as select name from crm.plain;
    create temporary table passing () inherits (customer);`

  it('are told to the table whose rows they hold', async () => {
    const table = await described(`${customer} ${far} create table here () inherits (crm.kid);`)
    const heldIn = [
      { schema: 'crm', collection: 'grandkid', as: 'child' },
      { schema: 'crm', collection: 'kid', as: 'child' },
      { schema: 'crm', collection: 'report', as: 'materialized view' },
    ]
    expect(table('customer').heldIn).toEqual(heldIn)
    expect([table('here').inheritsFrom, table('here').heldIn]).toEqual([['crm.kid'], undefined])
  })

  it('are named by an erasure that leaves their rows', async () => {
    const setUp = `${customer} ${orders} ${far} ${people} insert into crm.kid values (3, '${ann}', 'Ann', 'left');
      refresh materialized view crm.report;`
    const end = await eraseAnns(
      setUp,
      [{ name: 'customer', fields: [key, email, erased('name')] }],
      undefined,
      'crm.kid',
    )
    expect(end.coverage.tables).toEqual(['shop:crm.grandkid', 'shop:crm.kid'])
    expect(end.results?.find(({ actionType }) => actionType === 'erasure')?.keptCopies).toEqual([
      { name: 'crm.report', kind: 'materialized_view' },
    ])
    expect(end.others).toMatchObject([{ id: 3, name: 'Ann' }])
  })
})

describe('foreign keys of some partitions', () => {
  const notes = `${customer} create table supplier (id int primary key, email text);
    create table orders (id int, kind text, subject_id int, who text) partition by list (kind);
    create table note_customer partition of orders (foreign key (subject_id) references customer on delete cascade) for values in ('customer');`
  const rest = "create table note_other partition of orders for values in ('supplier');"
  const both = `create table note_other partition of orders (foreign key (subject_id) references customer) for values in ('supplier');`

  it('are not foreign keys of the table, but those that all partitions have are', async () => {
    const part = await described(notes + rest)
    expect(part('orders').foreignKeys).toEqual([])
    expect(part('customer').incomingForeignKeys).toMatchObject([{ collection: 'orders', columns: ['subject_id'] }])
    expect((await described(notes + both))('orders').foreignKeys).not.toEqual([])
  })

  it('still stop a deletion', async () => {
    const end = await eraseAnns(
      `${notes} ${rest} ${people} insert into orders values (7, 'customer', 1, 'bob');`,
      customers,
    )
    expect(end.failure).toContain('1 row of')
    expect(end.customer).toHaveLength(2)
  })
})

describe('foreign keys over a period', () => {
  const stays = `create extension if not exists btree_gist schema public; ${orders}
    create table customer (id int, valid_at daterange, email text, name text, primary key (id, valid_at without overlaps));
    create table stay (id int primary key, customer_id int, valid_at daterange, remark text,
      foreign key (customer_id, period valid_at) references customer (id, period valid_at));
    insert into customer values (1, '[2020-01-01,2030-01-01)', '${ann}', 'Ann'), (2, '[2020-01-01,2030-01-01)', 'bob@example.com', 'Bob');
    insert into stay values (1, 1, '[2021-01-01,2021-02-01)', 'late'), (2, 2, '[2021-01-01,2021-02-01)', 'early');`

  it('refer by the columns that are equal', async () => {
    const stay = (await described(stays))('stay')
    expect(stay.foreignKeys).toMatchObject([{ columns: ['customer_id'], references: { columns: ['id'] } }])
    const fields = [key, refer('customer_id', 'customer.id', 'from'), erased('remark')]
    const end = await eraseAnns(
      stays,
      [
        { name: 'customer', fields: [key, email, erased('name')] },
        { name: 'stay', fields },
      ],
      undefined,
      'stay',
    )
    expect([end.failure, end.counts['stay']]).toEqual([undefined, { masked: 1 }])
    expect(end.others).toMatchObject([{ remark: null }, { remark: 'early' }])
  })
})
