import { describe, expect, test } from 'vitest'
import { collection, field, undirected } from '../engine/described.js'
import { type ErasedShop, from, kept, key, shopWorld, tableWith, told } from './described-erasure.js'
import { erasedOf } from './erasure-world.js'

const ann = { email: 'ann@example.com' }
const category = { data_categories: { matches: 'ANY', values: ['user'] } }
const both = [
  { service_key: 'copy', action_type: 'access', ...category },
  { service_key: 'all', action_type: 'erasure', ...category },
]
const shop: Omit<ErasedShop, 'database'> = {
  collections: [
    collection('customer', [key, field('email', { identity: 'email' }), field('name')]),
    collection('call', [key, field('phone', { identity: 'phone_number' })]),
    collection('shipment', [key, kept(undirected('order_id', 'customer.id')), field('street')]),
  ],
}
const database = (): ErasedShop['database'] => ({
  customer: tableWith({ id: 'integer', email: 'string', name: 'string', notes: 'string' }, [
    [1, 'Ann@Example.com', 'Ann', "not described: Ann's secret"],
  ]),
  call: tableWith({ id: 'integer', phone: 'string' }, []),
  shipment: tableWith({ id: 'integer', order_id: 'integer', street: 'string' }, [[50, 1, "Ann's, or Bob's"]]),
})

