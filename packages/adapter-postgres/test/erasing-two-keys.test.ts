import { describe, expect, it } from 'vitest'
import { openDatabase } from './database.js'
import { countsOf, erased, erasedShop, key, plain, refer } from './erased-shop.js'
import { sharedServer } from './shared-server.js'

/* A row with two keys, to which her rows point over one or the other: it is hers as long as nobody else points to either. */

const server = sharedServer()

const ann = 'ann@example.com'
const tables = `
create table address (id int primary key, code text not null unique, street text);
create table customer (id int primary key, email text, name text, address_id int);
create table parcel (id int primary key, customer_id int not null references customer, address_code text, note text);
insert into address values (7, 'seven', 'Ann Lane'), (8, 'eight', 'Ann Road'), (9, 'nine', 'Bob Street');
insert into customer values (1, '${ann}', 'Ann', 7), (2, 'bob@example.com', 'Bob', 9);
insert into parcel values (1, 1, 'seven', 'hers'), (2, 1, 'eight', 'hers'), (3, 2, 'nine', 'his');`
const keys = `alter table customer add foreign key (address_id) references address;
  alter table parcel add foreign key (address_code) references address (code);`

const to = (direction: 'to' | 'none' | undefined) =>
  plain('address_code', { references: [{ dataset: 'shop', field: 'address.code', ...(direction && { direction }) }] })

const collections = (how: 'mask' | 'delete', code: object = to('to')) => [
  {
    name: 'customer',
    fields: [key, plain('email', { identity: 'email' }), erased('name'), refer('address_id', 'address.id', 'to')],
  },
  { name: 'parcel', fields: [key, refer('customer_id', 'customer.id', 'from'), code, erased('note')] },
  { name: 'address', service_meta: { erase: how }, fields: [key, plain('code'), erased('street')] },
]

async function eraseAnns(setUp: string, described: readonly object[], acceptUndecided?: readonly string[]) {
  const database = await openDatabase(server.url, `${tables} ${setUp}`)
  try {
    await using shop = await erasedShop({ database, collections: described })
    const id = await shop.submit({ email: ann })
    const first = await shop.run(id)
    if (acceptUndecided) await shop.privacy.requests.accept(id, { acceptUndecided: [...acceptUndecided] })
    const end = acceptUndecided ? await shop.run(id) : first
    const told = end.results?.find(({ collection }) => collection === 'address')?.outcomes ?? []
    const reasons = told.flatMap(({ outcome, reason }) => (outcome === 'retained' ? [reason] : []))
    const { rows } = await database.client.query('select id, street from address order by id')
    const his = await database.client.query("select count(*)::int as n from parcel where note = 'his'")
    return { end, reasons, streets: Object.fromEntries(rows.map(({ id, street }) => [id, street])), his: his.rows[0].n }
  } finally {
    await database.close()
  }
}

const all = { 7: 'Ann Lane', 8: 'Ann Road', 9: 'Bob Street' }

