import { expect } from 'vitest'
import type { Given } from './given.js'
import type { Served } from './served.js'

const path = '/api/v1/privacy-request'
const ann = { email: 'ann@example.com' }
const submission = { policy_key: 'default_access_policy', identities: [ann] }

export interface PrivacyRequest {
  readonly id: string
  readonly status: string
}

interface Bulk {
  readonly succeeded: readonly PrivacyRequest[]
  readonly failed: readonly { readonly message: string; readonly errors?: readonly object[]; readonly data: unknown }[]
}

/** What a request shows of the mail that nobody could send. */
const unsentReceipt = (at: Date) => ({
  kind: 'request_receipt',
  status: 'not_sent',
  attempts: 0,
  last_error: 'The service has no mailer.',
  created_at: at.toISOString(),
})

export async function submitted({ call }: Pick<Served, 'call'>, more: object = {}): Promise<string> {
  const { status, body } = await call<PrivacyRequest>('POST', path, { body: { ...submission, ...more } })
  expect(status).toBe(201)
  return body.id
}

/** Submitting and reading. */
export function privacyRequestCases(given: Given): void {
  given(
    'POST of one answers 201 with the whole record, and no identity',
    async ({ call, runtime }) => {
      const requested_at = '2024-12-24'
      const body = { ...submission, external_id: 'ours-1', requested_at }
      const answer = await call<PrivacyRequest>('POST', path, { body })
      expect(answer.status).toBe(201)
      const { id } = answer.body
      expect(id).toMatch(/^pri_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      const record = {
        id,
        privacy_request_id: id,
        status: 'pending',
        policy_key: 'default_access_policy',
        external_id: 'ours-1',
        created_at: runtime.now().toISOString(),
        requested_at: '2024-12-24T00:00:00.000Z',
        identities: null,
        started_processing_at: null,
        finished_processing_at: null,
        identity_verified_at: null,
        canceled_at: null,
        reviewed_at: null,
        reviewed_by: null,
        due_date: null,
        days_left: null,
        failure: null,
        results: null,
        denial_reason: null,
        unproven_identities: [],
        approved_plan_hash: null,
        destroyed_at: null,
        retry: null,
        missing_manual_webhooks: [],
        legal_holds: [],
        paused_at: null,
        resume_by: null,
        extended_at: null,
        extension_reason: null,
        mails: [unsentReceipt(runtime.now())],
        erasing_since: null,
        residual_hits: null,
        incomplete: false,
        unconfirmed: [],
        accepted: null,
        found: null,
        looked_for: [],
        identity_remains: [],
        coverage: null,
        action_required_details: null,
        resume_endpoint: null,
        download_url: null,
        packages: [],
      }
      expect(answer.body).toStrictEqual({ ...record, warnings: [] })
      expect((await call('GET', `${path}/${id}`)).body).toStrictEqual(record)
      expect(JSON.stringify(answer.body)).not.toContain('ann@')
    },
    { shop: true },
  )

  given('what is left out has a default, and null counts as left out', async ({ call, runtime }) => {
    const body = { ...submission, external_id: null, requested_at: null, encryption_key: null, accept_unsearched: null }
    const answer = await call('POST', path, { body })
    expect(answer).toMatchObject({
      status: 201,
      body: { external_id: null, requested_at: runtime.now().toISOString() },
    })
  })

  given('one `identity` is taken as well', async (served) => {
    const { identities: _, ...rest } = submission
    const { status, body } = await served.call<PrivacyRequest>('POST', path, { body: { ...rest, identity: ann } })
    expect(status).toBe(201)
    const read = await served.call('GET', `${path}/${body.id}?include_identities=true`)
    expect(read.body).toMatchObject({ identities: [ann] })
  })

  given('unknown members are ignored and named', async ({ call }) => {
    const { status, body } = await call('POST', path, { body: { ...submission, externalId: 'x', extrenal_id: 'x' } })
    const warnings = [{ loc: ['externalId'] }, { loc: ['extrenal_id'] }]
    expect({ status, body }).toMatchObject({ status: 201, body: { external_id: null, warnings } })
  })

  const faults: Readonly<Record<string, { readonly body: unknown; readonly errors: readonly object[] }>> = {
    'no policy and no identity': {
      body: {},
      errors: [
        { loc: ['body', 'policy_key'], type: 'missing' },
        { loc: ['body', 'identities'], type: 'missing' },
      ],
    },
    'a policy that does not exist': {
      body: { ...submission, policy_key: 'none' },
      errors: [{ loc: ['body', 'policy_key'], type: 'not_found' }],
    },
    'an empty list of identities': {
      body: { ...submission, identities: [] },
      errors: [{ loc: ['body', 'identities'] }],
    },
    'an empty identity': {
      body: { ...submission, identities: [ann, {}] },
      errors: [{ loc: ['body', 'identities', 1] }],
    },
    'an identity that is an object': {
      body: { ...submission, identities: [{ email: {} }] },
      errors: [{ loc: ['body', 'identities', 0, 'email'] }],
    },
    'both identity and identities': { body: { ...submission, identity: ann }, errors: [{ loc: ['body', 'identity'] }] },
    'a key that has not 16 bytes': {
      body: { ...submission, encryption_key: 'x'.repeat(17) },
      errors: [{ loc: ['body', 'encryption_key'] }],
    },
    'a time that is none': {
      body: { ...submission, requested_at: '24.12.' },
      errors: [{ loc: ['body', 'requested_at'] }],
    },
    'an empty external id': { body: { ...submission, external_id: '' }, errors: [{ loc: ['body', 'external_id'] }] },
  }
  for (const [what, { body, errors }] of Object.entries(faults)) {
    given(`422 for ${what}, naming the place and no value`, async ({ call }) => {
      const answer = await call('POST', path, { body })
      expect(answer).toMatchObject({ status: 422, body: { code: 'invalid_input', errors } })
      expect(JSON.stringify(answer.body)).not.toContain('ann@')
      expect((await call('GET', path)).body).toMatchObject({ total: 0 })
    })
  }

  given('a key is refused for a policy that asks for HTML, and is in no answer', async ({ call }) => {
    const encryption_key = 'sixteen bytes ok'
    const taken = await call('POST', path, { body: { ...submission, encryption_key } })
    expect(taken).toMatchObject({ status: 201, body: { warnings: [] } })
    const rules = [
      { service_key: 'page', action_type: 'access', format: 'html', data_categories: { values: ['user'] } },
    ]
    await call('POST', '/api/v1/policy', { body: { service_key: 'pages', rules } })
    const refused = await call('POST', path, { body: { ...submission, policy_key: 'pages', encryption_key } })
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ loc: ['body', 'encryption_key'] }] } })
    expect(JSON.stringify([taken.body, refused.body])).not.toContain(encryption_key)
    expect((await call('GET', path)).body).toMatchObject({ total: 1 })
  })

  given('a list answers each item for itself, and repeats nothing personal', async ({ call }) => {
    const secret = { encryption_key: 'too short', external_id: 'ours-2' }
    const items = [submission, { ...submission, ...secret }, 7, { ...submission, policy_key: 'none' }]
    const { status, body } = await call<Bulk>('POST', path, { body: items, undescribed: true })
    expect(status).toBe(200)
    expect(body.succeeded).toMatchObject([{ status: 'pending', warnings: [] }])
    expect(body.failed.map(({ data }) => data)).toEqual([
      { policy_key: 'default_access_policy', external_id: 'ours-2' },
      null,
      { policy_key: 'none' },
    ])
    expect(body.failed[0]?.errors).toMatchObject([{ loc: ['body', 1, 'encryption_key'] }])
    expect(body.failed[2]?.errors).toMatchObject([{ loc: ['body', 3, 'policy_key'] }])
    const many = Array.from({ length: 51 }, () => submission)
    expect((await call('POST', path, { body: many })).status).toBe(422)
    expect((await call('GET', path)).body).toMatchObject({ total: 1 })
  })

  given('identities are shown to those who may view data, when they ask', async (served) => {
    const { call, tokenWith } = served
    const id = await submitted(served)
    const reader = await tokenWith('privacy-request:read')
    const viewer = await tokenWith('privacy-request:read', 'privacy-request:view_data')
    for (const at of [`${path}/${id}`, path]) {
      const refused = await call('GET', `${at}?include_identities=true`, { token: reader })
      expect(refused).toMatchObject({
        status: 403,
        body: { detail: expect.stringContaining('privacy-request:view_data') },
      })
      const asked = [
        await call('GET', `${at}?include_identities=false`, { token: reader }),
        await call('GET', at, { token: viewer }),
      ]
      for (const { status, body } of asked) {
        expect(status).toBe(200)
        expect(JSON.stringify(body)).not.toContain('ann@')
      }
      const { body } = await call('GET', `${at}?include_identities=true`, { token: viewer })
      expect(JSON.stringify(body)).toContain('"identities":[{"email":"ann@example.com"}]')
    }
  })

  given('an unknown request is not found by any call', async ({ call }) => {
    const asked = [
      ...(await Promise.all(['', '/log', '/download'].map((end) => call('GET', `${path}/pri_none${end}`)))),
      ...(await Promise.all(['/retry', '/run'].map((end) => call('POST', `${path}/pri_none${end}`)))),
    ]
    expect(asked.map(({ status }) => status)).toEqual(asked.map(() => 404))
  })

  given(
    'preview plans and stores nothing',
    async ({ call, tokenWith }) => {
      const token = await tokenWith('privacy-request:read')
      const { status, body } = await call('PUT', `${path}/preview`, { token, body: submission })
      expect({ status, body }).toMatchObject({
        status: 200,
        body: {
          plan: { collections: [{ address: 'shop:customer', entered_by: [['email']] }, { address: 'shop:orders' }] },
          text: expect.stringContaining('shop:customer'),
          mermaid: expect.stringContaining('flowchart'),
        },
      })
      expect(JSON.stringify(body)).not.toContain('ann@')
      expect((await call('GET', path)).body).toMatchObject({ total: 0 })
      const bad = await call('PUT', `${path}/preview`, { body: { ...submission, policy_key: 'none' } })
      expect(bad).toMatchObject({ status: 422, body: { errors: [{ loc: ['body', 'policy_key'] }] } })
    },
    { shop: true },
  )
}
