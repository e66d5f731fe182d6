import { expect, test } from 'vitest'
import { isSlip } from './is-slip.js'
import { slipIndex } from './slip-index.js'

const names = [
  ...[
    'billing',
    'biling',
    'bliling',
    'billings',
    'villing',
    'shop',
    'shop_eu',
    'shop_us',
    'shop1',
    'shop2',
    'Shop',
    'sho',
  ],
  ...['customer_orders', 'customer_order', 'custmer_orders', 'customerOrders', 'customer.orders', 'orders_customer'],
  ...['a', 'ab', 'abcd', 'abdc', 'abcde', 'order-2023', 'order-2024', 'ordre-2023', '', '_', '__', 'bill_ing'],
]

test('the first name that another one is probably meant for is the one that a look at all names finds', () => {
  for (const all of [names, [...names].reverse()]) {
    const slipOf = slipIndex(all)
    for (const name of [...names, 'nothing_like_it', 'shpo_eu'])
      expect([name, slipOf(name)]).toEqual([name, all.find((other) => isSlip(name, other))])
  }
  expect(slipIndex(names)('biling')).toBe('billing')
})
