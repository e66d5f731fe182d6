import { createPrivacyService, memoryMailer, memoryStorage } from '@habeas/core'
import { createHttpHandler } from '@habeas/http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const email = 'planted-marker@example.org'
const submission = { policy_key: 'default_access_policy', identity: { email } }

function open({ openIntake = true, verify = true } = {}) {
  const mailer = memoryMailer()
  const privacy = createPrivacyService({
    encryptionKey: Buffer.alloc(32, 5).toString('base64'),
    ...{ storage: memoryStorage(), mailer },
    execution: { immediate: false, subjectIdentityVerificationRequired: verify },
  })
  return { privacy, mailer, handler: createHttpHandler(privacy, { openIntake }) }
}

let service: ReturnType<typeof open>
beforeEach(() => {
  service = open()
})
afterEach(() => service.privacy.close())

async function call(key: string, body?: unknown, token?: string) {
  const [method = '', path = ''] = key.split(' ')
  const response = await service.handler(
    new Request(`https://example.org/api/v1${path}`, {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
  )
  return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) }
}
const tokenFor = async (...scopes: string[]) => {
  const client = await service.privacy.clients.create({ scopes })
  return (await service.privacy.tokens.issue(client)).accessToken
}
async function codeOf() {
  await expect.poll(() => service.mailer.outbox.length).toBeGreaterThan(0)
  return /^\d{6}$/m.exec(service.mailer.outbox.at(-1)?.text ?? '')?.[0]
}
const shown = ['created_at', 'id', 'privacy_request_id', 'status']

