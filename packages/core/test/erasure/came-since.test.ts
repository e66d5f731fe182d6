import type { Value } from '@habeas/core'
import { describe, expect, test } from 'vitest'
import { collection, field, refer } from '../engine/described.js'
import { type ErasedWorld, eraseWhile, foreignKey, key, plain, shopWorld, tableWith } from './described-erasure.js'
import { erasedOf } from './erasure-world.js'

const ann = 'ann@example.com'
/** Ann has paid for nothing and visited nothing. */
const shop = (erase: 'mask' | 'delete') => ({
  database: {
    customer: tableWith({ id: 'integer', email: 'string', name: 'string' }, [
      [0, ann, 'Ann'],
      [1, 'bob@example.com', 'Bob'],
    ]),
    orders: tableWith({ id: 'integer', customer_id: 'integer', note: 'string' }, [
      [10, 0, 'hers'],
      [11, 1, 'his'],
    ]),
    payment: tableWith({ id: 'integer', order_id: 'integer', card: 'string' }, [[20, 11, 'his']], {
      foreignKeys: [foreignKey('order_id', 'orders')],
    }),
    visit: tableWith({ id: 'integer', email: 'string', place: 'string' }, [[30, 'bob@example.com', 'his']]),
  },
  collections: [
    collection('customer', [key, plain('email', { identity: 'email' }), field('name')]),
    collection('orders', [key, refer('customer_id', 'customer.id', { direction: 'from' }), field('note')], { erase }),
    collection('payment', [key, refer('order_id', 'orders.id', { direction: 'from' }), field('card')], { erase }),
    collection('visit', [key, plain('email', { identity: 'email' }), field('place')], { erase }),
  ],
})

const rowsOf = (world: ErasedWorld, name: string) => world.database[name]?.rows as Record<string, Value>[]
/** After everything was read, before anything is written. */
const inTheCheck = { operation: 'erase', collection: 'orders', rollBack: true } as const

const pay = (world: ErasedWorld) => void rowsOf(world, 'payment').push({ id: 21, order_id: 10, card: 'new' })
const his = { id: 20, order_id: 11, card: 'his' }

describe('rows that come where the person had none', () => {
  test('are reported below one of its rows, and erased by a retry', async () => {
    await using run = await eraseWhile(shop('mask'), inTheCheck, pay)
    expect(run.request.failure).toContain("1 row of the person appeared in 'shop:payment' while it was erased")
    expect(rowsOf(run.world, 'orders')[0]).toEqual({ id: 10, customer_id: 0, note: 'hers' })
    const end = await run.again()
    expect([end.failure, erasedOf(end)['shop:payment']]).toEqual([undefined, 'masked 1'])
    expect(rowsOf(run.world, 'payment')).toEqual([his, { id: 21, order_id: 10, card: null }])
  })

  test('are reported where the identity itself finds them, and erased by a retry', async () => {
    await using run = await eraseWhile(shop('mask'), inTheCheck, (world) => {
      rowsOf(world, 'visit').push({ id: 31, email: ann, place: 'new' })
    })
    expect(run.request.failure).toContain("1 row of the person appeared in 'shop:visit' while it was erased")
    const end = await run.again()
    expect([end.failure, erasedOf(end)['shop:visit']]).toEqual([undefined, 'masked 1'])
    expect(rowsOf(run.world, 'visit').at(-1)).toEqual({ id: 31, email: ann, place: null })
  })
})

describe('rows that come to a collection that is finished', () => {
  /** Customers are written last, since everything is reached from there. */
  const atTheEnd = { operation: 'erase', collection: 'customer', rollBack: false } as const

  test.each(['mask', 'delete'] as const)('are reported, and erased by a retry: %s', async (how) => {
    await using run = await eraseWhile(shop(how), atTheEnd, (world) => {
      pay(world)
      rowsOf(world, 'visit').push({ id: 31, email: ann, place: 'new' })
    })
    expect(run.request.status).toBe('error')
    expect(run.request.failure).toContain("1 row of the person appeared in 'shop:payment' while it was erased")
    expect(run.request.failure).toContain('(and 1 more)')
    const end = await run.again()
    const outcome = how === 'mask' ? 'masked 1' : 'erased 1'
    expect([end.failure, erasedOf(end)]).toMatchObject([
      undefined,
      { 'shop:payment': outcome, 'shop:visit': outcome, 'shop:customer': 'masked 1' },
    ])
  })

  test('are searched for by a retry where the database could not be reached then', async () => {
    const world = await shopWorld(shop('mask'))
    await using _ = world
    const gate = world.connector.hold(atTheEnd)
    const { id } = await world.privacy.requests.submit({ policyKey: 'erase', identities: [{ email: ann }] })
    await gate.reached
    rowsOf(world, 'visit').push({ id: 31, email: ann, place: 'new' })
    world.connector.failNext({ operation: 'read', collection: 'visit' })
    gate.open()
    expect((await world.privacy.requests.settled(id)).status).toBe('error')
    await world.privacy.requests.retry(id)
    const told = await world.privacy.requests.settled(id)
    expect(told.failure).toContain("1 row of the person appeared in 'shop:visit'")
    await world.privacy.requests.retry(id)
    const end = await world.privacy.requests.settled(id)
    expect([end.failure, erasedOf(end)['shop:visit']]).toEqual([undefined, 'masked 1'])
  })
})

describe('rows that come to refer to a row to delete', () => {
  test('stop the erasure before the check, and a retry reads them', async () => {
    await using run = await eraseWhile(shop('delete'), { operation: 'countEach', collection: 'payment' }, pay)
    expect(run.request.failure).toContain("1 row of 'shop:payment' that this request does not delete keep them")
    expect(run.request.failure).toContain('a retry finds rows that were added only just now')
    expect(rowsOf(run.world, 'orders')).toHaveLength(2)
    const end = await run.again()
    expect([end.failure, erasedOf(end)]).toEqual([
      undefined,
      expect.objectContaining({ 'shop:orders': 'erased 1', 'shop:payment': 'erased 1' }),
    ])
    expect(rowsOf(run.world, 'payment')).toEqual([his])
  })

  test('make the foreign key refuse after their collection was finished, and a retry reads them', async () => {
    await using run = await eraseWhile(
      shop('delete'),
      { operation: 'erase', collection: 'orders', rollBack: false },
      pay,
    )
    expect(run.request.status).toBe('error')
    expect(erasedOf(run.request)['shop:orders']).toMatch(/^failed 1 /)
    const end = await run.again()
    expect([end.failure, erasedOf(end)]).toEqual([
      undefined,
      expect.objectContaining({ 'shop:orders': 'erased 1', 'shop:payment': 'erased 1' }),
    ])
    expect(rowsOf(run.world, 'payment')).toEqual([his])
  })
})