test('package, record and receipt say the same of what was left out', async () => {
  await using world = await shopWorld({ ...shop, database: database(), rules: both })
  const { requests } = world.privacy
  const input = { policyKey: 'erase', identities: [ann], acceptUndecided: true, acceptUnsearched: true }
  const { id } = await requests.submit(input)
  const end = await requests.settled(id)
  expect([end.status, end.failure, end.incomplete]).toEqual(['complete', undefined, true])
  const coverage = { columns: ['shop:customer.notes'] }
  const parts: Uint8Array[] = []
  for await (const part of requests.readPackage(id)) parts.push(part)
  const text = Buffer.concat(parts).toString()
  expect(JSON.parse(text)).toMatchObject({
    'shop:customer': [{ name: 'Ann' }],
    incomplete: expect.stringContaining(
      'some records were left out because nobody has decided yet whether they are yours',
    ),
    coverage,
  })
  expect(text).not.toMatch(/secret|Bob's/)
  const receipt = await requests.receipt(id)
  expect(receipt).toMatchObject({ incomplete: true, coverage })
  // It hands over as well, and its receipt has the undecided rows all the same.
  expect(receipt.collections.find((each) => each.collection === 'shipment')?.undecided).toMatchObject([
    { reference: 'shop:shipment.order_id', rowCount: 1 },
  ])
  const evidence = await requests.exportEvidence(id)
  expect(evidence.receipt).toEqual(receipt)
  expect(evidence.request).toMatchObject({ incomplete: true, coverage })
  expect(JSON.stringify(evidence)).not.toMatch(/secret|Bob's|ann@example/i)
})

test('an erasure that found nothing says by which properties it has searched, and in which spellings', async () => {
  await using world = await shopWorld({ ...shop, database: database() })
  const end = await world.erase({ email: 'Nobody@example.com' }, { phone_number: '+49 30 1' })
  expect([end.status, end.failure, end.found]).toEqual(['complete', undefined, 'nothing'])
  const lookedFor = [
    { property: 'email', spellings: ['as given', 'without regard to case'], fields: ['shop:customer.email'] },
    { property: 'phone_number', spellings: ['as given'], fields: ['shop:call.phone'] },
  ]
  expect(end.lookedFor).toHaveLength(2)
  expect(end.lookedFor).toEqual(expect.arrayContaining(lookedFor))
  const receipt = await world.privacy.requests.receipt(end.id)
  expect(receipt).toMatchObject({ foundNothing: true, lookedFor: end.lookedFor })
  expect(JSON.stringify(receipt)).not.toMatch(/nobody@|\+49/i)
})

describe('an erasure that hands nothing over says of no row that it was delivered', () => {
  const name = () => field('name', {}, ['user.name'])
  const rules = [
    { service_key: 'names', action_type: 'erasure', data_categories: { matches: 'ANY', values: ['user.name'] } },
  ]
  const given = (): ErasedShop => {
    return {
      rules,
      database: {
        customer: tableWith({ id: 'integer', email: 'string', name: 'string' }, [
          [1, ann.email, 'Ann'],
          [2, 'bob@example.com', 'Bob'],
        ]),
        visit: tableWith({ id: 'integer', customer_id: 'integer', email: 'string', page: 'string' }, [
          [10, 1, ann.email, 'hers'],
          [11, 1, 'bob@example.com', 'his'],
          [12, 2, ann.email, 'of both'],
        ]),
        note: tableWith({ id: 'integer', visit_id: 'integer', name: 'string' }, [[20, 10, 'hers']]),
      },
      collections: [
        collection('customer', [key, field('email', { identity: 'email' }, []), name()]),
        collection(
          'visit',
          [key, from('customer_id', 'customer.id'), field('email', { identity: 'email' }, []), field('page', {}, [])],
          { owner: ['email'] },
        ),
        collection('note', [key, from('visit_id', 'visit.id'), name()]),
      ],
    }
  }
  type World = Awaited<ReturnType<typeof shopWorld>>

  /** Outcomes of the record; receipt and evidence of the same request say no more. */
  async function recorded({ privacy }: World, id: string) {
    const { results = [], packages } = await privacy.requests.get(id)
    const evidence = await privacy.requests.exportEvidence(id)
    expect(JSON.stringify([results, evidence]).includes('delivered')).toBe(false)
    expect(evidence.request.results).toEqual(results)
    expect(new Set(results.map(({ actionType }) => actionType))).toEqual(new Set(['erasure']))
    expect(packages ?? []).toEqual([])
    if (evidence.receipt) expect(evidence.receipt).toEqual(await privacy.requests.receipt(id))
    return { results, receipt: evidence.receipt }
  }

  test('where it is complete', async () => {
    await using world = await shopWorld(given())
    const end = await world.erase(ann)
    expect([end.status, end.failure]).toEqual(['complete', undefined])
    const { receipt } = await recorded(world, end.id)
    // What was read on the way to others was found and stays; what is another's is left out.
    expect(erasedOf(end)).toEqual({
      'shop:customer': 'masked 1',
      'shop:note': 'masked 1',
      'shop:visit': "retained 2 (no rule asks for anything of it), skipped 1 (somebody else's)",
    })
    expect(receipt?.totals).toEqual({ masked: 2, retained: 2, skipped: 1 })
    expect(told(world, 'customer', 'name')).toEqual({ 1: null, 2: 'Bob' })
    expect(world.rows()['visit']).toEqual(world.before['visit'])
  })

  test('where a part of it cannot be written', async () => {
    await using world = await shopWorld(given())
    world.connector.failNext({ operation: 'erase', rollBack: false, collection: 'customer' })
    const end = await world.erase(ann)
    expect([end.status, told(world, 'note', 'name'), world.rows()['customer']]).toEqual([
      ...['error', { 20: null }],
      world.before['customer'],
    ])
    const { receipt } = await recorded(world, end.id)
    expect(receipt?.totals).toEqual({ failed: 1, masked: 1, retained: 2, skipped: 1 })
  })

  test('where it fails while it reads', async () => {
    await using world = await shopWorld(given())
    world.connector.failNext({ operation: 'read', collection: 'note' })
    const end = await world.erase(ann)
    expect([end.status, world.rows()]).toEqual(['error', world.before])
    await recorded(world, end.id)
    expect(erasedOf(end)).toMatchObject({ 'shop:customer': 'skipped 1 (nothing was erased)' })
  })

  test('where it waits for people to say whose rows are', async () => {
    const { collections, ...shop } = given()
    const open = kept(undirected('customer_id', 'customer.id'))
    const calls = collection('call', [key, open, name()])
    const call = tableWith({ id: 'integer', customer_id: 'integer', name: 'string' }, [[30, 1, 'whose']])
    await using world = await shopWorld({
      ...shop,
      collections: [...collections, calls],
      database: { ...shop.database, call },
    })
    const { id } = await world.privacy.requests.submit({ policyKey: 'erase', identities: [ann] })
    const paused = await world.paused(id)
    expect([paused.status, world.rows()]).toEqual(['paused', world.before])
    await recorded(world, id)
    expect(erasedOf(paused)).toMatchObject({ 'shop:customer': 'skipped 1 (nothing was erased)' })
  })
})