describe.each([
  ['mask', 'without foreign keys', ''],
  ['mask', 'over foreign keys', keys],
  ['delete', 'without foreign keys', ''],
] as const)('%s %s:', (how, _, foreignKeys) => {
  const gone = how === 'mask' ? { 7: null, 8: null, 9: 'Bob Street' } : { 9: 'Bob Street' }
  const without = (id: 7 | 8) => ({ ...gone, [id]: all[id] })
  const word = how === 'mask' ? 'masked' : 'erased'

  it('a row that her rows refer to over either key, or over both, is hers', async () => {
    const { end, streets } = await eraseAnns(foreignKeys, collections(how))
    expect([end.status, end.failure, countsOf(end)['address']]).toEqual(['complete', undefined, { [word]: 2 }])
    expect(streets).toEqual(gone)
  })

  it.each([
    ['the key that hers point to as well', 'update customer set address_id = 7 where id = 2', 7, 'shop:customer'],
    ['the other key', "update parcel set address_code = 'seven' where id = 3", 7, 'shop:parcel'],
    [
      'the key of what she points to by code alone',
      'update customer set address_id = 8 where id = 2',
      8,
      'shop:customer',
    ],
    ['that code', "update parcel set address_code = 'eight' where id = 3", 8, 'shop:parcel'],
  ] as const)('somebody else’s row that refers to %s keeps it', async (_, move, stays, by) => {
    const { end, reasons, streets, his } = await eraseAnns(`${foreignKeys} ${move};`, collections(how))
    expect([end.status, end.failure]).toEqual(['complete', undefined])
    expect([countsOf(end)['address'], reasons]).toEqual([{ [word]: 1, retained: 1 }, [`shared with 1 row of ${by}`]])
    expect(streets).toEqual(without(stays))
    expect(his).toBe(1)
  })

  it('somebody else’s rows that refer over both keys are both named', async () => {
    const move = `update customer set address_id = 7 where id = 2; update parcel set address_code = 'seven' where id = 3;`
    const { reasons, streets } = await eraseAnns(`${foreignKeys} ${move}`, collections(how))
    expect(reasons).toHaveLength(1)
    expect(reasons[0]).toContain('1 row of shop:customer')
    expect(reasons[0]).toContain('1 row of shop:parcel')
    expect(streets).toEqual(without(7))
  })

  it.each([
    ['id', '7'],
    ['code', "'seven'"],
  ])('a table that nobody describes keeps it over a foreign key to its %s', async (column, value) => {
    const added = `create table visit (place ${column === 'id' ? 'int' : 'text'} references address (${column}) on delete cascade);
      insert into visit values (${value})`
    const { end, reasons, streets } = await eraseAnns(`${foreignKeys} ${added};`, collections(how))
    expect([end.failure, reasons]).toEqual([undefined, ['shared with 1 row of visit']])
    expect(streets).toEqual(without(7))
  })

  const fewer = `${foreignKeys} delete from parcel where id = 2;`
  const his = `${fewer} update parcel set address_code = 'seven' where id = 3;`
  it.each([
    ['none', 'none'],
    ['nothing', undefined],
  ] as const)('a reference over the other key that says %s makes it neither hers nor his', async (_, says) => {
    const { end, streets } = await eraseAnns(fewer, collections(how, to(says)))
    expect([end.failure, streets]).toEqual([undefined, without(8)])
  })

  it('somebody else’s row keeps it over a reference that says none', async () => {
    const { reasons, streets } = await eraseAnns(his, collections(how, to('none')))
    expect(reasons).toEqual(['shared with 1 row of shop:parcel'])
    expect(streets).toEqual(all)
  })

  it('somebody else’s row keeps it over a reference that says nothing, even once that was accepted', async () => {
    const reference = 'shop:parcel.address_code'
    const asked = await eraseAnns(his, collections(how, to(undefined)))
    expect(asked.end).toMatchObject({ status: 'paused', actionRequired: { accept: { acceptUndecided: [reference] } } })
    expect(asked.streets).toEqual(all)
    const { end, reasons, streets } = await eraseAnns(his, collections(how, to(undefined)), [reference])
    expect([end.status, end.failure, reasons]).toEqual(['complete', undefined, ['shared with 1 row of shop:parcel']])
    expect(streets).toEqual(all)
  })
})

describe.each([
  ['partial', 'create unique index on address (code) where street is not null'],
  ['no', 'create index on address (code)'],
])('where %s unique index lies on the columns that rows refer by, ', (_, index) => {
  const anyCode = `alter table address drop constraint address_code_key; ${index};`
  const hers = { 7: null, 8: null, 9: 'Bob Street' }

  it('a row that her rows refer to is hers', async () => {
    const { end, streets } = await eraseAnns(anyCode, collections('mask'))
    expect([end.status, end.failure, streets]).toEqual(['complete', undefined, hers])
  })

  it.each([
    ['to', 7, 'seven'],
    ['to', 8, 'eight'],
    ['none', 7, 'seven'],
  ] as const)('somebody else’s row over a reference that says %s keeps %i', async (direction, id, code) => {
    const move = `update parcel set address_code = '${code}' where id = 3;`
    const one = direction === 'none' ? 'delete from parcel where id = 2;' : ''
    const { end, reasons, streets } = await eraseAnns(`${anyCode} ${one} ${move}`, collections('mask', to(direction)))
    expect([end.status, end.failure, reasons]).toEqual(['complete', undefined, ['shared with 1 row of shop:parcel']])
    const rest = direction === 'none' ? { 8: all[8] } : {}
    expect(streets).toEqual({ ...hers, ...rest, [id]: all[id] })
  })

  it('all rows that hold the code belong to the people whose rows refer to it', async () => {
    const second = `insert into address values (10, 'nine', null), (11, 'seven', 'Ann Lane, back'); update parcel set address_code = 'seven' where id = 3;`
    const { reasons, streets } = await eraseAnns(
      `alter table address drop constraint address_code_key; ${second}`,
      collections('mask'),
    )
    expect(reasons).toEqual(['shared with 1 row of shop:parcel'])
    expect(streets).toEqual({ ...all, 8: null, 10: null, 11: 'Ann Lane, back' })
  })
})
