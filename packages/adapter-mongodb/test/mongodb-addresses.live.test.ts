import { expect, it } from 'vitest'
import { key, ownDatabase } from './own-database.js'

const world = ownDatabase()
const email = 'ann@example.org'

it('addresses that nothing reaches are named by a plan and by a draft, and be it in a key', async () => {
  await world.connected({
    users: [{ _id: 1, email, name: 'Ann' }],
    newsletter: [{ _id: email, since: 2024 }, { _id: 'bob@example.org' }],
    invited: [{ _id: 1, who: email }],
  })
  const { connections, requests } = world.of.privacy
  const { proposals } = await connections.draftDataset('m')
  expect(proposals.map(({ id }) => id)).toEqual(
    expect.arrayContaining(['newsletter._id:identity', 'newsletter._id:category', 'invited.who:category']),
  )
  const plain = (name: string) => ({ name, data_categories: ['user'] })
  const dataset = {
    service_key: 'm',
    collections: [
      { name: 'users', fields: [key, { name: 'email', service_meta: { identity: 'email' } }, plain('name')] },
      { name: 'newsletter', fields: [key, { name: 'since' }] },
    ],
  }
  const { findings } = await connections.attachDataset('m', dataset as never)
  const isNamed = { type: 'undescribed_reference', loc: ['m', 'newsletter', '_id'] }
  expect(findings).toContainEqual(expect.objectContaining(isNamed))
  const { plan } = await requests.preview({ policyKey: 'default_erasure_policy', identities: [{ email }] })
  expect(plan.coverage).toMatchObject({ tables: ['m:invited'], references: ['m:newsletter._id'] })
  expect(plan.findings).toContainEqual(expect.objectContaining(isNamed))
})
