import { describe, expect, it } from 'vitest'
import { collection, field, refer } from '../engine/described.js'
import { from, kept, key, shopWorld, tableWith, told } from './described-erasure.js'
import { erasedOf } from './erasure-world.js'

const ann = { email: 'ann@example.com' }
const recent = { field: 'placed', start: '2024-01-01' }

/** Two people had goods sent to one house, and the other one did so long ago. */
const world = (partition_filter: readonly object[]) =>
  shopWorld({
    database: {
      customer: tableWith({ id: 'integer', email: 'string' }, [
        [1, ann.email],
        [2, 'bob@example.com'],
      ]),
      orders: {
        ...tableWith({ id: 'integer', customer_id: 'integer', ship_to: 'integer', note: 'string', placed: 'date' }, [
          [1, 1, 5, 'ring twice', '2024-06-01'],
          [2, 2, 5, 'ring once', '2019-06-01'],
        ]),
        partition: { column: 'placed', kind: 'date', required: true },
      },
      address: tableWith({ id: 'integer', street: 'string' }, [[5, 'Long Lane 1']]),
    },
    collections: [
      collection('customer', [key, field('email', { identity: 'email' })]),
      {
        ...collection('orders', [
          key,
          from('customer_id', 'customer.id'),
          kept(refer('ship_to', 'address.id', { direction: 'to' })),
          field('note'),
          kept(field('placed')),
        ]),
        service_meta: { partition_filter },
      },
      collection('address', [key, field('street')]),
    ],
  })

describe('an address that rows refer to of which only a part is searched', () => {
  it('stays, since rows outside of the part may be those of other people', async () => {
    await using shop = await world([recent])
    const request = await shop.erase(ann)
    expect(request).toMatchObject({ status: 'complete', incomplete: true })
    expect(told(shop, 'address', 'street')).toEqual({ 5: 'Long Lane 1' })
    expect(told(shop, 'orders', 'note')).toEqual({ 1: null, 2: 'ring once' })
    expect(erasedOf(request)['shop:address']).toBe(
      'retained 1 (possibly shared, because rows of shop:orders cannot be counted)',
    )
  })

  it('stays for the rows that were counted, where the ranges leave nothing out', async () => {
    await using shop = await world([recent, { field: 'placed', end: '2024-01-01' }, { field: 'placed', empty: true }])
    const request = await shop.erase(ann)
    expect(told(shop, 'address', 'street')).toEqual({ 5: 'Long Lane 1' })
    expect(erasedOf(request)['shop:address']).toBe('retained 1 (shared with 1 row of shop:orders)')
  })
})
