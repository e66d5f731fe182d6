import { memoryBlobs } from '@habeas/core'
import { describe, expect, test } from 'vitest'
import { collection, field, refer } from '../engine/described.js'
import { key, plain, shopWorld, tableWith } from './described-erasure.js'

const ann = 'ann@example.com'
const both = ['access', 'erasure'].map((action) => ({
  service_key: action,
  action_type: action,
  data_categories: { matches: 'ANY', values: ['user'] },
}))
const given = () => ({
  rules: both,
  database: {
    customer: tableWith({ id: 'integer', email: 'string', name: 'string' }, [
      [0, ann, 'Ann'],
      [1, 'bob@example.com', 'Bob'],
    ]),
    orders: tableWith({ id: 'integer', customer_id: 'integer', note: 'string' }, [
      [10, 0, 'first'],
      [11, 0, 'second'],
      [12, 1, 'his'],
    ]),
  },
  collections: [
    collection('customer', [key, plain('email', { identity: 'email' }), field('name')]),
    collection('orders', [
      key,
      { ...refer('customer_id', 'customer.id', { direction: 'from' }), data_categories: [] },
      field('note'),
    ]),
  ],
  capabilities: { maxErased: 1 },
})
const whole = { 'shop:customer': [{ name: 'Ann' }], 'shop:orders': [{ note: 'first' }, { note: 'second' }] }
const erased = {
  customer: [
    { id: 0, email: ann, name: null },
    { id: 1, email: 'bob@example.com', name: 'Bob' },
  ],
  orders: [
    { id: 10, customer_id: 0, note: null },
    { id: 11, customer_id: 0, note: null },
    { id: 12, customer_id: 1, note: 'his' },
  ],
}
type World = Awaited<ReturnType<typeof shopWorld>>

async function packageOf({ privacy }: Pick<World, 'privacy'>, id: string): Promise<unknown> {
  let text = ''
  for await (const part of privacy.requests.readPackage(id)) text += Buffer.from(part).toString()
  return JSON.parse(text)
}

const submit = ({ privacy }: World) => privacy.requests.submit({ policyKey: 'erase', identities: [{ email: ann }] })

describe('a policy that asks for access and erasure', () => {
  test('hands over the rows, and then erases them', async () => {
    await using world = await shopWorld(given())
    const { id } = await submit(world)
    const request = await world.privacy.requests.settled(id)
    expect([request.failure, request.status]).toEqual([undefined, 'complete'])
    expect(await packageOf(world, id)).toEqual(whole)
    expect(world.rows()).toEqual(erased)
  })

  test('erases nothing while the package cannot be written', async () => {
    const blobs = memoryBlobs()
    let away = true
    const refusing: typeof blobs = {
      ...blobs,
      write: (name, bytes) =>
        away && name.includes('/package/') ? Promise.reject(new Error('no room')) : blobs.write(name, bytes),
    }
    await using world = await shopWorld({ ...given(), blobs: refusing })
    const { id } = await submit(world)
    expect((await world.privacy.requests.settled(id)).status).toBe('error')
    expect(world.rows()).toEqual(world.before)
    away = false
    await world.privacy.requests.retry(id)
    expect((await world.privacy.requests.settled(id)).status).toBe('complete')
    expect(await packageOf(world, id)).toEqual(whole)
    expect(world.rows()).toEqual(erased)
  })

  test('hands over the rows even after a retry that had to read rows again that were erased in part', async () => {
    await using world = await shopWorld(given())
    const gate = world.connector.hold({ operation: 'erase', collection: 'orders', rollBack: false })
    const { id } = await submit(world)
    await gate.reached
    world.database['orders']?.rows.push({ id: 13, customer_id: 0, note: 'came since' })
    gate.open()
    expect((await world.privacy.requests.settled(id)).failure).toContain("appeared in 'shop:")
    await world.privacy.requests.retry(id)
    expect((await world.privacy.requests.settled(id)).status).toBe('complete')
    expect(await packageOf(world, id)).toEqual(whole)
    expect(world.rows()['orders']?.filter(({ customer_id: owner, note }) => owner === 0 && note !== null)).toEqual([])
  })

  test('keeps one package after a retry, that of the run that completed', async () => {
    const blobs = memoryBlobs()
    await using world = await shopWorld({ ...given(), blobs })
    world.connector.failNext({ operation: 'erase', collection: 'customer', rollBack: false })
    const { id } = await submit(world)
    expect((await world.privacy.requests.settled(id)).status).toBe('error')
    await world.privacy.requests.retry(id)
    expect((await world.privacy.requests.settled(id)).status).toBe('complete')
    expect(await packageOf(world, id)).toEqual(whole)
    const sizes = await Promise.all(
      [1, 2].map((claim) => blobs.size(`requests/${id}/${claim}/package/access/json.json`)),
    )
    expect(sizes).toEqual([undefined, expect.any(Number)])
  })
})
