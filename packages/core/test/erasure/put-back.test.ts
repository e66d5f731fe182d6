import { expect, test } from 'vitest'
import { collection, field } from '../engine/described.js'
import { eraseWhile, from, key, shopWorld, tableWith } from './described-erasure.js'
import { erasedOf } from './erasure-world.js'

const ann = 'ann@example.com'
const shop = (erase: 'mask' | 'delete') => ({
  database: {
    customer: tableWith({ id: 'integer', email: 'string', name: 'string' }, [
      [0, ann, 'Ann'],
      [1, 'bob@example.com', 'Bob'],
    ]),
    orders: tableWith({ id: 'integer', customer_id: 'integer', note: 'string' }, [
      [10, 0, 'first'],
      [11, 0, 'second'],
      [12, 1, "Bob's"],
    ]),
  },
  collections: [
    collection('customer', [key, field('email', { identity: 'email' }), field('name')]),
    collection('orders', [key, from('customer_id', 'customer.id'), field('note')], { erase }),
  ],
})
/** When the orders were read again after they were written. */
const whenVerified = { operation: 'erase', collection: 'customer', rollBack: false } as const
/** When the last of all were. */
const atTheEnd = { operation: 'read', collection: 'orders' } as const

const isPutBack = 'holds data again'

test('a stale save that puts a value back after its check is named as an error, and does not count as masked', async () => {
  await using run = await eraseWhile(shop('mask'), whenVerified, ({ database }) => {
    Object.assign(database['orders']?.rows[0] as object, { note: 'first' })
  })
  expect([run.request.status, run.request.failure]).toEqual(['error', expect.stringContaining(`${isPutBack} (note)`)])
  expect(erasedOf(run.request)['shop:orders']).toMatch(/^masked 1, failed 1 \(1 row of 'shop:orders' that was erased/)
  const end = await run.again()
  expect([end.failure, erasedOf(end)]).toEqual([undefined, { 'shop:customer': 'masked 1', 'shop:orders': 'masked 2' }])
  expect(run.world.rows()['orders']?.map(({ note }) => note)).toEqual([null, null, "Bob's"])
})

test('a stale save that puts a row back after its deletion is an error, and does not count as erased', async () => {
  await using run = await eraseWhile(shop('delete'), whenVerified, ({ database }) => {
    database['orders']?.rows.push({ id: 10, customer_id: 0, note: 'first' })
  })
  expect([run.request.status, erasedOf(run.request)['shop:orders']]).toEqual([
    'error',
    expect.stringMatching(/^erased 1, failed 1 /),
  ])
  const end = await run.again()
  expect([end.failure, erasedOf(end)['shop:orders']]).toEqual([undefined, 'erased 2'])
  expect(run.world.rows()['orders']).toEqual([{ id: 12, customer_id: 1, note: "Bob's" }])
})

test('a stale save of what was written last, the identity itself, is an error, and does not count as masked', async () => {
  await using world = await shopWorld(shop('mask'))
  const written = world.connector.hold(whenVerified)
  const { id } = await world.privacy.requests.submit({ policyKey: 'erase', identities: [{ email: ann }] })
  await written.reached
  const last = world.connector.hold(atTheEnd)
  written.open()
  await last.reached
  Object.assign(world.database['customer']?.rows[0] as object, { email: ann, name: 'Ann' })
  last.open()
  const request = await world.privacy.requests.settled(id)
  expect([request.status, request.failure]).toEqual(['error', expect.stringContaining(`${isPutBack} (email)`)])
  await world.privacy.requests.retry(id)
  const end = await world.privacy.requests.settled(id)
  expect([end.failure, erasedOf(end)['shop:customer']]).toEqual([undefined, 'masked 1'])
  expect(world.rows()['customer']?.[0]).toEqual({ id: 0, email: null, name: null })
})

test('a stale save of a row that an earlier run has written is an error as well while a retry writes', async () => {
  const hashed = { strategy: 'hash' }
  const given = shop('mask')
  const customer = given.collections[0] as object
  const orders = collection('orders', [
    ...[key, from('customer_id', 'customer.id'), field('note', { masking_strategy: hashed })],
  ])
  await using run = await eraseWhile({ ...given, collections: [customer, orders] }, whenVerified, ({ database }) => {
    Object.assign(database['orders']?.rows[0] as object, { note: 'first' })
  })
  const { privacy, connector, database } = run.world
  const writing = connector.hold({ operation: 'erase', collection: 'orders', rollBack: false })
  await privacy.requests.retry(run.id)
  await writing.reached
  Object.assign(database['orders']?.rows[1] as object, { note: 'second' })
  writing.open()
  const second = await privacy.requests.settled(run.id)
  expect([second.status, second.failure]).toEqual(['error', expect.stringContaining(`${isPutBack} (note)`)])
  expect(erasedOf(second)['shop:orders']).toMatch(/^masked 1, failed 1 /)
  const end = await run.again()
  expect([end.failure, erasedOf(end)['shop:orders']]).toEqual([undefined, 'masked 2'])
  expect(run.world.rows()['orders']?.map(({ note }) => String(note))).toEqual([
    ...[expect.stringMatching(/^[0-9a-f]{64}$/), expect.stringMatching(/^[0-9a-f]{64}$/), "Bob's"],
  ])
})

test('a value that somebody else wrote into a row that is theirs by now is left, and is no error', async () => {
  await using run = await eraseWhile(shop('mask'), whenVerified, ({ database }) => {
    Object.assign(database['orders']?.rows[0] as object, { customer_id: 1, note: "Bob's now" })
  })
  expect([run.request.failure, erasedOf(run.request)['shop:orders']]).toEqual([undefined, 'masked 2'])
  expect(run.world.rows()['orders']?.[0]).toEqual({ id: 10, customer_id: 1, note: "Bob's now" })
})
