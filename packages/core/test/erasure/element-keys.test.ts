import { expect, test } from 'vitest'
import { collection, field } from '../engine/described.js'
import { from, key, tableWith } from './described-erasure.js'
import { ann, bob, cy, list, request, text, toUsers, undecidedIn } from './element-world.js'

/* Rows that refer to a member of an element, which is no unique key: two elements may hold the same value. */

const orders = (items: object[]) => ({
  collections: [
    collection('orders', [
      key,
      from('buyer', 'users.id'),
      list('items', [field('seller', toUsers, []), field('sku', { data_type: 'string' }, []), text('note')]),
    ]),
    collection('parcels', [key, from('sku', 'orders.items.sku'), text('label')]),
  ],
  database: {
    orders: tableWith({ id: 'integer', buyer: 'integer', items: 'object' }, [[1, 1, items as never]]),
    parcels: tableWith({ id: 'integer', sku: 'string', label: 'string' }, [[1, 'S1', 'to somebody']]),
  },
})
const access = [{ service_key: 'copy', action_type: 'access', data_categories: { matches: 'ANY', values: ['user'] } }]
const sold = (seller: number, sku: string) => ({ seller, sku, note: `of ${seller}` })

test('a value in elements of two people tells no owner, though one row holds both', async () => {
  const shop = () => orders([sold(2, 'S1'), sold(3, 'S1')])
  for (const who of [bob, cy]) {
    const { end, got } = await request(who, shop(), access)
    expect(got['shop:parcels']).toBeUndefined()
    expect(undecidedIn(end)).toEqual({ 'shop:parcels.sku': 1 })
    expect(end.incomplete).toBe(true)
  }
})

test('nor does one that the owner of the row has beside somebody else', async () => {
  const { end, got } = await request(ann, orders([sold(1, 'S1'), sold(3, 'S1')]), access)
  expect(got['shop:parcels']).toBeUndefined()
  expect(undecidedIn(end)).toEqual({ 'shop:parcels.sku': 1 })
})

test('a value in elements of one person tells the owner', async () => {
  const { end, got } = await request(bob, orders([sold(2, 'S1'), sold(2, 'S1'), sold(3, 'S2')]), access)
  expect(got['shop:parcels']).toEqual([{ label: 'to somebody' }])
  expect(end.incomplete).toBeFalsy()
})
