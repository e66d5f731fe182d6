import { memoryConnector } from '@habeas/testkit'
import { expect, test } from 'vitest'
import { collection, field } from '../engine/described.js'
import { key, plain, tableWith } from './described-erasure.js'
import { erasedOf, erasureWorld } from './erasure-world.js'

const shop = () => {
  const orders = tableWith({ id: 'integer', customer_id: 'integer', address_id: 'integer', remark: 'string' }, [
    [100, 1, 11, 'ring twice'],
    [101, 1, 12, 'leave it'],
    [102, 2, 11, 'bob'],
  ])
  const columns = orders.columns?.map((each) => (each.name === 'remark' ? { ...each, nullable: false } : each)) ?? []
  return {
    customer: tableWith({ id: 'integer', email: 'string', name: 'string', address_id: 'integer', note: 'string' }, [
      [1, 'ann@example.com', 'Ann', 10, 'keep'],
      [2, 'bob@example.com', 'Bob', 11, 'keep'],
    ]),
    orders: { ...orders, columns },
    address: tableWith({ id: 'integer', street: 'string' }, [
      [10, 'Ann Lane'],
      [11, 'Shared Street'],
      [12, 'Gift Road'],
      [13, 'Nowhere'],
    ]),
  }
}

const leads = (name: string, to: string, direction: 'from' | 'to') =>
  plain(name, { references: [{ dataset: 'shop', field: to, direction }] })

const dataset = {
  service_key: 'shop',
  collections: [
    collection('customer', [
      key,
      field('email', { identity: 'email' }),
      field('name'),
      leads('address_id', 'address.id', 'to'),
    ]),
    collection('orders', [
      key,
      leads('customer_id', 'customer.id', 'from'),
      leads('address_id', 'address.id', 'to'),
      field('remark'),
    ]),
    collection('address', [key, field('street')]),
  ],
}

test('own rows are masked, rows that others refer to as well stay, and nobody else is touched', async () => {
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

test('rows that hold NULL in any mixture of columns are written by one statement, which leaves it alone', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f']
  const rows = Array.from({ length: 64 }, (_, id) => [
    ...[id, 'ann@example.com'],
    ...names.map((name, at) => ((id >> at) % 2 === 0 ? name : null)),
  ])
  const columns = Object.fromEntries(names.map((name) => [name, 'string' as const]))
  const database = { note: tableWith({ id: 'integer', email: 'string', ...columns }, rows) }
  const rewritten = { masking_strategy: { strategy: 'string_rewrite', configuration: { rewrite_value: 'gone' } } }
  const fields = [key, plain('email', { identity: 'email' }), ...names.map((name) => field(name, rewritten))]
  const connector = memoryConnector({ database })
  await using world = await erasureWorld(connector, [
    { service_key: 'shop', collections: [collection('note', fields)] },
  ])
  const request = await world.erase({ email: 'ann@example.com' })
  expect([request.failure, erasedOf(request)]).toEqual([undefined, { 'shop:note': 'masked 63, unchanged 1' }])
  expect(connector.calls.filter(({ operation, rollBack }) => operation === 'erase' && !rollBack)).toHaveLength(1)
  const told = (value: unknown) => (value === null ? null : 'gone')
  expect(database.note.rows.map((row) => names.map((name) => row[name]))).toEqual(
    rows.map((row) => row.slice(2).map(told)),
  )
})
