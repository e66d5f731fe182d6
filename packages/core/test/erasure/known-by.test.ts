import { expect, test } from 'vitest'
import { collection, field } from '../engine/described.js'
import { from, key, plain, shopWorld, tableWith } from './described-erasure.js'

const ann = 'ann@example.com'
const shop = () =>
  shopWorld({
    database: {
      customer: tableWith({ id: 'integer', email: 'string', phone: 'string', name: 'string' }, [
        [0, ann, '+49 30 5', 'Ann'],
        [1, 'bob@example.com', '+49 30 6', 'Bob'],
      ]),
      emails: tableWith({ id: 'integer', customer_id: 'integer', email: 'string' }, [[1, 0, 'old@example.com']]),
    },
    collections: [
      collection('customer', [
        ...[key, plain('email', { identity: 'email' }), plain('phone', { identity: 'phone_number' })],
        field('name'),
      ]),
      collection('emails', [key, from('customer_id', 'customer.id'), field('email', { identity: 'old_email' })]),
    ],
  })

test.each([
  ['what another column of her own row holds', { phone_number: '+49 30 5' }],
  ['what a row that belongs to hers holds, in another spelling', { old_email: ' OLD@example.com ' }],
])('a legal hold is compared with %s', async (_, identity) => {
  await using world = await shop()
  const { privacy } = world
  const hold = await privacy.holds.create({ identities: [identity], reason: 'a case' })
  const { id } = await privacy.requests.submit({ policyKey: 'erase', identities: [{ email: ann }] })
  const paused = await world.paused(id)
  expect([paused.status, paused.legalHolds?.length]).toEqual(['paused', 1])
  expect(JSON.stringify(paused)).not.toMatch(/ownIdentityHashes|49 30|old@/i)
  expect(world.rows()).toEqual(world.before)
  await privacy.holds.release(hold.id, { reason: 'over' })
  expect((await privacy.requests.settled(id)).status).toBe('complete')
  expect(world.rows()['customer']).toMatchObject([{ name: null }, { name: 'Bob' }])
})

test('a hold on somebody else holds nothing of hers', async () => {
  await using world = await shop()
  await world.privacy.holds.create({ identities: [{ phone_number: '+49 30 6' }], reason: 'a case' })
  expect((await world.erase({ email: ann })).status).toBe('complete')
})

test('two erasures of one person under different names follow each other', async () => {
  await using world = await shop()
  const { privacy, connector } = world
  const gate = connector.hold({ operation: 'erase', collection: 'customer', rollBack: false })
  const first = await privacy.requests.submit({ policyKey: 'erase', identities: [{ email: ann }] })
  await gate.reached
  const second = await privacy.requests.submit({ policyKey: 'erase', identities: [{ phone_number: '+49 30 5' }] })
  const waits = async () => JSON.stringify(await world.storage.table('executionLog').find({}))
  const reads = connector.calls.length
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(connector.calls.length).toBe(reads)
  gate.open()
  const ends = [await privacy.requests.settled(first.id), await privacy.requests.settled(second.id)]
  expect(ends.map(({ status }) => status)).toEqual(['complete', 'complete'])
  expect(await waits()).not.toContain(ann)
})

test('a person who was erased is also recognised by the letters that rows held', async () => {
  await using world = await shopWorld({
    database: { customer: tableWith({ id: 'integer', email: 'string' }, [[0, ' Ann@Example.com']]) },
    collections: [collection('customer', [key, field('email', { identity: 'email' })])],
  })
  expect((await world.erase({ email: ann })).status).toBe('complete')
  const { privacy } = world
  expect(await privacy.isErased({ email: ann })).toBe(true)
  expect(await privacy.isErased({ email: ' Ann@Example.com' })).toBe(true)
  expect(await privacy.isErased({ email: 'ANN@EXAMPLE.COM' })).toBe(true)
  expect(await privacy.isErased({ email: 'annn@example.com' })).toBe(false)
})
