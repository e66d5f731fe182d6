import { describe, expect, test } from 'vitest'
import { collection, field, undirected } from '../engine/described.js'
import { type ErasedWorld, kept, key, shopWorld, tableWith } from './described-erasure.js'
import type { ErasureWorldOptions } from './erasure-world.js'

const ann = { email: 'ann@example.com' }
const known = 'shop:shipment.order_id'
const later = 'shop:parcel.person_id'

const customer = collection('customer', [key, field('email', { identity: 'email' }), field('name')])
const shipment = collection('shipment', [key, kept(undirected('order_id', 'customer.id')), field('street')])
const parcel = collection('parcel', [key, kept(undirected('person_id', 'customer.id')), field('street')])

/** Nobody has said what a shipment's order is to a customer, and a parcel is described later. */
const opened = (options: Partial<ErasureWorldOptions> = {}) =>
  shopWorld({
    database: {
      customer: tableWith({ id: 'integer', email: 'string', name: 'string' }, [[1, ann.email, 'Ann']]),
      shipment: tableWith({ id: 'integer', order_id: 'integer', street: 'string' }, [[50, 1, 'perhaps hers']]),
      parcel: tableWith({ id: 'integer', person_id: 'integer', street: 'string' }, [[60, 1, 'perhaps hers too']]),
    },
    collections: [customer, shipment],
    ...options,
  })

const describeParcels = ({ privacy }: ErasedWorld) =>
  privacy.connections.attachDataset('shop', {
    service_key: 'shop',
    collections: [customer, shipment, parcel],
  } as never)

const submitted = async ({ privacy }: ErasedWorld, more: object = {}) =>
  (await privacy.requests.submit({ policyKey: 'erase', identities: [ann], ...more })).id

/** Where a request rests, what it asks for then, and that nothing of the doubtful rows was touched. */
async function rested(world: ErasedWorld, id: string): Promise<object> {
  const { status, accepted, actionRequired } = await world.paused(id)
  expect(world.rows()['shipment']).toEqual(world.before['shipment'])
  expect(world.rows()['parcel']).toEqual(world.before['parcel'])
  return { status, accepted, asks: actionRequired?.accept }
}

describe('`true` accepts', () => {
  test('at a pause what the pause names: what comes up later pauses again', async () => {
    await using world = await opened()
    const id = await submitted(world)
    expect(await rested(world, id)).toMatchObject({ status: 'paused', asks: { acceptUndecided: [known] } })
    await describeParcels(world)
    const { accepted } = await world.privacy.requests.accept(id, { acceptUndecided: true, acceptUnsearched: true })
    expect(accepted).toEqual({ undecided: [known] })
    expect(await rested(world, id)).toMatchObject({ status: 'paused', asks: { acceptUndecided: [later] } })
    await world.privacy.requests.accept(id, { acceptUndecided: true })
    expect(await rested(world, id)).toMatchObject({ status: 'complete', accepted: { undecided: [known, later] } })
    const trail = await world.privacy.requests.auditTrail(id)
    expect(trail.items.flatMap(({ detail }) => detail['accepted'] ?? [])).toEqual([
      JSON.stringify({ undecided: [known] }),
      JSON.stringify({ undecided: [later] }),
    ])
  })

  test.each([
    ['a plan that was looked at', true],
    ['a plan that nobody has looked at', false],
  ])('at an approval what the plan names: %s', async (_, looks) => {
    await using world = await opened({ execution: { immediate: false, requireManualRequestApproval: true } })
    const { requests } = world.privacy
    const [first, second] = [await submitted(world), await submitted(world)]
    if (looks) for (const id of [first, second]) await requests.review(id)
    const { accepted } = await requests.approve(first, { acceptUndecided: true, acceptUnconfirmed: true })
    expect(accepted).toEqual({ undecided: [known] })
    await requests.run(first)
    expect(await rested(world, first)).toMatchObject({ status: 'complete' })
    await describeParcels(world)
    const { accepted: all } = await requests.approve(second, { acceptUndecided: true })
    expect(all).toEqual({ undecided: looks ? [known] : expect.arrayContaining([known, later]) })
  })

  test('at an approval nothing that the schema brings after it', async () => {
    await using world = await opened({ execution: { immediate: false, requireManualRequestApproval: true } })
    const { requests } = world.privacy
    const id = await submitted(world)
    await requests.review(id)
    await requests.approve(id, { acceptUndecided: true })
    await describeParcels(world)
    await requests.run(id)
    expect(await rested(world, id)).toMatchObject({
      status: 'paused',
      accepted: { undecided: [known] },
      asks: { acceptUndecided: [later] },
    })
  })

  test('at an approval of a plan, by its hash, what exactly that plan names', async () => {
    await using world = await opened({ execution: { immediate: false, requireManualRequestApproval: true } })
    const { requests } = world.privacy
    const id = await submitted(world)
    await requests.review(id)
    await describeParcels(world)
    const { plan } = await requests.preview({ policyKey: 'erase', identities: [ann] })
    expect(plan.open.map(({ name }) => name)).toContain(later)
    const { planHash } = await requests.review(id)
    const { accepted } = await requests.approve(id, { planHash, acceptUndecided: true })
    expect(accepted?.undecided).toEqual(expect.arrayContaining([known, later]))
    await requests.run(id)
    expect(await rested(world, id)).toMatchObject({ status: 'complete' })
  })

  test('at a retry what the run that failed has named', async () => {
    await using world = await opened()
    world.connector.failNext({ operation: 'read', collection: 'customer' })
    const id = await submitted(world)
    expect(await rested(world, id)).toMatchObject({ status: 'error' })
    await describeParcels(world)
    const { accepted } = await world.privacy.requests.retry(id, { acceptUndecided: true, acceptUnsearched: true })
    expect(accepted).toEqual({ undecided: [known] })
    expect(await rested(world, id)).toMatchObject({ status: 'paused', asks: { acceptUndecided: [later] } })
  })

  test('at submission everything', async () => {
    await using world = await opened({ execution: { immediate: false } })
    const id = await submitted(world, { acceptUndecided: true })
    await describeParcels(world)
    await world.privacy.requests.run(id)
    expect(await rested(world, id)).toMatchObject({ status: 'complete', accepted: { undecided: true } })
  })
})

