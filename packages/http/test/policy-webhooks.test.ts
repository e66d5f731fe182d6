import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { servedService } from './service-calls.js'

const hooks = '/api/v1/policy/default_access_policy/webhook'
let served: Awaited<ReturnType<typeof servedService>>
let receiver: Server
let tokens: string[]
let answer: object

beforeEach(async () => {
  tokens = []
  answer = { halt: true }
  receiver = createServer((request, response) => {
    tokens.push(String(request.headers['reply-to-token']))
    request.resume().on('end', () => response.end(JSON.stringify(answer)))
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  served = await servedService({ webhooks: { allowPrivateAddresses: true, retries: 0 } })
})
afterEach(async () => {
  await served.privacy.close()
  await new Promise((resolve) => receiver.close(resolve))
})

const url = () => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`

async function haltedRequest(): Promise<string> {
  await served.call(`PUT ${hooks}/pre_execution`, [{ key: 'halting', direction: 'two_way', url: url() }])
  const { body } = await served.call<{ id: string }>('POST /api/v1/privacy-request', {
    policy_key: 'default_access_policy',
    identities: [{ email: 'ann@example.org' }],
  })
  await served.privacy.requests.run()
  return body.id
}

describe.each([['pre_execution'], ['post_execution']])('%s webhooks', (phase) => {
  it('are replaced, listed, changed and removed; the secret is in no answer', async () => {
    const items = [
      { key: 'a', direction: 'two_way', url: 'https://hooks.example.com/a', secret: 'planted-secret' },
      { name: 'Tell Support', direction: 'one_way', url: 'https://hooks.example.com/b' },
    ]
    const a = { key: 'a', name: 'a', direction: 'two_way', url: 'https://hooks.example.com/a', order: 0, signed: true }
    const put = await served.call(`PUT ${hooks}/${phase}`, items)
    expect(put).toMatchObject({ status: 200, body: [a, { key: 'tell_support', order: 1, signed: false }] })
    expect(await served.call(`PUT ${hooks}/${phase}`, put.body)).toMatchObject({ status: 200, body: put.body })
    const listed = await served.call(`GET ${hooks}/${phase}?size=1&page=2`)
    expect(listed).toMatchObject({ status: 200, body: { items: [{ key: 'tell_support' }], total: 2, pages: 2 } })
    expect(await served.call(`GET ${hooks}/${phase}/a`)).toMatchObject({ status: 200, body: a })
    const patched = await served.call(`PATCH ${hooks}/${phase}/a`, { order: 1 })
    expect(patched).toMatchObject({
      status: 200,
      body: {
        resource: { ...a, order: 1 },
        new_order: [
          { key: 'tell_support', order: 0 },
          { key: 'a', order: 1 },
        ],
      },
    })
    expect(await served.call(`DELETE ${hooks}/${phase}/tell_support`)).toMatchObject({ status: 204 })
    expect(await served.call(`GET ${hooks}/${phase}/tell_support`)).toMatchObject({ status: 404 })
    const all = [put, listed, patched, await served.call(`GET ${hooks}/${phase}`)]
    expect(JSON.stringify(all)).not.toContain('planted-secret')
  })

  it('name what is wrong, and need their scopes', async () => {
    const refused = await served.call(`PUT ${hooks}/${phase}`, [{ key: 'a', direction: 'up', url: 'hooks' }])
    expect(refused).toMatchObject({
      status: 422,
      body: { errors: [{ loc: ['body', 0, 'direction'] }, { loc: ['body', 0, 'url'] }] },
    })
    expect(await served.call(`GET /api/v1/policy/none/webhook/${phase}`)).toMatchObject({ status: 404 })
    const reader = `Bearer ${await served.tokenFor('webhook:read', 'policy:create_or_update')}`
    expect(await served.call(`GET ${hooks}/${phase}`, undefined, reader)).toMatchObject({ status: 200 })
    for (const key of [`PUT ${hooks}/${phase}`, `PATCH ${hooks}/${phase}/a`, `DELETE ${hooks}/${phase}/a`]) {
      expect(await served.call(key, undefined, reader)).toMatchObject({ status: 403 })
    }
  })
})

describe('resume', () => {
  it('takes the reply token, once, and no access token in its place', async () => {
    const id = await haltedRequest()
    const resume = `POST /api/v1/privacy-request/${id}/resume`
    expect(await served.call(`GET /api/v1/privacy-request/${id}`)).toMatchObject({
      body: { status: 'paused', resume_endpoint: `/privacy-request/${id}/resume`, action_required_details: null },
    })
    const none = await served.call(resume, {}, null)
    expect(none).toMatchObject({ status: 401 })
    expect(none.headers.get('www-authenticate')).toBe('Bearer realm="habeas"')
    expect(await served.call(resume)).toMatchObject({ status: 409, body: { code: 'invalid_state' } })
    expect(await served.call(resume, {}, 'Bearer made-up')).toMatchObject({ status: 401 })
    expect(await served.call('POST /api/v1/privacy-request/pri_none/resume', {}, `Bearer ${tokens[0]}`)).toMatchObject({
      status: 401,
    })
    const bearer = `Bearer ${tokens[0]}`
    const bad = await served.call(resume, { derived_identity: { email: ['planted'] } }, bearer)
    expect(bad).toMatchObject({ status: 422, body: { errors: [{ loc: ['body', 'derived_identity', 'email'] }] } })
    expect(JSON.stringify(bad.body)).not.toContain('planted')
    const resumed = await served.call(resume, { derived_identity: { member: 7 } }, bearer)
    expect(resumed).toMatchObject({ status: 200, body: { id, status: 'in_processing', resume_endpoint: null } })
    expect(await served.call(resume, undefined, bearer)).toMatchObject({ status: 409, body: { code: 'invalid_state' } })
    await served.privacy.requests.run()
    expect(await served.call(`GET /api/v1/privacy-request/${id}`)).toMatchObject({ body: { status: 'complete' } })
  })

  it('goes without a body', async () => {
    const id = await haltedRequest()
    const resumed = await served.call(`POST /api/v1/privacy-request/${id}/resume`, undefined, `Bearer ${tokens[0]}`)
    expect(resumed).toMatchObject({ status: 200 })
  })
})
