import { expect, test } from 'vitest'
import { collection, field } from '../engine/described.js'
import { type ErasedShop, from, kept, key, shopWorld, tableWith } from './described-erasure.js'

const dayMs = 24 * 60 * 60 * 1_000
const columns = { id: 'integer', customer_id: 'integer', text: 'string' } as const
const shop = (): ErasedShop => ({
  collections: [
    collection('customer', [key, kept(field('email', { identity: 'email' })), field('name')]),
    collection('note', [key, from('customer_id', 'customer.id'), field('text')], { erase: 'delete' }),
    collection('call', [key, from('customer_id', 'customer.id'), field('text')]),
    collection('visit', [key, from('customer_id', 'customer.id'), field('text')]),
  ],
  database: {
    customer: tableWith({ id: 'integer', email: 'string', name: 'string' }, [[1, 'ann@example.com', 'Ann']], {
      keepsHistoryDays: 14,
    }),
    note: tableWith(columns, [[5, 1, 'of Ann']], { keepsHistoryDays: 1 }),
    call: tableWith(columns, [], { keepsHistoryDays: 14 }),
    visit: tableWith(columns, [[9, 1, 'of Ann']]),
  },
})

test('a receipt names the day until which a database keeps what was erased, for each collection', async () => {
  await using world = await shopWorld(shop())
  const end = await world.erase({ email: 'ann@example.com' })
  expect([end.status, end.failure]).toEqual(['complete', undefined])
  const { collections } = await world.privacy.requests.receipt(end.id)
  const until = Object.fromEntries(collections.map((each) => [each.collection, each.keptUntil]))
  const dayOf = (name: string, days: number) => {
    const { finishedAt = '' } = collections.find((each) => each.collection === name) ?? {}
    return new Date(Date.parse(finishedAt) + days * dayMs).toISOString().slice(0, 10)
  }
  // No row of calls was written, and the database keeps nothing of visits.
  expect(JSON.parse(JSON.stringify(until))).toEqual({ customer: dayOf('customer', 14), note: dayOf('note', 1) })
  expect(Object.keys(until)).toEqual(expect.arrayContaining(['call', 'visit']))
  const result = end.results?.find((each) => each.collection === 'customer')
  expect(result).toMatchObject({ keptUntil: until['customer'] })
})

test('the plan says for how many days, before anything is written', async () => {
  await using world = await shopWorld(shop())
  const { plan } = await world.privacy.requests.preview({
    policyKey: 'erase',
    identities: [{ email: 'ann@example.com' }],
  })
  const days = plan.collections.map(({ collection, erasure }) => [collection, erasure?.keptDays])
  expect(Object.fromEntries(days)).toEqual({ customer: 14, note: 1, call: 14, visit: undefined })
  const found = plan.findings.filter(({ type }) => type === 'history_kept')
  expect(found.map(({ severity, loc }) => [severity, loc.at(-1)]).sort()).toEqual([
    ['info', 'call'],
    ['info', 'customer'],
    ['info', 'note'],
  ])
})