describe('what is accepted by a name', () => {
  test('is what the pause names, in the same words', async () => {
    await using world = await opened()
    const id = await submitted(world)
    const { actionRequired } = await world.paused(id)
    expect(actionRequired?.accept).toEqual({ acceptUndecided: [known] })
    await world.privacy.requests.accept(id, actionRequired?.accept ?? {})
    expect(await rested(world, id)).toMatchObject({ status: 'complete', accepted: { undecided: [known] } })
  })

  const misspelled = {
    acceptUnsearched: ['shop:nope'],
    acceptUndecided: [known, 'shop:shipment.nope', 'shop:customer.email'],
    acceptUnconfirmed: ['emial'],
  }
  const refusal = {
    code: 'invalid_input',
    details: {
      issues: [
        {
          loc: ['acceptUnsearched', 0],
          msg: "'shop:nope' names no described collection: the names that can be accepted there are nothing",
          type: 'not_found',
        },
        {
          loc: ['acceptUndecided', 1],
          msg: `'shop:shipment.nope' names no described field or reference: the names that can be accepted there are '${known}'`,
          type: 'not_found',
        },
        {
          loc: ['acceptUnconfirmed', 0],
          msg: "'emial' names no property of the identities: the names that can be accepted there are nothing",
          type: 'not_found',
        },
      ],
    },
  }

  test('is refused at a pause where nothing has that name', async () => {
    await using world = await opened()
    const { requests } = world.privacy
    const id = await submitted(world)
    await world.paused(id)
    await expect(requests.accept(id, misspelled)).rejects.toMatchObject(refusal)
    expect(await world.paused(id)).toMatchObject({ status: 'paused' })
    expect((await requests.get(id)).accepted).toBeUndefined()
    await requests.accept(id, { acceptUndecided: [known, 'shop:customer.email'], acceptUnconfirmed: ['email'] })
    expect(await rested(world, id)).toMatchObject({ status: 'complete' })
    await expect(requests.accept(id, misspelled)).rejects.toMatchObject({ code: 'invalid_state' })
  })

  test('is refused at an approval and at a retry', async () => {
    await using world = await opened({ execution: { immediate: false, requireManualRequestApproval: true } })
    const { requests } = world.privacy
    const id = await submitted(world)
    await expect(requests.approve(id, misspelled)).rejects.toMatchObject(refusal)
    expect((await requests.get(id)).status).toBe('pending')
    world.connector.failNext({ operation: 'read', collection: 'customer' })
    await requests.approve(id)
    await requests.run(id)
    await expect(requests.retry(id, misspelled)).rejects.toMatchObject(refusal)
    expect((await requests.get(id)).status).toBe('error')
    await requests.retry(id, { acceptUndecided: [known] })
    await expect(requests.retry(id, misspelled)).rejects.toMatchObject({ code: 'invalid_state' })
  })

  test('gives a warning at submission where nothing can have that name, and a log entry once it is planned', async () => {
    await using world = await opened({ execution: { immediate: false } })
    const { requests } = world.privacy
    const acceptUndecided = ['shop:shipment.nope', 'away:far', known]
    const { id, warnings } = await requests.submit({
      policyKey: 'erase',
      identities: [ann],
      acceptUndecided,
      acceptUnsearched: ['nope', 'shop:nope'],
      acceptUnconfirmed: ['emial', 'email'],
    })
    expect(warnings).toEqual([
      { loc: ['acceptUnsearched', 0], msg: "'nope' names no described collection" },
      { loc: ['acceptUnconfirmed', 0], msg: "'emial' names no property of the identities" },
    ])
    await requests.run(id)
    expect((await requests.get(id)).status).toBe('complete')
    const { items } = await requests.log(id)
    expect(items.filter(({ message }) => message.includes('accepted'))).toMatchObject([
      {
        dataset: 'shop',
        collection: 'nope',
        status: 'skipped',
        message: "'shop:nope' was accepted, but it names no described collection",
      },
      { message: "'shop:shipment.nope' was accepted, but it names no described field or reference" },
      { message: "'away:far' was accepted, but it names no described field or reference" },
    ])
  })
})
