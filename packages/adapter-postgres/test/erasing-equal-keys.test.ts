import { type PostgresServer, startPostgres } from '@habeas/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase } from './database.js'
import { countsOf, erased, erasedShop, plain, refer } from './erased-shop.js'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

const ann = 'ann@example.com'

/** Keys that the server holds equal over a foreign key: as the one table has them, and as the other does. */
const keys = [
  ['numeric', '5.00', 'integer', '5'],
  ['numeric', '5.00', 'numeric', '5'],
  ['numeric', '5.00', 'numeric(9,3)', '5'],
  ['numeric', 'NaN', 'numeric', 'NaN'],
  ['numeric', '-Infinity', 'numeric', '-Infinity'],
  ['numeric', '9007199254740993.0', 'bigint', '9007199254740993'],
  ['float8', 'NaN', 'float8', 'NaN'],
  ['float8', '-Infinity', 'float8', '-Infinity'],
  ['date', 'infinity', 'date', 'infinity'],
  ['date', '0044-03-15 BC', 'date', '0044-03-15 BC'],
  ['date', '5874897-12-31', 'date', '5874897-12-31'],
  ['timestamp', '-infinity', 'timestamp', '-infinity'],
  ['timestamp', '4714-11-24 00:00:00 BC', 'timestamp', '4714-11-24 00:00:00 BC'],
  ['timestamptz', '294276-12-31 23:59:59.999999+00', 'timestamptz', '294276-12-31 23:59:59.999999+00'],
] as const

describe('rows of a person that hold her key as the server holds it equal', () => {
  it.each(keys)('%s %s and %s %s', async (type, key, childType, pointer) => {
    const database = await openDatabase(
      server.url,
      `create table customer (code ${type} primary key, email text, name text);
       create table visit (id int primary key, code ${childType} references customer, note text);
       insert into customer values ('${key}', '${ann}', 'Ann');
       insert into visit values (1, '${pointer}', 'hers'), (2, null, 'nobody''s')`,
    )
    try {
      const collections = [
        {
          name: 'customer',
          fields: [plain('code', { primary_key: true }), plain('email', { identity: 'email' }), erased('name')],
        },
        {
          name: 'visit',
          fields: [plain('id', { primary_key: true }), refer('code', 'customer.code', 'from'), erased('note')],
        },
      ]
      await using shop = await erasedShop({ database, collections })
      const request = await shop.erase({ email: ann })
      expect(request).toMatchObject({ status: 'complete' })
      expect(countsOf(request)).toMatchObject({ customer: { masked: 1 }, visit: { masked: 1 } })
      const { rows } = await database.client.query('select note from visit order by id')
      expect(rows.map(({ note }) => note)).toEqual([null, "nobody's"])
    } finally {
      await database.close()
    }
  })
})
