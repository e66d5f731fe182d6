import type { Value } from '@habeas/core'
import { describe, expect, test } from 'vitest'
import { collection, field, refer } from '../engine/described.js'
import { type ErasedShop, type ErasedWorld, eraseWhile, key, plain, shopWorld, tableWith } from './described-erasure.js'
import { erasedOf } from './erasure-world.js'

const ann = 'ann@example.com'
const bob = 'bob@example.com'
const rowsOfOrders: readonly (readonly Value[])[] = [
  [10, 0, 'first'],
  [11, 1, 'his'],
  [12, 0, 'second'],
  [13, 0, 'third'],
]

const shop = (how: 'mask' | 'delete' = 'mask', more: Partial<ErasedShop> = {}): ErasedShop => ({
  database: {
    customer: tableWith({ id: 'integer', email: 'string', name: 'string' }, [
      [0, ann, 'Ann'],
      [1, bob, 'Bob'],
    ]),
    orders: tableWith({ id: 'integer', customer_id: 'integer', note: 'string' }, rowsOfOrders),
  },
  collections: [
    collection('customer', [key, field('email', { identity: 'email' }), field('name')]),
    collection(
      'orders',
      [key, { ...refer('customer_id', 'customer.id', { direction: 'from' }), data_categories: [] }, field('note')],
      {
        erase: how,
      },
    ),
  ],
  capabilities: { maxErased: 2 },
  ...more,
})

const tableOf = (world: ErasedWorld, name: string) => world.database[name] as { rows: Record<string, Value>[] }

/** Right before the first batch of orders. */
const inTheWriting = { operation: 'erase', collection: 'orders', rollBack: false } as const

describe('the application writes between reading and erasing', () => {
  test('a row that was deleted meanwhile is gone', async () => {
    await using run = await eraseWhile(shop(), inTheWriting, (world) => void tableOf(world, 'orders').rows.splice(0, 1))
    expect([run.request.failure, erasedOf(run.request)['shop:orders']]).toEqual([undefined, 'masked 2, gone 1'])
  })

  test('a row that belongs to somebody else by now is left', async () => {
    for (const how of ['mask', 'delete'] as const) {
      await using run = await eraseWhile(shop(how), inTheWriting, (world) => {
        ;(tableOf(world, 'orders').rows[0] as Record<string, Value>)['customer_id'] = 1
      })
      expect([run.request.failure, erasedOf(run.request)['shop:orders']]).toEqual([
        undefined,
        `${how === 'mask' ? 'masked' : 'erased'} 2, changed 1`,
      ])
      expect(tableOf(run.world, 'orders').rows.filter((row) => row['customer_id'] === 1)).toEqual([
        { id: 10, customer_id: 1, note: 'first' },
        { id: 11, customer_id: 1, note: 'his' },
      ])
    }
  })

  test('a key that another row has taken over is not that row', async () => {
    await using run = await eraseWhile(shop('delete'), inTheWriting, (world) => {
      const { rows } = tableOf(world, 'orders')
      rows[0] = { id: 10, customer_id: 1, note: 'taken over' }
    })
    expect(erasedOf(run.request)['shop:orders']).toBe('erased 2, changed 1')
    expect(tableOf(run.world, 'orders').rows).toContainEqual({ id: 10, customer_id: 1, note: 'taken over' })
  })

  test('a row that has got another key is found by a retry', async () => {
    await using run = await eraseWhile(shop(), inTheWriting, (world) => {
      ;(tableOf(world, 'orders').rows[0] as Record<string, Value>)['id'] = 99
    })
    expect(run.request.status).toBe('error')
    expect(run.request.failure).toContain("appeared in 'shop:orders' while it was erased")
    expect(tableOf(run.world, 'customer').rows[0]).toEqual({ id: 0, email: ann, name: 'Ann' })
    const end = await run.again()
    expect(end.failure).toBeUndefined()
    expect(
      tableOf(run.world, 'orders').rows.filter(({ customer_id, note }) => customer_id === 0 && note !== null),
    ).toEqual([])
    expect(tableOf(run.world, 'customer').rows[0]).toEqual({ id: 0, email: null, name: null })
  })

  test('a row that came since is a residual: nothing that leads there is erased before a retry has erased it', async () => {
    for (const how of ['mask', 'delete'] as const) {
      await using run = await eraseWhile(shop(how), inTheWriting, (world) => {
        tableOf(world, 'orders').rows.push({ id: 14, customer_id: 0, note: 'new' })
      })
      expect(run.request.status).toBe('error')
      expect(erasedOf(run.request)['shop:customer']).toBe(
        "failed 1 (not reached: 'shop:orders' comes first and was not erased)",
      )
      expect(tableOf(run.world, 'customer').rows[0]).toEqual({ id: 0, email: ann, name: 'Ann' })
      const end = await run.again()
      const word = how === 'mask' ? 'masked' : 'erased'
      expect([end.failure, erasedOf(end)]).toEqual([
        undefined,
        { 'shop:customer': 'masked 1', 'shop:orders': expect.stringContaining(word) },
      ])
      const counts = [...(erasedOf(end)['shop:orders'] ?? '').matchAll(/\d+/g)].map(Number)
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(4)
      expect(
        tableOf(run.world, 'orders').rows.filter(({ customer_id, note }) => customer_id === 0 && note !== null),
      ).toEqual([])
    }
  })

  test('a value that is written again after it was masked is a residual', async () => {
    const world = await shopWorld(shop())
    const gate = world.connector.hold({ operation: 'erase', collection: 'orders', rollBack: false, afterWriting: true })
    const { id } = await world.privacy.requests.submit({ policyKey: 'erase', identities: [{ email: ann }] })
    await gate.reached
    ;(tableOf(world, 'orders').rows[0] as Record<string, Value>)['note'] = 'typed again'
    gate.open()
    const request = await world.privacy.requests.settled(id)
    expect(request.status).toBe('error')
    expect(request.failure).toContain("1 row of 'shop:orders' still holds data that was to be erased (note)")
    await world.privacy.requests.retry(id)
    const end = await world.privacy.requests.settled(id)
    expect(end.failure).toBeUndefined()
    expect(tableOf(world, 'orders').rows[0]).toEqual({ id: 10, customer_id: 0, note: null })
    await world.privacy.close()
  })
})

