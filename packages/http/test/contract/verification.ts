import { memoryMailer } from '@habeas/core'
import { expect } from 'vitest'
import type { Given } from './given.js'
import type { PrivacyRequest } from './privacy-requests.js'
import type { Served, ServeOptions } from './served.js'

const path = '/api/v1/privacy-request'
const submission = { policy_key: 'default_access_policy', identities: [{ email: 'ann@example.com' }] }

/** A service that mails codes, and those codes. */
function verifying() {
  const mailer = memoryMailer()
  const options: ServeOptions = {
    mailer,
    execution: { immediate: false, subjectIdentityVerificationRequired: true },
    shop: true,
  }
  const codes = () => mailer.outbox.flatMap(({ text }) => /^\d{6}$/m.exec(text)?.[0] ?? [])
  return {
    options,
    /** The code of the mail that was sent as this one, counted from 1. */
    async code(count: number): Promise<string> {
      await expect.poll(() => codes().length).toBe(count)
      return codes()[count - 1] as string
    },
  }
}

const other = (code: string) => (code === '000000' ? '000001' : '000000')

async function unverified({ call }: Pick<Served, 'call'>, options: { readonly token?: null } = {}): Promise<string> {
  const { status, body } = await call<PrivacyRequest>('POST', path, { body: submission, ...options })
  expect([status, body.status]).toEqual([201, 'identity_unverified'])
  return body.id
}

/** Who asks proves to read the mails to the address. */
export function verificationCases(given: Given): void {
  const right = verifying()
  given(
    'the code from the mail verifies, once, and the request goes on',
    async (served) => {
      const { call, runtime } = served
      const id = await unverified(served)
      expect((await call('POST', `${path}/${id}/run`)).status).toBe(409)
      const code = await right.code(1)
      const verified = await call('POST', `${path}/${id}/verify`, { body: { code } })
      expect(verified).toMatchObject({
        status: 200,
        body: { id, status: 'pending', identity_verified_at: runtime.now().toISOString() },
      })
      const again = await call('POST', `${path}/${id}/verify`, { body: { code } })
      expect(again).toMatchObject({ status: 409, body: { code: 'invalid_state' } })
      expect(await call('POST', `${path}/${id}/run`)).toMatchObject({ status: 200, body: { status: 'complete' } })
    },
    right.options,
  )

  const wrong = verifying()
  given(
    'a wrong code is 400, and after three even the right one',
    async (served) => {
      const { call } = served
      const id = await unverified(served)
      const code = await wrong.code(1)
      for (let attempt = 1; attempt <= 3; attempt += 1) {
        const refused = await call('POST', `${path}/${id}/verify`, { body: { code: other(code) } })
        expect(refused).toMatchObject({ status: 400, body: { code: 'verification_failed' } })
      }
      const late = await call('POST', `${path}/${id}/verify`, { body: { code } })
      expect(late).toMatchObject({ status: 400, body: { detail: expect.stringContaining('ask for a new one') } })
      expect((await call('GET', `${path}/${id}`)).body).toMatchObject({ status: 'identity_unverified' })
    },
    wrong.options,
  )

  const resent = verifying()
  given(
    'another code is mailed after a minute, and the one before no longer counts',
    async (served) => {
      const { call, runtime } = served
      const id = await unverified(served)
      const first = await resent.code(1)
      const soon = await call('POST', `${path}/${id}/resend`)
      expect(soon).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
      expect(soon.headers.get('retry-after')).toBe('60')
      runtime.advance(60_000)
      const answer = await call('POST', `${path}/${id}/resend`, { body: {} })
      expect(answer).toMatchObject({ status: 200, body: { id, status: 'identity_unverified' } })
      const second = await resent.code(2)
      if (first !== second)
        expect((await call('POST', `${path}/${id}/verify`, { body: { code: first } })).status).toBe(400)
      // A number stands for its text with the zeros in front.
      expect((await call('POST', `${path}/${id}/verify`, { body: { code: Number(second) } })).status).toBe(200)
      expect((await call('POST', `${path}/${id}/resend`)).status).toBe(409)
      expect((await call('POST', `${path}/pri_none/resend`)).status).toBe(404)
    },
    resent.options,
  )

  const faulty = verifying()
  given(
    '422 for an impossible code, or for several addresses, naming the place',
    async (served) => {
      const { call } = served
      const id = await unverified(served)
      for (const body of [{}, { code: null }, { code: 'abcdef' }, { code: '12345' }, { code: 1_000_000 }]) {
        const refused = await call('POST', `${path}/${id}/verify`, { body })
        expect(refused).toMatchObject({ status: 422, body: { errors: [{ loc: ['body', 'code'] }] } })
      }
      const identities = [{ email: 'ann@example.com' }, { email: 'ben@example.com' }]
      const { status, body } = await call('POST', path, { body: { ...submission, identities } })
      expect({ status, body }).toMatchObject({
        status: 422,
        body: { errors: [{ loc: ['body', 'identities', 1, 'email'] }] },
      })
      expect(JSON.stringify(body)).not.toContain('ben@')
    },
    faulty.options,
  )

  const open = verifying()
  const shown = ['created_at', 'id', 'privacy_request_id', 'status']
  given(
    'an open intake takes request and code without a token, and shows id and status only',
    async (served) => {
      const { call, runtime } = served
      const token = null
      const submitted = await call<PrivacyRequest>('POST', path, { token, body: { ...submission, unknown: 1 } })
      expect(submitted).toMatchObject({ status: 201, body: { status: 'identity_unverified' } })
      expect(Object.keys(submitted.body).sort()).toEqual(shown)
      const several = await call<{ succeeded: object[] }>('POST', path, { token, body: [submission] })
      expect(several.status).toBe(200)
      expect(several.body.succeeded.map((each) => Object.keys(each).sort())).toEqual([shown])
      await open.code(2)
      const { id } = submitted.body
      runtime.advance(60_000)
      const resend = await call<object>('POST', `${path}/${id}/resend`, { token })
      expect([resend.status, Object.keys(resend.body).sort()]).toEqual([200, shown])
      const body = { code: await open.code(3) }
      const verified = await call<object>('POST', `${path}/${id}/verify`, { token, body })
      expect(verified).toMatchObject({ status: 200, body: { id, status: 'pending' } })
      expect(Object.keys(verified.body).sort()).toEqual(shown)
      for (const at of [path, `${path}/${id}`, `${path}/${id}/audit`])
        expect((await call('GET', at, { token })).status).toBe(401)
      expect((await call('GET', `${path}/${id}`)).body).toMatchObject({ policy_key: 'default_access_policy' })
    },
    { ...open.options, openIntake: true },
  )
}
