import { expect, test } from 'vitest'
import { collection, field } from '../engine/described.js'
import { eraseShop, key, plain, tableWith } from './described-erasure.js'

const ann = 'ann@example.com'
const email = field('email', { identity: 'email' })

/** Rows that go, unless their invoice has to stay. */
const invoices = (retain: object) => ({
  database: {
    customer: tableWith({ id: 'integer', email: 'string', invoice: 'string', since: 'date' }, [
      [0, ann, 'INV-1', '2001-02-03'],
      [1, ann, 'INV-2', '2999-01-01'],
      [2, ann, null, '2999-01-01'],
      [3, ann, 'INV-4', null],
    ]),
  },
  collections: [
    collection('customer', [key, email, plain('invoice', { retain }), plain('since')], { erase: 'delete' }),
  ],
})

test('§3, §7.16: a row goes once the reason to keep a field of it is over', async () => {
  const { erased, rows } = await eraseShop(invoices({ reason: 'tax law', until: '2020-01-01' }))
  expect(erased).toEqual({ 'shop:customer': 'erased 4' })
  expect(rows['customer']).toEqual([])
})

test('§3, §7.16: row by row, where a date of the row tells when', async () => {
  const until = { after: 'since', period: 'P1Y' }
  const { erased, rows } = await eraseShop(invoices({ reason: 'tax law', until }))
  expect(erased).toEqual({
    'shop:customer': 'masked 2 (masked instead of deleted: a field of it is kept), erased 2',
  })
  expect(rows['customer']).toEqual([
    { id: 1, email: null, invoice: 'INV-2', since: '2999-01-01' },
    { id: 3, email: null, invoice: 'INV-4', since: null },
  ])
})
