import type { PrivacyRequest } from '@habeas/core'
import { describe, expect, test } from 'vitest'
import { collection, field, refer } from '../engine/described.js'
import { key, plain, shopWorld, tableWith } from './described-erasure.js'
import { erasedOf } from './erasure-world.js'

const ann = 'ann@example.com'
const five = [10, 11, 12, 13, 14]
const shop = (erase: 'mask' | 'delete' = 'mask') => ({
  database: {
    customer: tableWith({ id: 'integer', email: 'string', name: 'string' }, [
      [0, ann, 'Ann'],
      [1, 'bob@example.com', 'Bob'],
    ]),
    orders: tableWith(
      { id: 'integer', customer_id: 'integer', note: 'string' },
      five.map((id) => [id, 0, 'hers']),
    ),
    letter: tableWith({ id: 'integer', email: 'string', body: 'string' }, [[1, ann, 'Dear']]),
  },
  collections: [
    collection('customer', [key, plain('email', { identity: 'email' }), field('name')]),
    collection('orders', [key, refer('customer_id', 'customer.id', { direction: 'from' }), field('note')], { erase }),
    collection('letter', [key, plain('email', { identity: 'email' }), field('body')]),
  ],
  capabilities: { maxErased: 2 },
})

const held = { identities: [{ email: ann }], reason: 'a case' }

