import { describe, expect, it } from 'vitest'
import { openDatabase, type TestDatabase } from './database.js'
import { countsOf, erased, erasedShop, key, plain, refer } from './erased-shop.js'
import { sharedServer } from './shared-server.js'

/* A view that the server cannot write is known before anything is written, in whatever database. */

const server = sharedServer()

const ann = 'ann@example.com'
const email = plain('email', { identity: 'email' })

/** Bills are read through the view `orders`; lines, which are written before them, hang on these. */
const tables = `
create table customer (id int primary key, email text, name text);
create table bill (id int primary key, customer_id int not null references customer, note text);
create table extra (bill_id int, note text);
create table line (id int primary key, order_id int not null, note text);
insert into customer values (1, '${ann}', 'Ann'), (2, 'bob@example.com', 'Bob');
insert into bill values (1, 1, 'hers'), (2, 2, 'his');
insert into extra values (1, 'more'), (2, 'more');
insert into line values (1, 1, 'hers'), (2, 2, 'his');`
const ledger = `create table entry (id int primary key, email text, note text);
  insert into entry values (1, '${ann}', 'hers'), (2, 'bob@example.com', 'his');`

const collections = (how: 'mask' | 'delete', orders: object = {}) => [
  { name: 'customer', fields: [key, email, erased('name')] },
  {
    ...{ name: 'orders', service_meta: { erase: how, ...orders } },
    fields: [key, refer('customer_id', 'customer.id', 'from'), erased('note')],
  },
  {
    ...{ name: 'line', service_meta: { erase: how } },
    fields: [key, refer('order_id', 'orders.id', 'from'), erased('note')],
  },
]

/** Every row of both databases, as texts. */
async function everything(...databases: readonly TestDatabase[]) {
  const rows: string[] = []
  for (const { client } of databases) {
    const found = await client.query(
      "select table_name as name from information_schema.tables where table_schema = current_schema() and table_type = 'BASE TABLE' order by 1",
    )
    for (const { name } of found.rows) {
      const of = await client.query(`select row_to_json(t)::text as row from ${name} t order by 1`)
      rows.push(...of.rows.map(({ row }) => `${name} ${row}`))
    }
  }
  return rows
}

/** Erases Ann's from the shop, and from a ledger in another database. */
async function eraseBoth(view: string, described: readonly object[]) {
  const shopBase = await openDatabase(server.url, `${tables} ${view}`)
  const ledgerBase = await openDatabase(server.url, ledger)
  try {
    const before = await everything(shopBase, ledgerBase)
    await using shop = await erasedShop({ database: shopBase, collections: described })
    const { connections } = shop.privacy
    await connections.put({ key: 'ledger', connectionType: 'postgres', access: 'write' })
    await connections.setSecrets('ledger', { url: server.url, db_schema: ledgerBase.schema })
    const entry = { name: 'entry', fields: [key, email, erased('note')] }
    await connections.attachDataset('ledger', { service_key: 'ledger', collections: [entry] })
    const end = await shop.erase({ email: ann })
    return { end, before, after: await everything(shopBase, ledgerBase) }
  } finally {
    await shopBase.close()
    await ledgerBase.close()
  }
}

const views = [
  ['aggregated', 'select min(id) as id, customer_id, min(note) as note from bill group by customer_id'],
  ['joined', 'select b.id, b.customer_id, e.note from bill b join extra e on e.bill_id = b.id'],
  ['distinct', 'select distinct id, customer_id, note from bill'],
  ['of two tables', 'select id, customer_id, note from bill union all select bill_id, bill_id, note from extra'],
  ['limited', 'select id, customer_id, note from bill limit 100'],
  ['numbered', 'select row_number() over (order by id)::int as id, customer_id, note from bill'],
] as const

describe.each(['mask', 'delete'] as const)('where rows are to be written: %s', (how) => {
  it.each(views)('a view that is %s keeps everything as it is, and is named', async (_, query) => {
    const { end, before, after } = await eraseBoth(`create view orders as ${query}`, collections(how))
    expect(end.status).toBe('error')
    expect(end.failure).toContain("'shop:orders' shows rows of other tables and cannot be written")
    expect(end.failure).toContain(`describe the tables behind it ('bill'`)
    expect(end.failure).toContain("set 'skip_processing'")
    expect(after).toEqual(before)
  })

  it('a materialized view does so, too', async () => {
    const view = 'create materialized view orders as select id, customer_id, note from bill'
    const { end, before, after } = await eraseBoth(view, collections(how))
    expect(end.failure).toContain("'shop:orders' shows rows of other tables and cannot be written")
    expect(after).toEqual(before)
  })

  it('a view that can be written is written, and so are the lines below it', async () => {
    const view = 'create view orders as select id, customer_id, note from bill where id > 0'
    const { end, after } = await eraseBoth(view, collections(how))
    const written = { [how === 'mask' ? 'masked' : 'erased']: 1 }
    expect([end.status, end.failure, countsOf(end)]).toEqual([
      ...['complete', undefined],
      { customer: { masked: 1 }, entry: { masked: 1 }, orders: written, line: written },
    ])
    expect(after.filter((row) => row.includes('"hers"'))).toEqual([])
    expect(after.filter((row) => row.includes('"his"'))).toHaveLength(3)
  })
})

it('a column that a view computes keeps everything as it is, though rows of the view can be written', async () => {
  const view = 'create view orders as select id, customer_id, upper(note) as note from bill'
  const { end, before, after } = await eraseBoth(view, collections('mask'))
  expect(end.status).toBe('error')
  expect(end.failure).toMatch(/^Nothing was erased: The database refuses the new values of 'shop:orders'/)
  expect(after).toEqual(before)
})

it('a view that cannot be written and that is skipped stops nothing, and is named as not searched', async () => {
  const view = `create view orders as ${views[0][1]}`
  const [customer, orders] = collections('mask', { skip_processing: true })
  const bill = { ...orders, name: 'bill', service_meta: {} }
  const fields = (orders?.fields ?? []).map((field) => ({ ...field, data_categories: [] }))
  const { end, after } = await eraseBoth(view, [customer as object, bill, { ...orders, fields }])
  expect([end.status, end.failure, countsOf(end)]).toEqual([
    ...['complete', undefined],
    { customer: { masked: 1 }, entry: { masked: 1 }, bill: { masked: 1 }, orders: { skipped: 0 } },
  ])
  const told = end.results?.find(({ collection }) => collection === 'orders')
  expect(told?.outcomes).toEqual([{ outcome: 'skipped', rowCount: 0, reason: 'skip_processing' }])
  expect(after).toContain('bill {"id":1,"customer_id":1,"note":null}')
  expect(after).toContain('bill {"id":2,"customer_id":2,"note":"his"}')
})
