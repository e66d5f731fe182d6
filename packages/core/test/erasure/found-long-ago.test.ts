import { fakeRuntime } from '@habeas/testkit'
import { expect, test } from 'vitest'
import { collection, field } from '../engine/described.js'
import { type ErasedWorld, key, plain, shopWorld, tableWith } from './described-erasure.js'
import { erasedOf } from './erasure-world.js'
import { letters, paperWorld } from './paper-world.js'

const ann = 'ann@example.com'
const refers = (name: string, to: string) =>
  plain(name, { references: [{ dataset: 'shop', field: to, direction: 'from' }] })
const shop = () => ({
  database: {
    customer: tableWith({ id: 'integer', email: 'string' }, [
      [0, ann],
      [1, 'bob@example.com'],
    ]),
    orders: tableWith({ id: 'integer', customer_id: 'integer', note: 'string' }, [
      [10, 0, 'hers'],
      [11, 0, 'sold to Bob'],
    ]),
    line: tableWith({ id: 'integer', order_id: 'integer', title: 'string' }, [
      [100, 10, 'hers'],
      [101, 11, 'sold to Bob'],
    ]),
  },
  collections: [
    collection('customer', [key, plain('email', { identity: 'email' })]),
    collection('orders', [key, refers('customer_id', 'customer.id'), field('note')]),
    collection('line', [key, refers('order_id', 'orders.id'), field('title')]),
  ],
})

/** Whether orders were read before anything was tried or written. */
function readsOrders(calls: ErasedWorld['connector']['calls']): boolean {
  const first = calls.findIndex(({ operation }) => operation === 'erase')
  return calls.slice(0, first).some(({ operation, read }) => operation === 'read' && read?.collection === 'orders')
}

async function retriedAfter(milliseconds: number) {
  const runtime = fakeRuntime()
  const world = await shopWorld({ ...shop(), runtime })
  // What new values would do is tried right before the first write.
  world.connector.failNext({ operation: 'erase', rollBack: true })
  const { id } = await world.privacy.requests.submit({ policyKey: 'erase', identities: [{ email: ann }] })
  expect((await world.privacy.requests.settled(id)).status).toBe('error')
  const moved = world.database['orders']?.rows[1] as { [column: string]: unknown }
  moved['customer_id'] = 1
  runtime.advance(milliseconds)
  const retry = async () => {
    const before = world.connector.calls.length
    await world.privacy.requests.retry(id)
    const { failure, ...end } = await world.privacy.requests.settled(id)
    return { failure, erased: erasedOf(end), readAgain: readsOrders(world.connector.calls.slice(before)) }
  }
  return { world, retry, first: await retry() }
}

const sold = {
  orders: [
    { id: 10, customer_id: 0, note: null },
    { id: 11, customer_id: 1, note: 'sold to Bob' },
  ],
  line: [
    { id: 100, order_id: 10, title: null },
    { id: 101, order_id: 11, title: 'sold to Bob' },
  ],
}

test('rows that were found long ago are found again: those below a row that moved are no longer the request’s', async () => {
  const { world, first } = await retriedAfter(3_601_000)
  await using _ = world
  expect(first).toMatchObject({
    failure: undefined,
    readAgain: true,
    erased: { 'shop:orders': 'masked 1', 'shop:line': 'masked 1' },
  })
  expect(world.rows()).toMatchObject(sold)
})

test('rows that were found a moment ago are read again only by a retry, where they have become somebody else’s', async () => {
  const { world, retry, first } = await retriedAfter(60_000)
  await using _ = world
  expect([first.readAgain, first.failure]).toEqual([false, expect.stringContaining("no longer the person's")])
  expect(world.rows()['line']).toEqual(world.before['line'])
  const second = await retry()
  expect(second).toMatchObject({ failure: undefined, readAgain: true, erased: { 'shop:line': 'masked 1' } })
  expect(world.rows()).toMatchObject(sold)
})

test('rows that a person has looked up are not asked for again where the same is searched for', async () => {
  const runtime = fakeRuntime()
  await using world = await paperWorld({ runtime })
  const { id } = await world.privacy.requests.submit({ policyKey: 'erase', identities: [{ email: ann }] })
  await world.privacy.requests.run()
  expect(await world.get(id)).toMatchObject({ status: 'paused', actionRequired: { step: 'access' } })
  runtime.advance(5 * 86_400_000)
  world.database.orders.rows.push({ id: 102, customer_id: 1, remark: 'came since' })
  await world.privacy.requests.manualInput(id, letters)
  await world.privacy.requests.run()
  expect(await world.get(id)).toMatchObject({ status: 'paused', actionRequired: { step: 'erasure' } })
  runtime.advance(5 * 86_400_000)
  const end = await world.confirm(id, 3)
  expect([end.failure, erasedOf(end)]).toMatchObject([undefined, { 'shop:orders': 'masked 2' }])
})
