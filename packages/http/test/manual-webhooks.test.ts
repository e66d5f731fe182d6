import { endpoints, openApiDocument } from '@habeas/http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { servedService } from './service-calls.js'

let served: Awaited<ReturnType<typeof servedService>>
beforeEach(async () => {
  served = await servedService()
})
afterEach(() => served.privacy.close())

const definition = { fields: [{ pii_field: 'Full name', dsr_package_label: 'name' }, { pii_field: 'Phone Number' }] }
const webhook = '/api/v1/connection/paper_files/access_manual_webhook'

async function define() {
  await served.call('POST /api/v1/connection', {
    name: 'Paper files',
    connection_type: 'manual_webhook',
    access: 'read',
  })
  return served.call<{ fields: unknown }>(`PATCH ${webhook}`, definition)
}

async function waiting(): Promise<string> {
  const { body } = await served.call<{ id: string }>('POST /api/v1/privacy-request', {
    policy_key: 'default_access_policy',
    identities: [{ email: 'planted-marker@example.org' }],
  })
  await served.privacy.requests.run()
  return body.id
}

describe('the definition', () => {
  it('PATCH is an upsert, POST creates, GET shows, DELETE removes', async () => {
    const patched = await define()
    expect(patched).toMatchObject({
      status: 200,
      body: {
        id: 'paper_files',
        connection_config: { key: 'paper_files', connection_type: 'manual_webhook' },
        fields: [
          { pii_field: 'Full name', dsr_package_label: 'name' },
          { pii_field: 'Phone Number', dsr_package_label: 'phone_number' },
        ],
        warnings: [],
      },
    })
    expect(await served.call(`POST ${webhook}`, definition)).toMatchObject({ status: 409 })
    const shown = await served.call<object>(`GET ${webhook}`)
    expect(shown).toMatchObject({ status: 200, body: { fields: patched.body.fields } })
    expect((await served.call('GET /api/v1/access_manual_webhook')).body).toEqual([shown.body])
    expect(await served.call(`PATCH ${webhook}`, shown.body)).toMatchObject({ status: 200, body: { warnings: [] } })
    expect(await served.call(`DELETE ${webhook}`)).toMatchObject({ status: 204 })
    expect(await served.call(`GET ${webhook}`)).toMatchObject({ status: 404 })
    expect(await served.call(`POST ${webhook}`, definition)).toMatchObject({ status: 201 })
  })

  it('names what is wrong under the names of the wire, and warns of what it ignores', async () => {
    await define()
    const bad = {
      fields: [
        { pii_field: 'a', dsr_package_label: 'x' },
        { pii_field: 'b', dsr_package_label: 'x' },
        { piiField: 'c' },
      ],
    }
    const refused = await served.call<{ errors: { loc: unknown }[] }>(`PATCH ${webhook}`, bad)
    expect(refused.status).toBe(422)
    expect(refused.body.errors.map(({ loc }) => loc)).toEqual([
      ['body', 'fields', 2, 'pii_field'],
      ['body', 'fields', 1, 'dsr_package_label'],
    ])
    const warned = await served.call(`PATCH ${webhook}`, { fields: [{ pii_field: 'a', hint: 'b' }] })
    expect(warned).toMatchObject({ status: 200, body: { warnings: [{ loc: ['fields', 0, 'hint'] }] } })
    for (const body of [{}, { fields: [] }, { fields: 'name' }, []]) {
      expect(await served.call(`PATCH ${webhook}`, body)).toMatchObject({ status: 422 })
    }
    expect(await served.call('PATCH /api/v1/connection/none/access_manual_webhook', definition)).toMatchObject({
      status: 404,
    })
    await served.call('POST /api/v1/connection', { key: 'shop', connection_type: 'postgres' })
    expect(await served.call('PATCH /api/v1/connection/shop/access_manual_webhook', definition)).toMatchObject({
      status: 400,
    })
  })
})

describe.each([['/api/v1'], ['']])('uploads below %j', (prefix) => {
  it('are taken, shown and waited for', async () => {
    await define()
    const id = await waiting()
    const shown = await served.call(`GET /api/v1/privacy-request/${id}`)
    expect(shown.body).toMatchObject({
      status: 'requires_input',
      missing_manual_webhooks: ['paper_files'],
      resume_endpoint: `/privacy-request/${id}/resume_from_requires_input`,
    })
    const resume = `POST ${prefix}/privacy-request/${id}/resume_from_requires_input`
    expect(await served.call(resume)).toMatchObject({
      status: 409,
      body: { code: 'invalid_state', detail: expect.stringContaining("'paper_files'") },
    })
    const data = `${prefix}/privacy-request/${id}/access_manual_webhook/paper_files`
    expect(await served.call(`GET ${data}`)).toMatchObject({
      status: 200,
      body: { checked: false, fields: { name: null } },
    })
    const refused = await served.call(`PATCH ${data}`, { nam: 'planted-marker' })
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ loc: ['body', 'nam'] }] } })
    expect(JSON.stringify(refused.body)).not.toContain('planted-marker')
    expect(await served.call(`PATCH ${data}`)).toMatchObject({ status: 422 })
    expect(await served.call(`PATCH ${data}`, { 'Full name': 'Ann' })).toMatchObject({ status: 200, body: null })
    expect((await served.call(`GET ${data}`)).body).toEqual({
      checked: true,
      fields: { name: 'Ann', phone_number: null },
    })
    expect(await served.call(`PATCH ${data}/`, {})).toMatchObject({ status: 200 })
    expect(await served.call(resume, {})).toMatchObject({ status: 200, body: { status: 'in_processing', id } })
    expect(await served.call(resume)).toMatchObject({ status: 409 })
    expect(
      await served.call(`PATCH ${prefix}/privacy-request/pri_none/access_manual_webhook/paper_files`, {}),
    ).toMatchObject({ status: 404 })
    expect(await served.call(`PATCH ${prefix}/privacy-request/${id}/access_manual_webhook/none`, {})).toMatchObject({
      status: 404,
    })
  })

  it('need their scopes', async () => {
    await define()
    const id = await waiting()
    const data = `${prefix}/privacy-request/${id}/access_manual_webhook/paper_files`
    const bearer = async (...scopes: string[]) => `Bearer ${await served.tokenFor(...scopes)}`
    const others = await bearer('privacy-request:read', 'webhook:read')
    for (const key of [
      `PATCH ${data}`,
      `GET ${data}`,
      `POST ${prefix}/privacy-request/${id}/resume_from_requires_input`,
    ]) {
      expect(await served.call(key, undefined, others)).toMatchObject({ status: 403 })
      expect(await served.call(key, undefined, null)).toMatchObject({ status: 401 })
    }
    const uploader = await bearer('privacy-request:upload_data')
    expect(await served.call(`PATCH ${data}`, {}, uploader)).toMatchObject({ status: 200 })
    expect(await served.call(`GET ${data}`, undefined, uploader)).toMatchObject({ status: 403 })
    expect(await served.call(`GET ${data}`, undefined, await bearer('privacy-request:view_data'))).toMatchObject({
      status: 200,
    })
  })
})

it('every operation has an id of its own', () => {
  const { paths } = openApiDocument(endpoints, { baseUrl: 'https://example.org' }) as {
    paths: Record<string, Record<string, { operationId: string }>>
  }
  const ids = Object.values(paths).flatMap((verbs) => Object.values(verbs).map(({ operationId }) => operationId))
  expect(new Set(ids).size).toBe(ids.length)
})
