import { afterEach, beforeEach, expect, it } from 'vitest'
import { servedService } from './service-calls.js'

let served: Awaited<ReturnType<typeof servedService>>

beforeEach(async () => {
  served = await servedService()
  await served.call('POST /api/v1/connection', { key: 'archive', connection_type: 'manual' })
  await served.call('PATCH /api/v1/connection/archive/dataset', {
    service_key: 'paper',
    collections: [
      {
        name: 'letters',
        fields: [
          { name: 'email', data_categories: ['user'], service_meta: { identity: 'email' } },
          { name: 'subject', data_categories: ['user'] },
        ],
      },
    ],
  })
})
afterEach(() => served.privacy.close())

async function pausedRequest(): Promise<string> {
  const { body } = await served.call<{ id: string }>('POST /api/v1/privacy-request', {
    policy_key: 'default_access_policy',
    identities: [{ email: 'ann@example.org' }],
  })
  await served.privacy.requests.run()
  return body.id
}

it('a request waits at a manual collection, says what for, and goes on with the rows', async () => {
  const id = await pausedRequest()
  const request = `/api/v1/privacy-request/${id}`
  const details = { step: 'access', collection: 'paper:letters' }
  const needed = { get: ['email', 'subject'], update: null }
  const shown = await served.call(`GET ${request}`)
  expect(shown.body).toMatchObject({
    status: 'paused',
    resume_endpoint: `/privacy-request/${id}/manual_input`,
    action_required_details: { ...details, action_needed: [{ ...needed, locators: null }] },
  })
  expect(JSON.stringify(shown.body)).not.toContain('ann@')
  const whole = await served.call(`GET ${request}?include_identities=true`)
  expect(whole.body).toMatchObject({
    action_required_details: { ...details, action_needed: [{ ...needed, locators: { email: ['ann@example.org'] } }] },
  })
  const refused = await served.call(`POST ${request}/manual_input`, [{ email: 'ann@example.org', subjct: 'planted' }])
  expect(refused).toMatchObject({ status: 422, body: { errors: [{ loc: ['body', 0, 'subjct'] }] } })
  expect(JSON.stringify(refused.body)).not.toContain('planted')
  const rows = [{ email: 'ann@example.org', subject: 'hello' }]
  const reader = `Bearer ${await served.tokenFor('privacy-request:read')}`
  expect(await served.call(`POST ${request}/manual_input`, rows, reader)).toMatchObject({ status: 403 })
  expect(await served.call(`POST ${request}/manual_input`, rows)).toMatchObject({
    status: 200,
    body: { status: 'in_processing', action_required_details: null },
  })
  expect(await served.call(`POST ${request}/manual_input`, rows)).toMatchObject({ status: 409 })
  await served.privacy.requests.run()
  expect(await served.call(`GET ${request}`)).toMatchObject({ body: { status: 'complete' } })
})

it('erasure_confirm: an erasure waits at a manual collection, and goes on with what was confirmed', async () => {
  await served.call('PATCH /api/v1/connection', { key: 'archive', connection_type: 'manual', access: 'write' })
  const { body } = await served.call<{ id: string }>('POST /api/v1/privacy-request', {
    policy_key: 'default_erasure_policy',
    identities: [{ email: 'ann@example.org' }],
  })
  await served.privacy.requests.run()
  const request = `/api/v1/privacy-request/${body.id}`
  const confirm = `POST ${request}/erasure_confirm`
  expect(await served.call(confirm, { row_count: 1 })).toMatchObject({ status: 409, body: { code: 'invalid_state' } })
  await served.call(`POST ${request}/manual_input`, [{ email: 'ann@example.org', subject: 'hello' }])
  await served.privacy.requests.run()
  const details = { step: 'erasure', collection: 'paper:letters' }
  const needed = { get: null, update: { email: null, subject: null } }
  const shown = await served.call(`GET ${request}`)
  expect(shown.body).toMatchObject({
    status: 'paused',
    resume_endpoint: `/privacy-request/${body.id}/erasure_confirm`,
    action_required_details: { ...details, action_needed: [{ ...needed, locators: null }] },
  })
  expect(JSON.stringify(shown.body)).not.toContain('ann@')
  const whole = await served.call(`GET ${request}?include_identities=true`)
  expect(whole.body).toMatchObject({
    action_required_details: { ...details, action_needed: [{ ...needed, locators: { email: ['ann@example.org'] } }] },
  })
  expect(await served.call(`POST ${request}/manual_input`, [])).toMatchObject({ status: 409 })
  expect(await served.call(confirm, {})).toMatchObject({
    status: 422,
    body: { errors: [{ loc: ['body', 'row_count'] }] },
  })
  expect(await served.call(confirm, { row_count: 2 })).toMatchObject({
    status: 422,
    body: { errors: [{ loc: ['body', 'row_count'] }] },
  })
  const reader = `Bearer ${await served.tokenFor('privacy-request:read')}`
  expect(await served.call(confirm, { row_count: 1 }, reader)).toMatchObject({ status: 403 })
  expect(await served.call(confirm, { row_count: 1 })).toMatchObject({
    status: 200,
    body: { status: 'in_processing', action_required_details: null },
  })
  expect(await served.call(confirm, { row_count: 1 })).toMatchObject({ status: 409 })
  await served.privacy.requests.run()
  const ended = await served.call<{ results: { action_type: string }[] }>(`GET ${request}`)
  expect(ended.body).toMatchObject({ status: 'complete' })
  const erased = { outcome: 'masked', row_count: 1, reason: 'confirmed by hand' }
  expect(ended.body.results).toEqual(
    expect.arrayContaining([expect.objectContaining({ action_type: 'erasure', outcomes: [erased] })]),
  )
})
