import { memoryConnector } from '@habeas/testkit'
import { expect, it } from 'vitest'
import { servedService } from './service-calls.js'

it('a preview shows the filters of a plan, and what its statements are billed', async () => {
  const partition = { column: 'on', kind: 'date' as const, required: true }
  const rows = [{ id: 1, email: 'ann@example.org', page: 'home', on: '2024-01-01' }]
  const connector = memoryConnector({
    capabilities: { billedReads: true },
    database: { visit: { primaryKey: ['id'], partition, rows } },
    estimate: ({ columns, writes }) => ({ bytes: columns.length * 100 + (writes ? 1_000 : 0), most: 1_200 }),
  })
  const { privacy, call } = await servedService({ connectors: [connector] })
  try {
    await privacy.connections.put({ key: 'web', connectionType: 'postgres', access: 'write' })
    await privacy.connections.setSecrets('web', { host: 'web' }, { verify: false })
    const collection = {
      name: 'visit',
      service_meta: {
        partition_filter: [
          { field: 'on', start: '2024-01-01' },
          { field: 'on', empty: true as const },
        ],
      },
      fields: [
        { name: 'id' },
        { name: 'email', service_meta: { identity: 'email' } },
        { name: 'page', data_categories: ['user.content'] },
        { name: 'on' },
      ],
    }
    await privacy.connections.attachDataset('web', { service_key: 'web', collections: [collection] })
    const asked = { policy_key: 'default_erasure_policy', identities: [{ email: 'ann@example.org' }] }
    const { status, body } = await call('PUT /api/v1/privacy-request/preview', asked)
    expect([status, body]).toMatchObject([
      200,
      {
        plan: {
          coverage: { filtered: ['web:visit'] },
          filters: [
            {
              address: 'web:visit',
              ranges: [
                { field: 'on', start: '2024-01-01', end: null, empty: false },
                { field: 'on', start: null, end: null, empty: true },
              ],
            },
          ],
        },
        text: expect.stringContaining('refused, since more than 1.2 KiB may not be billed: writing a batch'),
        costs: [{ address: 'web:visit', find: 300, count: null, write: 1_300, read_again: 300, most: 1_200 }],
      },
    ])
    expect(connector.calls.filter(({ operation }) => operation === 'estimate')[0]?.estimated).toEqual({
      collection: 'visit',
      columns: ['id', 'email', 'page'],
      filter: [
        { column: 'on', from: '2024-01-01' },
        { column: 'on', empty: true },
      ],
    })
    expect(connector.calls.some(({ operation }) => operation === 'read')).toBe(false)
  } finally {
    await privacy.close()
  }
})