test('rows that were deleted beside one that came back are counted once', async () => {
  await using world = await shopWorld(shop('delete'))
  const gate = world.connector.hold({ operation: 'erase', collection: 'orders', rollBack: false, afterWriting: true })
  const { id } = await world.privacy.requests.submit({ policyKey: 'erase', identities: [{ email: ann }] })
  await gate.reached
  tableOf(world, 'orders').rows.push({ id: 10, customer_id: 0, note: 'restored' })
  gate.open()
  expect((await world.privacy.requests.settled(id)).failure).toContain("1 row of 'shop:orders' still holds")
  await world.privacy.requests.retry(id)
  const end = await world.privacy.requests.settled(id)
  expect([end.failure, erasedOf(end)['shop:orders']]).toEqual([undefined, 'erased 3'])
  expect(tableOf(world, 'orders').rows.map((row) => row['id'])).toEqual([11])
})

test('a row that nothing leads to any more and that was written again is never called done', async () => {
  const given = shop()
  const masked = refer('customer_id', 'customer.id', {
    direction: 'from',
    meta: { masking_strategy: { strategy: 'null_rewrite' } },
  })
  await using world = await shopWorld({
    ...given,
    collections: [given.collections[0] as object, collection('orders', [key, masked, field('note')])],
  })
  const gate = world.connector.hold({ operation: 'erase', collection: 'orders', rollBack: false, afterWriting: true })
  const { id } = await world.privacy.requests.submit({ policyKey: 'erase', identities: [{ email: ann }] })
  await gate.reached
  ;(tableOf(world, 'orders').rows[0] as Record<string, Value>)['note'] = 'typed again'
  gate.open()
  expect((await world.privacy.requests.settled(id)).status).toBe('error')
  await world.privacy.requests.retry(id)
  const still = await world.privacy.requests.settled(id)
  expect([still.status, still.failure]).toEqual(['error', expect.stringContaining("1 row of 'shop:orders'")])
  ;(tableOf(world, 'orders').rows[0] as Record<string, Value>)['note'] = null
  await world.privacy.requests.retry(id)
  expect((await world.privacy.requests.settled(id)).status).toBe('complete')
})

