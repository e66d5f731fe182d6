import { expect, it } from 'vitest'
import { formatAddress, resolveAddress, resolveReference } from './address.js'

const datasets = new Set(['shop', 'shop.eu', 'other'])

it.each([
  ['shop:orders', 'shop:orders'],
  ['shop.orders', 'shop:orders'],
  ['shop.eu.orders', 'shop.eu:orders'],
  ['shop.eu:orders', 'shop.eu:orders'],
  ['shop:eu.orders', 'shop:eu.orders'],
  ['shop.orders.archive', 'shop:orders.archive'],
  ['shop.a:b', 'shop:a:b'],
  ['unknown.orders', undefined],
  ['shopping.orders', undefined],
  ['shop', undefined],
  ['shop:', undefined],
])('resolveAddress %s is %s', (text, address) => {
  expect(resolveAddress(text, datasets)).toBe(address)
})

it.each([
  ['orders.id', { collection: 'orders', path: ['id'] }],
  ['orders.lines.product', { collection: 'orders.lines', path: ['product'] }],
  ['orders.buyer.id', { collection: 'orders', path: ['buyer', 'id'] }],
  ['orders', undefined],
  ['orders.', undefined],
  ['nowhere.id', undefined],
])('resolveReference %s', (field, target) => {
  expect(resolveReference(field, new Set(['orders', 'orders.lines']))).toEqual(target)
})

it('formatAddress puts a colon between', () => {
  expect(formatAddress('shop', 'orders')).toBe('shop:orders')
})
