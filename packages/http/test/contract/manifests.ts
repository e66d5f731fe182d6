import { expect } from 'vitest'
import type { Given } from './given.js'

const path = '/api/v1/manifest'
const yaml = `
dataset:
  - service_key: people
    collections:
      - name: person
        fields: [{ name: id }, { name: email, data_categories: [user.contact.email] }]
system:
  service_key: seller
  system_type: Service
  privacy_declarations:
    - data_use: improve
      dataset_references: [people]
`
const json = {
  system: [{ service_key: 'seller', system_type: 'Service' }, { service_key: 'broken' }],
  data_category: [{ service_key: 'user.own' }],
}
const scopes = ['dataset:create_or_update', 'system:create', 'system:update']

/** Whole files of resources. */
export function manifestCases(given: Given): void {
  for (const type of ['application/yaml', 'text/yaml', 'application/x-yaml; charset=utf-8']) {
    given(`stores a manifest sent as ${type}`, async ({ call }) => {
      const { status, body } = await call('POST', path, { body: yaml, headers: { 'content-type': type } })
      expect({ status, body }).toMatchObject({
        status: 200,
        body: {
          dataset: { succeeded: [{ service_key: 'people', warnings: [] }], failed: [] },
          system: { succeeded: [{ service_key: 'seller', findings: [] }], failed: [] },
        },
      })
      expect((await call('GET', '/api/v1/system/seller')).status).toBe(200)
      expect((await call('GET', '/api/v1/dataset/people')).body).toMatchObject({ collections: [{ name: 'person' }] })
    })
  }

  given('stores a manifest sent as JSON; an item that cannot be stored does not stop the others', async ({ call }) => {
    const { status, body } = await call('POST', path, { body: json })
    const loc = ['system', 1, 'system_type']
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        data_category: { succeeded: [{ service_key: 'user.own', is_default: false }], failed: [] },
        system: {
          succeeded: [{ service_key: 'seller' }],
          failed: [
            { message: expect.any(String), errors: [{ loc: ['body', ...loc] }], data: { service_key: 'broken' } },
          ],
        },
      },
    })
  })

  given('an item that exists is replaced', async ({ call }) => {
    await call('POST', '/api/v1/registry', { body: { service_key: 'r', description: 'D' } })
    await call('POST', path, { body: { registry: { service_key: 'r', name: 'New' } } })
    const { body } = await call('GET', '/api/v1/registry/r')
    expect(body).toMatchObject({ name: 'New' })
    expect(body).not.toHaveProperty('description')
  })

  for (const missing of scopes) {
    given(`needs the scopes of what it holds, such as ${missing}`, async ({ call, tokenWith }) => {
      const token = await tokenWith(...scopes.filter((scope) => scope !== missing))
      const headers = { 'content-type': 'application/yaml' }
      const answer = await call('POST', path, { token, body: yaml, headers })
      expect(answer).toMatchObject({ status: 403, body: { detail: expect.stringContaining(`'${missing}'`) } })
      expect(answer.headers.get('www-authenticate')).toContain(`scope="${missing}"`)
      expect((await call('GET', '/api/v1/dataset/people')).status).toBe(404)
    })
  }

  given('needs no more scopes than those', async ({ call, tokenWith }) => {
    const token = await tokenWith(...scopes)
    expect((await call('POST', path, { token, body: yaml, headers: { 'content-type': 'text/yaml' } })).status).toBe(200)
  })

  const faults: Readonly<Record<string, { readonly body: unknown; readonly type?: string; readonly loc: unknown[] }>> =
    {
      'an unknown name at its top': { body: { datasets: [] }, loc: ['body', 'datasets'] },
      'nothing in it': { body: {}, loc: ['body'] },
      'what is no list of objects': { body: { registry: 'r' }, loc: ['body', 'registry'] },
      'YAML that breaks off': { body: 'dataset: [', type: 'application/yaml', loc: ['body'] },
      'YAML with one name twice': { body: 'registry: []\nregistry: []', type: 'application/yaml', loc: ['body'] },
      'YAML that is text alone': { body: 'hello', type: 'application/yaml', loc: ['body'] },
    }
  for (const [what, { body, type = 'application/json', loc }] of Object.entries(faults)) {
    given(`422 for a manifest with ${what}`, async ({ call }) => {
      const answer = await call('POST', path, { body, headers: { 'content-type': type } })
      expect(answer).toMatchObject({ status: 422, body: { code: 'invalid_input', errors: [{ loc }] } })
    })
  }

  given('names the line and column of what is wrong', async ({ call }) => {
    const headers = { 'content-type': 'application/yaml' }
    const send = (body: string) => call('POST', path, { body, headers })
    const { body } = await send('dataset:\n- service_key: people\n  third_country_transfers: [DEU,\n    XX]\n')
    const loc = ['body', 'dataset', 0, 'third_country_transfers', 1]
    expect(body).toMatchObject({ dataset: { failed: [{ errors: [{ loc, line: 4, column: 5 }] }] } })
    expect(await send('registry: []\ndatasets: []')).toMatchObject({
      status: 422,
      body: {
        detail: expect.stringContaining('not valid: line 2, column 1: datasets is not known here'),
        errors: [{ loc: ['body', 'datasets'], line: 2, column: 1 }],
      },
    })
  })

  given('links a dataset to the connection that it names', async ({ call }) => {
    await call('POST', '/api/v1/connection', { body: { key: 'db', name: 'DB', connection_type: 'manual' } })
    const { body } = await call('POST', path, { body: { dataset: { service_key: 'people', connection_key: 'db' } } })
    expect(body).toMatchObject({ dataset: { succeeded: [{ service_key: 'people', connection_key: 'db' }] } })
    expect((await call('GET', '/api/v1/connection/db/dataset/people')).status).toBe(200)
  })

  given('415 for a manifest that is neither YAML nor JSON', async ({ call }) => {
    const answer = await call('POST', path, { body: yaml, headers: { 'content-type': 'text/plain' } })
    expect(answer).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } })
  })
}
