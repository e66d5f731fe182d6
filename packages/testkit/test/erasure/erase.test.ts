import { memoryConnector } from '@habeas/testkit'
import { expect, test } from 'vitest'
import { erasedOf, erasureWorld } from './erasure-world.js'

const text = { kind: 'string' } as const
const integer = { kind: 'integer' } as const

const shop = () => ({
  customer: {
    primaryKey: ['id'],
    columns: [
      { name: 'id', ...integer },
      { name: 'email', ...text },
      { name: 'name', ...text },
      { name: 'address_id', ...integer },
      { name: 'note', ...text },
    ],
    rows: [
      { id: 1, email: 'ann@example.com', name: 'Ann', address_id: 10, note: 'keep' },
      { id: 2, email: 'bob@example.com', name: 'Bob', address_id: 11, note: 'keep' },
    ],
  },
  orders: {
    primaryKey: ['id'],
    columns: [
      { name: 'id', ...integer },
      { name: 'customer_id', ...integer },
      { name: 'address_id', ...integer },
      { name: 'remark', ...text, nullable: false },
    ],
    rows: [
      { id: 100, customer_id: 1, address_id: 11, remark: 'ring twice' },
      { id: 101, customer_id: 1, address_id: 12, remark: 'leave it' },
      { id: 102, customer_id: 2, address_id: 11, remark: 'bob' },
    ],
  },
  address: {
    primaryKey: ['id'],
    columns: [
      { name: 'id', ...integer },
      { name: 'street', ...text },
    ],
    rows: [
      { id: 10, street: 'Ann Lane' },
      { id: 11, street: 'Shared Street' },
      { id: 12, street: 'Gift Road' },
      { id: 13, street: 'Nowhere' },
    ],
  },
})

const field = (name: string, categories: readonly string[] = [], meta: object = {}) => ({
  name,
  data_categories: categories,
  service_meta: meta,
})

const dataset = {
  service_key: 'shop',
  collections: [
    {
      name: 'customer',
      fields: [
        field('id', [], { primary_key: true }),
        field('email', ['user.contact.email'], { identity: 'email' }),
        field('name', ['user.name']),
        field('address_id', [], { references: [{ dataset: 'shop', field: 'address.id', direction: 'to' }] }),
      ],
    },
    {
      name: 'orders',
      fields: [
        field('id', [], { primary_key: true }),
        field('customer_id', [], { references: [{ dataset: 'shop', field: 'customer.id', direction: 'from' }] }),
        field('address_id', [], { references: [{ dataset: 'shop', field: 'address.id', direction: 'to' }] }),
        field('remark', ['user.content']),
      ],
    },
    { name: 'address', fields: [field('id', [], { primary_key: true }), field('street', ['user.contact.address'])] },
  ],
}

test('§7.10–7.13: own rows are masked, what others point to as well stays, and nobody else is touched', async () => {
  const database = shop()
  const before = structuredClone(database)
  await using world = await erasureWorld(memoryConnector({ database }), [dataset])
  const request = await world.erase({ email: 'ann@example.com' })
  expect(request.failure).toBeUndefined()
  expect(request.status).toBe('complete')
  expect(erasedOf(request)).toEqual({
    'shop:customer': 'masked 1',
    'shop:orders': 'masked 2',
    'shop:address': 'masked 2, retained 1 (shared with 1 row of shop:customer and 1 row of shop:orders)',
  })
  expect(database.customer.rows).toEqual([
    { id: 1, email: null, name: null, address_id: 10, note: 'keep' },
    before.customer.rows[1],
  ])
  expect(database.orders.rows).toEqual([
    { id: 100, customer_id: 1, address_id: 11, remark: expect.stringMatching(/^[a-z0-9]{30}$/) },
    { id: 101, customer_id: 1, address_id: 12, remark: expect.stringMatching(/^[a-z0-9]{30}$/) },
    before.orders.rows[2],
  ])
  expect(database.address.rows).toEqual([
    { id: 10, street: null },
    before.address.rows[1],
    { id: 12, street: null },
    before.address.rows[3],
  ])
})
