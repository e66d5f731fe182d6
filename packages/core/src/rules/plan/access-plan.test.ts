import { describe, expect, it } from 'vitest'
import {
  address,
  addresses,
  collection,
  customer,
  field,
  from,
  key,
  live,
  planned,
  reasons,
  types,
  wanted,
} from '../../../test/fixtures/planned-shop.js'

describe('the columns of a plan', () => {
  it('reads targeted, entry and reference columns and no others', () => {
    const plan = planned({
      collections: [
        customer,
        address,
        collection('orders', [key(), from('customer_id', 'customer.id'), wanted('note'), field('secret')]),
      ],
    })
    const read = plan.collections.find(({ collection: name }) => name === 'orders')
    expect(read?.columns).toEqual(['customer_id', 'note'])
    expect(read?.notRead).toEqual(['id', 'secret'])
  })

  it('reads nothing that no target needs', () => {
    const plan = planned({
      collections: [customer, address, collection('log', [from('customer_id', 'customer.id'), field('line')])],
    })
    expect(addresses(plan)).toEqual(['customer', 'address'])
    expect(reasons(plan)).toEqual({ 'shop:log': 'no target needs it' })
  })

  it('reads collections that lead to a target without being one', () => {
    const plan = planned({
      collections: [
        customer,
        address,
        collection('card', [key(), from('customer_id', 'customer.id')]),
        collection('charge', [from('card_id', 'card.id'), wanted('sum')]),
      ],
    })
    expect(plan.collections.find(({ collection: name }) => name === 'card')?.columns).toEqual(['id', 'customer_id'])
  })

  it('lists live columns without a field as not read', () => {
    const plan = planned({
      collections: [customer, address],
      catalogue: {
        collections: [
          live('customer', ['id', 'email', 'name', 'address_id', 'hidden']),
          live('address', ['id', 'street']),
        ],
      },
    })
    expect(plan.collections[0]?.notRead).toContain('hidden')
    expect(types(plan)).toContain('undescribed_column')
  })
})
