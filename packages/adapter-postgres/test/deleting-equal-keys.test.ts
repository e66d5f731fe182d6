import { describe, expect, it } from 'vitest'
import { openDatabase, type TestDatabase } from './database.js'
import { equalKeys } from './equal-keys.js'
import { countsOf, erased, erasedShop, key, plain, refer } from './erased-shop.js'
import { sharedServer } from './shared-server.js'

/* Rows go, and what points to them goes or keeps them, however both spell a key that the server holds equal. */

const server = sharedServer()

const ann = 'ann@example.com'
const code = plain('code', { primary_key: true })
const email = plain('email', { identity: 'email' })
const goes = { service_meta: { erase: 'delete' } }

const visitors = [
  { name: 'customer', ...goes, fields: [code, email, erased('name')] },
  { name: 'visit', ...goes, fields: [key, refer('code', 'customer.code', 'from'), erased('note')] },
]
const guests = (how: 'mask' | 'delete') => [
  {
    name: 'guest',
    service_meta: { erase: how },
    fields: [key, email, refer('code', 'room.code', 'to'), erased('note')],
  },
  { name: 'room', service_meta: { erase: how }, fields: [code, erased('note')] },
]
const rooms = (
  type: string,
  hers: string,
  his: string,
) => `create table room (code ${type} primary key, id int unique, note text);
  insert into room values ('${hers}', 1, 'x'), ('${his}', 2, 'x');`
const guestsAt = (pointer: string, hers: string, his: string) =>
  `create table guest (id int primary key, email text, code ${pointer}, note text);
  insert into guest values (1, '${ann}', '${hers}', 'x'), (2, 'bob@example.com', '${his}', 'x');`
const notes = async ({ client }: TestDatabase) =>
  (await client.query('select id from room where note is not null order by id')).rows.map(({ id }) => id)

async function erase(
  setUp: string,
  collections: readonly object[],
  rows: (database: TestDatabase) => Promise<unknown>,
) {
  const database = await openDatabase(server.url, setUp)
  try {
    await using shop = await erasedShop({ database, collections })
    const end = await shop.erase({ email: ann })
    return { end, left: await rows(database) }
  } finally {
    await database.close()
  }
}
const idsOf =
  (...tables: readonly string[]) =>
  async ({ client }: TestDatabase) =>
    Promise.all(
      tables.map(async (table) => (await client.query(`select id from ${table} order by id`)).rows.map(({ id }) => id)),
    )

describe.each(equalKeys)('%s %s and %s %s', (type, hers, pointer, asPointed, his) => {
  const people = (
    rule: string,
  ) => `create table customer (id int unique, code ${type} primary key, email text, name text);
    create table visit (id int primary key, code ${pointer} references customer on delete ${rule}, note text);
    insert into customer values (1, '${hers}', '${ann}', 'Ann'), (2, '${his}', 'bob@example.com', 'Bob');
    insert into visit values (1, '${asPointed}', 'hers'), (2, '${his}', 'his'), (3, null, 'nobody''s');`

  it.each(['no action', 'cascade'])('her rows are deleted, and nobody else’s: %s', async (rule) => {
    const { end, left } = await erase(people(rule), visitors, idsOf('customer', 'visit'))
    expect([end.status, end.failure]).toEqual(['complete', undefined])
    expect(countsOf(end)).toEqual({ customer: { erased: 1 }, visit: { erased: 1 } })
    expect(left).toEqual([[2], [2, 3]])
  })

  it.each([
    ['cascade', 'would be deleted with them'],
    ['set null', 'would lose their reference'],
  ])('a table that nobody describes keeps all of them: on delete %s', async (rule, why) => {
    const unknown = `create table unknown (id int primary key, code ${pointer} references customer on delete ${rule});
      insert into unknown values (1, '${asPointed}'), (2, '${his}');`
    const { end, left } = await erase(people('cascade') + unknown, visitors, async (database) => [
      await idsOf('customer', 'visit')(database),
      (await database.client.query('select id from unknown where code is not null order by id')).rows,
    ])
    expect(end.status).toBe('error')
    expect(end.failure).toContain(`1 row of 'unknown' that this request does not delete ${why}`)
    expect(left).toEqual([
      [
        [1, 2],
        [1, 2, 3],
      ],
      [{ id: 1 }, { id: 2 }],
    ])
  })

  describe.each(['mask', 'delete'] as const)('a row that her row refers to: %s', (how) => {
    const word = how === 'mask' ? 'masked' : 'erased'
    const room = rooms(type, hers, his)
    const points = `${pointer} references room`

    it('is hers where only her row refers to it', async () => {
      const { end, left } = await erase(room + guestsAt(points, asPointed, his), guests(how), notes)
      expect([end.status, end.failure]).toEqual(['complete', undefined])
      expect(countsOf(end)).toEqual({ guest: { [word]: 1 }, room: { [word]: 1 } })
      expect(left).toEqual([2])
    })

    it('stays where his row refers to it as well', async () => {
      const { end, left } = await erase(room + guestsAt(points, asPointed, asPointed), guests(how), notes)
      expect([end.status, end.failure]).toEqual(['complete', undefined])
      const told = end.results?.find(({ collection }) => collection === 'room')
      expect(told?.outcomes).toEqual([{ outcome: 'retained', rowCount: 1, reason: 'shared with 1 row of shop:guest' }])
      expect(left).toEqual([1, 2])
    })
  })
})

describe.each([
  ['numeric', '5.00', 'integer', '5', '6'],
  ['integer', '5', 'numeric', '5.00', '6'],
  ['bigint', '9007199254740993', 'numeric', '9007199254740993.00', '9007199254740992'],
  ['numeric', '9007199254740993.0', 'bigint', '9007199254740993', '9007199254740992'],
])('%s %s and %s %s, without a foreign key', (type, hers, pointer, asPointed, his) => {
  const room = rooms(type, hers, his)

  it.each(['mask', 'delete'] as const)('a row that only her row refers to is hers: %s', async (how) => {
    const { end, left } = await erase(room + guestsAt(pointer, asPointed, his), guests(how), notes)
    expect([end.status, end.failure, left]).toEqual(['complete', undefined, [2]])
  })

  it.each(['mask', 'delete'] as const)('a row that his row refers to as well stays: %s', async (how) => {
    const { end, left } = await erase(room + guestsAt(pointer, asPointed, asPointed), guests(how), notes)
    expect([end.status, end.failure, left]).toEqual(['complete', undefined, [1, 2]])
  })
})
