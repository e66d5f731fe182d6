import type { Identity } from '@habeas/core'
import { memoryConnector } from '@habeas/testkit'
import { describe, expect, it } from 'vitest'
import { erasureWorld } from '../erasure/erasure-world.js'
import { collection, field, id, refer, shopOf, table } from './described.js'
import { openService } from './service-run.js'

const ann: Identity = { email: 'ann@example.com' }
const execution = { retryMinutes: 5, retryDelaySeconds: 0.01, sweepSeconds: 0.01, answerMinutes: 0.005 }

function shop() {
  return shopOf(
    [
      collection('customer', [id, field('email', { identity: 'email' })]),
      collection('orders', [id, refer('customer_id', 'customer.id'), field('note')]),
    ],
    {
      customer: table({ id: 'integer', email: 'string' }, [[1, 'ann@example.com']]),
      orders: table({ id: 'integer', customer_id: 'integer', note: 'string' }, [
        [1, 1, 'a'],
        [2, 1, 'b'],
      ]),
    },
  )
}

describe('a database that does not answer', () => {
  it('keeps no access waiting for ever', async () => {
    const given = shop()
    const gate = given.connector.hold({ operation: 'read', collection: 'orders' })
    const { privacy, submit, read } = await openService([given], { execution })
    const requestId = await submit(ann)
    await gate.reached
    await expect.poll(async () => (await privacy.requests.get(requestId)).retry?.reason).toContain('gave no answer')
    gate.open()
    expect((await privacy.requests.settled(requestId)).status).toBe('complete')
    expect((await read(requestId))['shop:orders']).toHaveLength(2)
    await privacy.close()
  })

  it('keeps no erasure waiting for ever, and everything is erased once', async () => {
    const given = shop()
    const connector = memoryConnector({ database: given.connector.database })
    const gate = connector.hold({ operation: 'erase', collection: 'orders' })
    await using world = await erasureWorld(connector, [given.document], { execution })
    const { privacy } = world
    const { id } = await privacy.requests.submit({ policyKey: 'erase', identities: [ann] })
    await gate.reached
    await expect.poll(async () => (await privacy.requests.get(id)).retry?.reason).toContain('gave no answer')
    // the write that was given up takes effect beside the next one
    gate.open()
    const request = await privacy.requests.settled(id)
    expect(request.status).toBe('complete')
    const orders = request.results?.find((each) => each.collection === 'orders' && each.actionType === 'erasure')
    expect(orders?.outcomes).toEqual([{ outcome: 'masked', rowCount: 2 }])
    expect(given.connector.database['orders']?.rows.map((row) => row['note'])).toEqual([null, null])
  })

  it('is named where it never answers', async () => {
    const given = shop()
    const gates = Array.from({ length: 9 }, () => given.connector.hold({ operation: 'read', collection: 'orders' }))
    const { privacy, submit } = await openService([given], { execution: { ...execution, retryMinutes: 0 } })
    const request = await privacy.requests.settled(await submit(ann))
    expect(request).toMatchObject({ status: 'error', failure: expect.stringContaining('gave no answer') })
    expect(request.failure).toContain('execution.answerMinutes')
    for (const gate of gates) gate.open()
    await privacy.close()
  })
})

it('a run that is told to stop says of no collection that it failed', async () => {
  const given = shop()
  const gate = given.connector.hold({ operation: 'read', collection: 'orders' })
  const { privacy, submit, events } = await openService([given], { execution })
  await submit(ann)
  await gate.reached
  await privacy.close()
  const ends = events.flatMap((event) => (event.type === 'collection' ? `${event.collection} ${event.status}` : []))
  expect(ends).toEqual(['customer in_processing', 'customer complete', 'orders in_processing'])
  expect(events.flatMap((event) => (event.type === 'request' ? (event.step ?? []) : []))).toContain('handed_back')
})
