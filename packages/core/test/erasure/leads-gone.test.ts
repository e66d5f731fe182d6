import { expect, test } from 'vitest'
import { collection, field, refer } from '../engine/described.js'
import { eraseWhile, foreignKey, kept, key, plain, tableWith, told } from './described-erasure.js'
import { erasedOf } from './erasure-world.js'

const ann = 'ann@example.com'

/** A key forces customers to go before their addresses, so that nothing leads to these any more. */
const shop = (how: 'delete' | 'mask') => ({
  database: {
    customer: tableWith(
      { id: 'integer', email: 'string', address_id: 'integer' },
      [
        [1, ann, 5],
        [2, ann, 6],
        [3, 'bob@example.com', 7],
      ],
      { foreignKeys: [foreignKey('address_id', 'address')] },
    ),
    address: tableWith({ id: 'integer', street: 'string' }, [
      [5, 'Ann Lane'],
      [6, 'Ann Road'],
      [7, 'Bob Street'],
    ]),
  },
  collections: [
    collection(
      'customer',
      [key, field('email', { identity: 'email' }), kept(refer('address_id', 'address.id', { direction: 'to' }))],
      { erase: 'delete' },
    ),
    collection('address', [key, field('street')], { erase: how }),
  ],
})

test('where the rows that led to others are gone, those that are shared since stay, and a retry erases the rest', async () => {
  await using run = await eraseWhile(
    shop('delete'),
    { operation: 'erase', collection: 'address', rollBack: false },
    ({ database }) => void Object.assign(database['customer']?.rows.at(-1) ?? {}, { address_id: 5 }),
  )
  expect([run.request.status, run.request.failure]).toEqual(['error', expect.stringContaining('now refers to rows of')])
  const end = await run.again()
  expect([end.status, end.failure]).toEqual(['complete', undefined])
  expect(told(run.world, 'address', 'street')).toEqual({ 5: 'Ann Lane', 7: 'Bob Street' })
  expect(erasedOf(end)).toMatchObject({
    'shop:customer': 'erased 2',
    'shop:address': 'erased 1, retained 1 (shared with 1 row of shop:customer)',
  })
})

test('rows that come below rows that are erased already are erased by one retry, and nothing is counted twice', async () => {
  const orders = {
    database: {
      customer: tableWith({ id: 'integer', email: 'string', name: 'string' }, [
        [0, ann, 'Ann'],
        [1, 'bob@example.com', 'Bob'],
      ]),
      orders: tableWith({ id: 'integer', customer_id: 'integer', note: 'string' }, [
        [10, 0, 'first'],
        [11, 1, 'his'],
        [12, 0, null],
        [13, 0, null],
      ]),
    },
    collections: [
      collection('customer', [key, plain('email', { identity: 'email' }), field('name')]),
      collection('orders', [key, kept(refer('customer_id', 'customer.id', { direction: 'from' })), field('note')], {
        erase_after: ['shop.customer'],
      }),
    ],
    capabilities: { maxErased: 1 },
  }
  const moment = { operation: 'erase', collection: 'orders', rollBack: false } as const
  await using run = await eraseWhile(orders, moment, ({ database }) => {
    database['orders']?.rows.push({ id: 14, customer_id: 0, note: 'new' } as never)
  })
  expect([run.request.status, run.request.failure]).toEqual([
    'error',
    expect.stringContaining("appeared in 'shop:orders'"),
  ])
  const end = await run.again()
  expect([end.status, end.failure]).toEqual(['complete', undefined])
  expect(told(run.world, 'orders', 'note')).toEqual({ 10: null, 11: 'his', 12: null, 13: null, 14: null })
  expect(erasedOf(end)).toMatchObject({ 'shop:orders': 'masked 2, unchanged 2' })
})
