import { expect, test } from 'vitest'
import { collection, field, refer } from '../engine/described.js'
import { eraseShop, key, tableWith } from './described-erasure.js'

test('every row that a shared key names stays, where its case does not count', async () => {
  const { erased, rows, before } = await eraseShop({
    database: {
      customer: tableWith({ id: 'integer', email: 'string', club: 'string' }, [
        [0, 'ann@example.com', 'north'],
        [1, 'bob@example.com', 'NORTH'],
      ]),
      club: tableWith({ code: 'string', motto: 'string' }, [
        ['north', 'up'],
        ['North', 'onwards'],
        ['south', 'down'],
      ]),
    },
    collections: [
      collection('customer', [
        key,
        field('email', { identity: 'email' }),
        refer('club', 'club.code', { direction: 'to', meta: { case_insensitive: true } }),
      ]),
      collection('club', [field('code', { primary_key: true, case_insensitive: true }, []), field('motto')]),
    ],
  })
  expect(erased['shop:club']).toBe('retained 2 (shared with 1 row of shop:customer)')
  expect(rows['club']).toEqual(before['club'])
})

test('a row whose list leads twice to the same is one row, and makes up for no other', async () => {
  const { erased, rows, before } = await eraseShop({
    capabilities: { nestedFields: true },
    database: {
      basket: tableWith({ id: 'integer', email: 'string', items: 'object' }, [
        [0, 'ann@example.com', [{ product: 7 }, { product: 7 }]],
        [1, 'bob@example.com', [{ product: 7 }]],
      ]),
      product: tableWith({ id: 'integer', engraving: 'string' }, [[7, 'to Bob']]),
    },
    collections: [
      collection('basket', [
        key,
        field('email', { identity: 'email' }),
        field(
          'items',
          { data_type: 'object[]' },
          [],
          [
            field(
              'product',
              { data_type: 'integer', references: [{ dataset: 'shop', field: 'product.id', direction: 'to' }] },
              [],
            ),
          ],
        ),
      ]),
      collection('product', [key, field('engraving')]),
    ],
  })
  expect(erased['shop:product']).toBe('retained 1 (shared with 1 row of shop:basket)')
  expect(rows['product']).toEqual(before['product'])
})

test("a row that somebody else's element refers to stays, though the row with the list is the person's", async () => {
  const { erased, rows } = await eraseShop({
    capabilities: { nestedFields: true },
    database: {
      team: tableWith({ id: 'integer', people: 'object' }, [
        [
          0,
          [
            { email: 'ann@example.com', address: 5 },
            { email: 'ann@example.com', address: 6 },
            { email: 'bob@example.com', address: 5 },
          ],
        ],
      ]),
      address: tableWith({ id: 'integer', street: 'string' }, [
        [5, 'High Street'],
        [6, 'Low Street'],
      ]),
    },
    collections: [
      collection('team', [
        key,
        field(
          'people',
          { data_type: 'object[]' },
          [],
          [
            field('email', { data_type: 'string', identity: 'email' }),
            field(
              'address',
              { data_type: 'integer', references: [{ dataset: 'shop', field: 'address.id', direction: 'to' }] },
              [],
            ),
          ],
        ),
      ]),
      collection('address', [key, field('street')]),
    ],
  })
  expect(erased['shop:address']).toBe('masked 1, retained 1 (shared with 1 row of shop:team)')
  expect(rows['address']).toEqual([
    { id: 5, street: 'High Street' },
    { id: 6, street: null },
  ])
})
