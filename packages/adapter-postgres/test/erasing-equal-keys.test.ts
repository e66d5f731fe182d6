import { describe, expect, it } from 'vitest'
import { openDatabase } from './database.js'
import { equalKeys } from './equal-keys.js'
import { countsOf, erased, erasedShop, key, plain, refer } from './erased-shop.js'
import { sharedServer } from './shared-server.js'

const server = sharedServer()

const ann = 'ann@example.com'

describe('rows of a person that hold her key as the server holds it equal', () => {
  it.each(equalKeys)('%s %s and %s %s', async (type, code, childType, pointer) => {
    const database = await openDatabase(
      server.url,
      `create table customer (code ${type} primary key, email text, name text);
       create table visit (id int primary key, code ${childType} references customer, note text);
       insert into customer values ('${code}', '${ann}', 'Ann');
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

/** Types of a key and of a column that points to it, and whether by a foreign key. */
const types = [
  ['numeric', 'integer', true],
  ['numeric', 'bigint', false],
  ['integer', 'numeric(9,2)', false],
  ['integer', 'text', false],
  ['text', 'integer', false],
  ['text', 'numeric', false],
  ['uuid', 'text', false],
  ['timestamp', 'date', true],
] as const

/** Of a key, and of what points to it: a UUID as text in letters of either case. */
const textOf = (key: string, type: string, at: number) => {
  const uuid = `00000000-0000-0000-0000-0000000000a${at}`
  if (key === 'uuid') return type === 'text' ? uuid.toUpperCase() : uuid
  return type === 'date' || type === 'timestamp' ? `2020-01-0${at}` : String(at)
}

describe.each([
  ['masked', undefined],
  ['deleted', 'delete'],
])('an address that rows refer to by a column of another type is %s where all of them are hers', (_, erase) => {
  // A row goes only with those that refer to it by a foreign key, and here these stay.
  it.each(types.filter(([, , isForeignKey]) => !(erase && isForeignKey)))(
    '%s, and %s (foreign key: %s)',
    async (type, pointer, isForeignKey) => {
      const address = (at: number) => `'${textOf(type, type, at)}'`
      const shipTo = (at: number) => `'${textOf(type, pointer, at)}'`
      const database = await openDatabase(
        server.url,
        `create table address (id ${type} primary key, street text);
       create table customer (id int primary key, email text, address_id ${type}, other_id ${type});
       create table orders (id int primary key, customer_id int,
         ship_to ${pointer}${isForeignKey ? ' references address' : ''});
       insert into address values (${address(5)}, 'hers'), (${address(6)}, 'of both');
       insert into customer values (1, '${ann}', ${address(5)}, ${address(6)}), (2, 'bob@example.com', null, null);
       insert into orders values (1, 1, ${shipTo(5)}), (2, 2, ${shipTo(6)})`,
      )
      try {
        const customer = [
          ...[key, plain('email', { identity: 'email' })],
          ...[refer('address_id', 'address.id', 'to'), refer('other_id', 'address.id', 'to')],
        ]
        const orders = [key, refer('customer_id', 'customer.id', 'from'), refer('ship_to', 'address.id', 'to')]
        const collections = [
          { name: 'customer', fields: customer },
          { name: 'orders', fields: orders },
          { name: 'address', fields: [key, erased('street')], service_meta: { erase } },
        ]
        await using shop = await erasedShop({ database, collections })
        const { status, failure } = await shop.erase({ email: ann })
        expect([status, failure]).toEqual(['complete', undefined])
        const { rows } = await database.client.query('select street from address order by id')
        expect(rows.map(({ street }) => street)).toEqual(erase ? ['of both'] : [null, 'of both'])
      } finally {
        await database.close()
      }
    },
  )
})