/** Begins to erase Ann's, and does something before her first two orders are written. */
async function begun(erase: 'mask' | 'delete' = 'mask') {
  const world = await shopWorld(shop(erase))
  const { privacy, connector } = world
  const gate = connector.hold({ operation: 'erase', collection: 'orders', rollBack: false })
  const { id } = await privacy.requests.submit({ policyKey: 'erase', identities: [{ email: ann }] })
  await gate.reached
  const inStatus = async (...statuses: readonly PrivacyRequest['status'][]): Promise<PrivacyRequest> => {
    for (;;) {
      const request = await privacy.requests.get(id)
      if (statuses.includes(request.status)) return request
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
  const written = () => connector.calls.filter(({ operation, rollBack }) => operation === 'erase' && !rollBack).length
  return { ...world, id, gate, inStatus, written, settled: () => privacy.requests.settled(id) }
}

test('after a legal hold that ends late, only rows are erased that are the person’s by then', async () => {
  const given = shop('delete')
  const payment = tableWith({ id: 'integer', order_id: 'integer', card: 'string' }, [
    [20, 10, 'hers, and then his'],
    [21, 11, 'hers'],
  ])
  await using world = await shopWorld({
    ...given,
    database: { ...given.database, payment },
    collections: [
      ...given.collections,
      collection('payment', [key, refer('order_id', 'orders.id', { direction: 'from' }), field('card')], {
        erase: 'delete',
      }),
    ],
  })
  const { privacy, database } = world
  const hold = await privacy.holds.create(held)
  const { id } = await privacy.requests.submit({ policyKey: 'erase', identities: [{ email: ann }] })
  while ((await privacy.requests.get(id)).status !== 'paused') await new Promise((resolve) => setTimeout(resolve, 5))
  Object.assign(database['orders']?.rows[0] as object, { customer_id: 1 })
  database['orders']?.rows.push({ id: 15, customer_id: 0, note: 'hers' })
  await privacy.holds.release(hold.id)
  const end = await privacy.requests.settled(id)
  expect([end.failure, erasedOf(end)['shop:orders'], erasedOf(end)['shop:payment']]).toEqual([
    undefined,
    'erased 5',
    'erased 1',
  ])
  expect(world.rows()['orders']).toEqual([{ id: 10, customer_id: 1, note: 'hers' }])
  expect(world.rows()['payment']).toEqual([{ id: 20, order_id: 10, card: 'hers, and then his' }])
})

describe('a legal hold that is made while an erasure writes', () => {
  test.each(['mask', 'delete'] as const)(
    'stops it and takes the batch in flight back, until it is released (%s)',
    async (how) => {
      await using run = await begun(how)
      const hold = await run.privacy.holds.create(held)
      const before = run.written()
      run.gate.open()
      const waiting = await run.inStatus('paused', 'error', 'complete')
      const word = how === 'mask' ? 'masked' : 'erased'
      expect([waiting.status, waiting.legalHolds, waiting.failure]).toEqual([
        'paused',
        [hold.id],
        `The erasure has begun, and the rest of it waits for legal hold '${hold.id}' and goes on once it has ended.`,
      ])
      expect(run.written()).toBe(before)
      expect(erasedOf(waiting)).toMatchObject({
        'shop:orders': 'skipped 5 (waits for a legal hold)',
        'shop:customer': "skipped 1 (not reached: 'shop:orders' comes first and waits for a legal hold)",
      })
      expect(run.rows()['orders']?.filter(({ note }) => note === 'hers')).toHaveLength(5)
      expect(run.rows()['customer']).toEqual(run.before['customer'])
      await run.privacy.holds.release(hold.id)
      const end = await run.settled()
      expect([end.failure, end.legalHolds, erasedOf(end)]).toEqual([
        undefined,
        undefined,
        { 'shop:orders': `${word} 5`, 'shop:customer': 'masked 1', 'shop:letter': 'masked 1' },
      ])
      expect(run.rows()['orders']?.filter(({ note }) => note === 'hers')).toEqual([])
    },
  )

  test('stops it again when another one is made while it goes on', async () => {
    await using run = await begun()
    const first = await run.privacy.holds.create(held)
    run.gate.open()
    await run.inStatus('paused')
    const again = run.connector.hold({ operation: 'erase', collection: 'orders', rollBack: false })
    await run.privacy.holds.release(first.id)
    await again.reached
    const second = await run.privacy.holds.create(held)
    again.open()
    expect((await run.inStatus('paused', 'error', 'complete')).legalHolds).toEqual([second.id])
    await run.privacy.holds.release(second.id)
    const end = await run.settled()
    expect([end.failure, erasedOf(end)['shop:orders']]).toEqual([undefined, 'masked 5'])
  })

  test('stops nothing when it is released before the batch has ended', async () => {
    await using run = await begun()
    const hold = await run.privacy.holds.create(held)
    await run.privacy.holds.release(hold.id)
    run.gate.open()
    const end = await run.settled()
    expect([end.status, erasedOf(end)['shop:orders']]).toEqual(['complete', 'masked 5'])
  })

  test("stops nobody else's erasure", async () => {
    await using run = await begun()
    await run.privacy.holds.create({ ...held, identities: [{ email: 'bob@example.com' }] })
    run.gate.open()
    const end = await run.settled()
    expect([end.status, erasedOf(end)['shop:orders']]).toEqual(['complete', 'masked 5'])
  })

  test('keeps a retry from going on as well', async () => {
    await using run = await begun()
    run.connector.failNext({ operation: 'erase', collection: 'orders', rollBack: false })
    run.gate.open()
    expect((await run.settled()).status).toBe('error')
    const hold = await run.privacy.holds.create(held)
    const before = run.written()
    await run.privacy.requests.retry(run.id)
    expect((await run.inStatus('paused', 'error', 'complete')).legalHolds).toEqual([hold.id])
    expect(run.written()).toBe(before)
    await run.privacy.holds.release(hold.id)
    const end = await run.settled()
    expect([end.failure, erasedOf(end)['shop:orders']]).toEqual([undefined, 'masked 5'])
  })

  test('lets it be canceled, and it ends in error, erased in part', async () => {
    await using run = await begun()
    await run.privacy.holds.create(held)
    run.gate.open()
    await run.inStatus('paused')
    const before = run.written()
    await run.privacy.requests.cancel(run.id)
    const end = await run.settled()
    expect([end.status, end.failure]).toEqual(['error', expect.stringContaining('Stopped on request')])
    expect(run.written()).toBe(before)
    expect((await run.privacy.requests.cancel(run.id)).status).toBe('canceled')
  })
})