describe('an open intake', () => {
  it('takes a request and its code without a token, and shows id and status only', async () => {
    const submitted = await call('POST /privacy-request', { ...submission, unknown_member: 1 })
    expect(submitted).toMatchObject({ status: 201, body: { status: 'identity_unverified' } })
    expect(Object.keys(submitted.body).sort()).toEqual(shown)
    for (const [name, right] of Object.entries({
      encryptionKey: 'encryption_key',
      residual_serach: 'residual_search',
    })) {
      const near = await call('POST /privacy-request', { ...submission, [name]: 'x' })
      expect([near.status, JSON.stringify(near.body)]).toEqual([422, expect.stringContaining(`'${right}'`)])
    }
    const path = `/privacy-request/${submitted.body.id}`
    const resent = await call(`POST ${path}/resend`)
    expect(resent).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
    expect(resent.headers.get('retry-after')).toBe('60')
    const code = await codeOf()
    const wrong = await call(`POST ${path}/verify`, { code: code === '000000' ? '000001' : 0 })
    expect(wrong).toMatchObject({ status: 400, body: { code: 'verification_failed' } })
    const verified = await call(`POST ${path}/verify`, { code })
    expect(verified).toMatchObject({ status: 200, body: { status: 'pending' } })
    expect(Object.keys(verified.body).sort()).toEqual(shown)
    expect(await call(`POST ${path}/verify`, { code })).toMatchObject({ status: 409, body: { code: 'invalid_state' } })
    const { items } = await service.privacy.requests.auditTrail(submitted.body.id)
    expect(items.slice(0, 1)).toMatchObject([{ actor: 'subject', action: 'request_submitted' }])
  })

  it('shows a client with its token everything', async () => {
    const token = await tokenFor('privacy-request:create')
    const { body } = await call('POST /privacy-request', submission, token)
    expect(body).toMatchObject({ status: 'identity_unverified', policy_key: 'default_access_policy' })
    const verified = await call(`POST /privacy-request/${body.id}/verify`, { code: await codeOf() }, token)
    expect(verified.body).toMatchObject({ status: 'pending', identity_verified_at: expect.any(String) })
  })

  it('opens nothing else, and lets nobody in with an invalid token', async () => {
    const { body } = await call('POST /privacy-request', submission)
    for (const key of [
      'GET /privacy-request',
      `GET /privacy-request/${body.id}`,
      `POST /privacy-request/${body.id}/run`,
    ]) {
      expect((await call(key)).status).toBe(401)
    }
    expect((await call('POST /privacy-request', submission, 'nonsense')).status).toBe(401)
    expect((await call('POST /privacy-request', submission, await tokenFor('policy:read'))).status).toBe(403)
  })

  it('takes acceptances and the time of a request only from callers with a token', async () => {
    for (const member of ['accept_unsearched', 'accept_undecided', 'accept_unconfirmed']) {
      for (const value of [true, ['shop:orders'], 'anything']) {
        const refused = await call('POST /privacy-request', { ...submission, [member]: value })
        expect(refused).toMatchObject({ status: 403, body: { code: 'forbidden' } })
        expect(refused.body.detail).toMatch(/needs an access token with the scope 'privacy-request:review'/)
      }
    }
    const dated = await call('POST /privacy-request', { ...submission, requested_at: '2020-01-01' })
    expect(dated).toMatchObject({ status: 422, body: { errors: [{ loc: ['body', 'requested_at'] }] } })
    const accepted = await call('POST /privacy-request', [{ ...submission, accept_undecided: true }])
    expect(accepted).toMatchObject({ status: 200, body: { succeeded: [], failed: [{}] } })
    const early = await call('POST /privacy-request', [{ ...submission, requested_at: '2020-01-01' }])
    expect(early.body.failed).toMatchObject([{ errors: [{ loc: ['body', 0, 'requested_at'] }] }])
    expect((await service.privacy.requests.list()).total).toBe(0)
    const nothing = { accept_unsearched: null, accept_undecided: false, requested_at: null }
    expect(await call('POST /privacy-request', { ...submission, ...nothing })).toMatchObject({ status: 201 })
    const token = await tokenFor('privacy-request:create')
    const sent = { ...submission, requested_at: '2020-01-01' }
    expect((await call('POST /privacy-request', sent, token)).body).toMatchObject({
      requested_at: '2020-01-01T00:00:00.000Z',
    })
  })

  it('takes one request with each call, so that one call sends one mail', async () => {
    const of = (at: number) => ({ ...submission, identity: { email: `a${at}@example.org` } })
    const fifty = Array.from({ length: 50 }, (_, at) => of(at))
    const refused = await call('POST /privacy-request', fifty)
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ loc: ['body'], type: 'too_big' }] } })
    expect((await service.privacy.requests.list()).total).toBe(0)
    expect((await call('POST /privacy-request', fifty.slice(0, 1))).body.succeeded).toHaveLength(1)
    const token = await tokenFor('privacy-request:create')
    expect((await call('POST /privacy-request', fifty, token)).body.succeeded).toHaveLength(50)
  })

  it('says where the code and the address are wrong', async () => {
    const many = await call('POST /privacy-request', {
      ...submission,
      identity: undefined,
      identities: [{ email }, { a: 1 }],
    })
    expect(many.body.errors).toMatchObject([{ loc: ['body', 'identities', 1, 'email'] }])
    const { body } = await call('POST /privacy-request', submission)
    for (const sent of [{}, { code: 'abc' }, { code: null }, [], 'x']) {
      expect(await call(`POST /privacy-request/${body.id}/verify`, sent)).toMatchObject({ status: 422 })
    }
    const refused = await call(`POST /privacy-request/${body.id}/verify`, { code: 'abc' })
    expect(refused.body.errors).toMatchObject([{ loc: ['body', 'code'] }])
    expect((await call(`POST /privacy-request/pri_none/verify`, { code: '000000' })).status).toBe(404)
  })

  it('is misconfigured where addresses are not verified', async () => {
    expect(() => open({ verify: false })).toThrow(/'openIntake' needs verified addresses/)
  })
})

it('without it, verify and resend need the scope privacy-request:create', async () => {
  await service.privacy.close()
  service = open({ openIntake: false })
  const { id } = await service.privacy.requests.submit({ policyKey: 'default_access_policy', identities: [{ email }] })
  const other = await tokenFor('privacy-request:read')
  for (const verb of ['verify', 'resend']) {
    const body = verb === 'verify' ? { code: '000000' } : undefined
    expect((await call(`POST /privacy-request/${id}/${verb}`, body)).status).toBe(401)
    expect((await call(`POST /privacy-request/${id}/${verb}`, body, other)).status).toBe(403)
  }
  const token = await tokenFor('privacy-request:create')
  const verified = await call(`POST /privacy-request/${id}/verify`, { code: await codeOf() }, token)
  expect(verified).toMatchObject({ status: 200, body: { id, status: 'pending' } })
})
