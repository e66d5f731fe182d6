import { expect, test } from 'vitest'
import { collection, field, undirected } from '../engine/described.js'
import { type ErasedShop, kept, key, shopWorld, tableWith } from './described-erasure.js'

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
    incomplete: expect.stringContaining('records were left out of which nobody has said yet whether they are yours'),
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

test('an erasure that found nothing says by what it has looked, and in which spellings', async () => {
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
