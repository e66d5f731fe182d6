import { expect, test } from 'vitest'
import { collection, field } from '../engine/described.js'
import { eraseShop, tableWith } from './described-erasure.js'

const ann = 'ann@example.com'
const masked = { masking_strategy: { strategy: 'null_rewrite' } }

test('rows whose declared key becomes null are counted as masked, not as gone', async () => {
  const { erased, rows } = await eraseShop({
    database: {
      customer: tableWith(
        { id: 'integer', email: 'string', name: 'string' },
        [
          [1, ann, 'Ann'],
          [2, ann, 'Ann B.'],
          [2, 'bob@example.com', 'Bob'],
        ],
        { keys: [] },
      ),
    },
    collections: [
      collection('customer', [
        field('id', { primary_key: true }),
        field('email', { primary_key: true, identity: 'email', ...masked }),
        field('name'),
      ]),
    ],
  })
  expect(erased).toEqual({ 'shop:customer': 'masked 2' })
  expect(rows['customer']).toEqual([
    { id: 1, email: null, name: null },
    { id: 2, email: null, name: null },
    { id: 2, email: 'bob@example.com', name: 'Bob' },
  ])
})
