import { memoryConnector } from '@habeas/testkit'
import { expect, it } from 'vitest'
import { servedService } from './service-calls.js'

const database = () => ({
  person: {
    primaryKey: ['id'],
    columns: [
      { name: 'id', kind: 'integer' as const },
      { name: 'email', kind: 'string' as const },
      { name: 'note', kind: 'string' as const },
    ],
    rows: [
      { id: 1, email: 'ann@example.org', note: null },
      { id: 2, email: 'ben@example.org', note: 'ann@example.org' },
    ],
  },
})

it('residual_search: hits are shown on the request and its receipt', async () => {
  const served = await servedService({ connectors: [memoryConnector({ database: database() })] })
  try {
    const { call, privacy } = served
    await call('PATCH /api/v1/connection', { key: 'crm', connection_type: 'postgres', access: 'write' })
    await call('PUT /api/v1/connection/crm/secret?verify=false', { host: 'h' })
    const fields = [
      { name: 'id', service_meta: { primary_key: true } },
      { name: 'email', data_categories: ['user.contact.email'], service_meta: { identity: 'email' } },
    ]
    await call('PATCH /api/v1/connection/crm/dataset', {
      service_key: 'crm',
      collections: [{ name: 'person', fields }],
    })
    const identities = [{ email: 'ann@example.org' }]
    const asked = { policy_key: 'default_erasure_policy', identities, residual_search: true }
    const submitted = await call<{ id: string }>('POST /api/v1/privacy-request', asked)
    expect(submitted).toMatchObject({ status: 201, body: { residual_hits: null } })
    await privacy.requests.run()
    const request = `GET /api/v1/privacy-request/${submitted.body.id}`
    const hits = [{ collection: 'crm:person', column: 'note', row_count: 1, retained: 0 }]
    expect(await call(request)).toMatchObject({ body: { status: 'error', residual_hits: hits } })
    expect(await call(`${request}/receipt`)).toMatchObject({ body: { status: 'error', residual_hits: hits } })
    expect(await call('POST /api/v1/privacy-request', { ...asked, policy_key: 'default_access_policy' })).toMatchObject(
      { status: 422, body: { errors: [{ loc: ['body', 'residual_search'] }] } },
    )
  } finally {
    await served.privacy.close()
  }
})