test('after a failure the collections that lead there stay, independent ones go on, and a retry does the rest', async () => {
  const given = shop('mask', {
    database: {
      ...shop().database,
      letter: tableWith({ id: 'integer', email: 'string', text: 'string' }, [
        [1, ann, 'Dear'],
        [2, bob, 'Dear'],
      ]),
    },
    collections: [
      ...shop().collections,
      collection('letter', [key, plain('email', { identity: 'email' }), field('text')]),
    ],
  })
  await using world = await shopWorld(given)
  world.connector.failNext({ operation: 'erase', collection: 'orders', rollBack: false })
  const { id } = await world.privacy.requests.submit({ policyKey: 'erase', identities: [{ email: ann }] })
  const request = await world.privacy.requests.settled(id)
  expect(request.status).toBe('error')
  expect(erasedOf(request)).toEqual({
    'shop:customer': "failed 1 (not reached: 'shop:orders' comes first and was not erased)",
    'shop:orders': expect.stringMatching(/^failed 3 \(/),
    'shop:letter': 'masked 1',
  })
  await world.privacy.requests.retry(id)
  const end = await world.privacy.requests.settled(id)
  expect([end.failure, erasedOf(end)]).toEqual([
    undefined,
    { 'shop:customer': 'masked 1', 'shop:orders': 'masked 3', 'shop:letter': 'masked 1' },
  ])
})

test('hashes are not hashed again, nor counted twice, when rows are found again', async () => {
  const hashing = {
    rules: [
      {
        service_key: 'h',
        action_type: 'erasure',
        data_categories: { matches: 'ANY', values: ['user'] },
        masking_strategy: { strategy: 'hash', configuration: {} },
      },
    ],
  }
  await using run = await eraseWhile(shop('mask', hashing), inTheWriting, (world) => {
    tableOf(world, 'orders').rows.push({ id: 14, customer_id: 0, note: 'new' })
  })
  expect(run.request.status).toBe('error')
  const once = structuredClone(tableOf(run.world, 'orders').rows.slice(0, 4))
  const end = await run.again()
  expect(end.failure).toBeUndefined()
  expect(tableOf(run.world, 'orders').rows.slice(0, 4)).toEqual(once)
  expect(erasedOf(end)['shop:orders']).toBe('masked 4')
})

test('a stop takes the batch in flight back, in every collection, and a second cancellation ends the request', async () => {
  const given = shop('mask', {
    database: {
      ...shop().database,
      letter: tableWith({ id: 'integer', email: 'string', text: 'string' }, [[1, ann, 'Dear']]),
    },
    collections: [
      ...shop().collections,
      collection('letter', [key, plain('email', { identity: 'email' }), field('text')]),
    ],
  })
  await using world = await shopWorld(given)
  const gate = world.connector.hold({ operation: 'erase', collection: 'orders', rollBack: false })
  const { id } = await world.privacy.requests.submit({ policyKey: 'erase', identities: [{ email: ann }] })
  await gate.reached
  const lettersBefore = structuredClone(world.rows()['letter'])
  const done = world.connector.calls.filter(({ operation, rollBack }) => operation === 'erase' && !rollBack).length
  expect((await world.privacy.requests.cancel(id)).status).toBe('in_processing')
  gate.open()
  const request = await world.privacy.requests.settled(id)
  expect(request.status).toBe('error')
  expect(request.failure).toContain('Stopped on request, erased in part.')
  const all = world.connector.calls.filter(({ operation, rollBack }) => operation === 'erase' && !rollBack).length
  expect(all).toBe(done)
  if (!erasedOf(request)['shop:letter']?.startsWith('masked')) expect(world.rows()['letter']).toEqual(lettersBefore)
  expect(world.rows()['customer']?.[0]).toEqual({ id: 0, email: ann, name: 'Ann' })
  expect((await world.privacy.requests.cancel(id)).status).toBe('canceled')
})
