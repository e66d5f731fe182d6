import { expect, test } from 'vitest'
import { collection, field, refer } from '../engine/described.js'
import { key, plain, shopWorld, tableWith } from './described-erasure.js'
import { erasedOf } from './erasure-world.js'

const ann = 'ann@example.com'
const email = plain('email', { identity: 'email' })
const from = (name: string, to: string) => refer(name, to, { direction: 'from', meta: {} })

/** Customers and their teams lead to one another; archives and letters stand beside that circle. */
const shop = (after: Readonly<Record<string, readonly string[]>>) => ({
  database: {
    archive: tableWith({ id: 'integer', email: 'string', text: 'string' }, [[1, ann, 'old']]),
    customer: tableWith({ id: 'integer', email: 'string', team_id: 'integer', name: 'string' }, [[0, ann, 5, 'Ann']]),
    letter: tableWith({ id: 'integer', email: 'string', text: 'string' }, [[1, ann, 'Dear']]),
    team: tableWith({ id: 'integer', owner_id: 'integer', title: 'string' }, [[5, 0, "Ann's"]]),
  },
  collections: [
    collection('archive', [key, email, field('text')], { erase_after: after['archive'] ?? [] }),
    collection('customer', [key, email, from('team_id', 'team.id'), field('name')], {
      erase_after: after['customer'] ?? [],
    }),
    collection('letter', [key, email, field('text')], { erase_after: after['letter'] ?? [] }),
    collection('team', [key, from('owner_id', 'customer.id'), field('title')], { erase_after: after['team'] ?? [] }),
  ],
})

async function erase(after: Readonly<Record<string, readonly string[]>>, failing?: string) {
  await using world = await shopWorld(shop(after))
  if (failing) world.connector.failNext({ operation: 'erase', collection: failing, rollBack: false })
  const { id } = await world.privacy.requests.submit({ policyKey: 'erase', identities: [{ email: ann }] })
  const request = await world.privacy.requests.settled(id)
  const order = world.connector.calls.flatMap(({ operation, rollBack, erase }) =>
    operation === 'erase' && !rollBack ? [erase?.collection ?? ''] : [],
  )
  return { request, order, erased: erasedOf(request) }
}

test('a collection that is erased after a member of a circle comes after the whole circle', async () => {
  for (const member of ['customer', 'team']) {
    const { request, order } = await erase({ archive: [`shop.${member}`] })
    expect(request.failure).toBeUndefined()
    expect(order.indexOf('archive')).toBeGreaterThan(Math.max(order.indexOf('customer'), order.indexOf('team')))
    const { erased } = await erase({ archive: [`shop.${member}`] }, member)
    expect(erased['shop:archive']).toMatch(/^failed 1 \(not reached: 'shop:(customer|team)' comes first/)
    expect(erased['shop:letter']).toBe('masked 1')
  }
})

test('a collection that a member of a circle is erased after comes before the whole circle', async () => {
  for (const member of ['customer', 'team']) {
    const { request, order } = await erase({ [member]: ['shop:letter'] })
    expect(request.failure).toBeUndefined()
    expect(order.indexOf('letter')).toBeLessThan(Math.min(order.indexOf('customer'), order.indexOf('team')))
    const { erased } = await erase({ [member]: ['shop:letter'] }, 'letter')
    expect([erased['shop:customer'], erased['shop:team']]).toEqual([
      "failed 1 (not reached: 'shop:letter' comes first and was not erased)",
      "failed 1 (not reached: 'shop:letter' comes first and was not erased)",
    ])
    expect(erased['shop:archive']).toBe('masked 1')
  }
})

test('collections through a circle and beyond it are erased one after the other', async () => {
  const { request, order } = await erase({ archive: ['shop.team'], customer: ['shop.letter'] })
  expect(request.failure).toBeUndefined()
  expect([order[0], order.at(-1)]).toEqual(['letter', 'archive'])
})

test('erase_after decides inside a circle which member comes first', async () => {
  expect(
    (await erase({ customer: ['shop.team'] })).order.filter((name) => name === 'customer' || name === 'team'),
  ).toEqual(['team', 'customer'])
  expect(
    (await erase({ team: ['shop.customer'] })).order.filter((name) => name === 'customer' || name === 'team'),
  ).toEqual(['customer', 'team'])
})
