import { memoryConnector } from '@habeas/testkit'
import { expect, it } from 'vitest'
import { createPrivacyService } from '../../src/index.js'

const email = 'ann@example.com'

/** Orders name customers by a number, and customers have it as text, in a database that enforces no key. */
async function accessed(ids: readonly string[]) {
  const customer = ids.map((id, at) => ({ id, email: at === 0 ? email : 'bob@example.com', name: `Customer ${at}` }))
  const orders = [
    { id: 1, customer_id: 7, note: 'hers' },
    { id: 2, customer_id: 8, note: 'his' },
  ]
  const connector = memoryConnector({
    database: { customer: { primaryKey: ['id'], rows: customer }, orders: { primaryKey: ['id'], rows: orders } },
    capabilities: { enforcedKeys: false },
  })
  const privacy = createPrivacyService({
    encryptionKey: Buffer.alloc(32, 1).toString('base64'),
    connectors: [connector],
  })
  await privacy.connections.put({ key: 'shop', connectionType: 'postgres', access: 'read' })
  await privacy.connections.setSecrets('shop', { host: 'shop' })
  const references = [{ dataset: 'shop', field: 'customer.id', direction: 'from' as const }]
  const note = { name: 'note', data_categories: ['user.content'] }
  const collections = [
    { name: 'customer', fields: [{ name: 'id' }, { name: 'email', service_meta: { identity: 'email' } }] },
    { name: 'orders', fields: [{ name: 'id' }, { name: 'customer_id', service_meta: { references } }, note] },
  ]
  await privacy.connections.attachDataset('shop', { service_key: 'shop', collections })
  const { id } = await privacy.requests.submit({ policyKey: 'default_access_policy', identities: [{ email }] })
  const { status, results } = await privacy.requests.settled(id)
  await privacy.close()
  return { status, orders: results?.find(({ collection }) => collection === 'orders') }
}

it('a key that is text is counted as text, although a number refers to it', async () => {
  expect(await accessed(['7', '8'])).toMatchObject({
    status: 'complete',
    orders: { outcomes: [{ outcome: 'delivered', rowCount: 1 }] },
  })
})

it('a key that two people hold tells nobody’s rows', async () => {
  const { status, orders } = await accessed(['7', '7'])
  expect(status).toBe('complete')
  expect(orders?.outcomes).toMatchObject([{ outcome: 'nothing_found' }, { outcome: 'skipped', rowCount: 1 }])
  expect(orders?.outcomes[1]?.reason).toContain("another row holds the value of 'customer_id' as well")
})
