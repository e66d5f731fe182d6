import { memoryMailer, type PrivacyServiceOptions, type WebhookSender } from '@habeas/core'
import { afterEach, describe, expect, it } from 'vitest'
import { type Answer, servedService } from './service-calls.js'

const requests = '/api/v1/privacy-request'
let served: Awaited<ReturnType<typeof servedService>>
afterEach(() => served.privacy.close())

interface Told {
  readonly id: string
  readonly code?: string
  readonly status: string
  readonly succeeded: readonly object[]
  readonly failed: readonly { readonly message: string }[]
}

const open = async (options: PrivacyServiceOptions = {}) => {
  served = await servedService(options)
}
const submit = async (policy_key = 'default_access_policy') => {
  const submission = { policy_key, identities: [{ email: 'ann@example.org' }] }
  const { status, body } = await served.call<Told>(`POST ${requests}`, submission)
  expect(status).toBe(201)
  return body.id
}
const fiftyCalls = (key: string, body?: unknown, authorization?: string) =>
  Promise.all(Array.from({ length: 50 }, () => served.call<Told>(key, body, authorization)))
const entries = async (id: string, action: string) =>
  (await served.privacy.requests.auditTrail(id, { size: 100 })).items.filter((entry) => entry.action === action).length

/** One is served, and all others are told that the request has moved on. */
function expectOneWinner(answers: readonly Answer<Told>[]): void {
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  const others = answers.filter(({ status }) => status !== 200)
  for (const { status, body } of others) expect([status, body.code]).toEqual([409, 'invalid_state'])
}

describe('of fifty calls at once', () => {
  it.each([
    ['approve', 'request_approved', 'approved'],
    ['deny', 'request_denied', 'denied'],
    ['cancel', 'request_canceled', 'canceled'],
  ])('one can %s', async (verb, action, status) => {
    await open({ execution: { requireManualRequestApproval: true } })
    const id = await submit()
    const answers = await fiftyCalls(`PATCH ${requests}/administrate/${verb}`, { request_ids: [id] })
    expect(answers.flatMap(({ body }) => body.succeeded)).toMatchObject([{ id, status }])
    const refusals = answers.flatMap(({ body }) => body.failed)
    expect(refusals).toHaveLength(49)
    for (const { message } of refusals) expect(message).toContain(`is in status '${status}', so '${verb}' does not`)
    expect(await entries(id, action)).toBe(1)
  })

  it('one verifies with the right code', async () => {
    const mailer = memoryMailer()
    await open({ mailer, execution: { subjectIdentityVerificationRequired: true } })
    const id = await submit()
    await expect.poll(() => mailer.outbox.length).toBe(1)
    const code = /^\d{6}$/m.exec(mailer.outbox[0]?.text ?? '')?.[0]
    const answers = await fiftyCalls(`POST ${requests}/${id}/verify`, { code })
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    // Whoever comes while the code is being taken finds none; whoever comes later finds the request verified.
    for (const { status, body } of answers) {
      if (status !== 200) expect(['400 verification_failed', '409 invalid_state']).toContain(`${status} ${body.code}`)
    }
    expect(await entries(id, 'identity_verified')).toBe(1)
  })

  it('one resumes a request that waited for uploads', async () => {
    await open()
    const connection = { name: 'Paper files', connection_type: 'manual_webhook', access: 'read' }
    await served.call('POST /api/v1/connection', connection)
    const webhook = 'access_manual_webhook'
    await served.call(`PATCH /api/v1/connection/paper_files/${webhook}`, { fields: [{ pii_field: 'Name' }] })
    const id = await submit()
    await served.call(`PATCH /privacy-request/${id}/${webhook}/paper_files`, { name: 'Ann' })
    expectOneWinner(await fiftyCalls(`POST /privacy-request/${id}/resume_from_requires_input`))
    expect(await entries(id, 'request_resumed')).toBe(1)
  })

  it('one resumes a request that a webhook halted', async () => {
    const tokens: string[] = []
    const webhookSender: WebhookSender = {
      refusal: () => undefined,
      async send({ headers }) {
        tokens.push(headers['reply-to-token'] ?? '')
        return { status: 200, body: '{"halt": true}' }
      },
    }
    await open({ webhookSender })
    const hook = { key: 'halting', direction: 'two_way', url: 'https://hooks.example.org' }
    await served.call('PUT /api/v1/policy/default_access_policy/webhook/pre_execution', [hook])
    const id = await submit()
    await served.privacy.requests.run()
    expectOneWinner(await fiftyCalls(`POST ${requests}/${id}/resume`, {}, `Bearer ${tokens[0]}`))
    expect(await entries(id, 'request_resumed')).toBe(1)
  })

  it('one retries, and one extends the deadline', async () => {
    await open()
    await served.call('POST /api/v1/policy', { service_key: 'timed', execution_timeframe: 'gdpr', rules: [] })
    const id = await submit('timed')
    await served.storage.table('policy').take('timed')
    await served.privacy.requests.run()
    expectOneWinner(await fiftyCalls(`POST ${requests}/${id}/extend`, { reason: 'many systems' }))
    expect(await entries(id, 'deadline_extended')).toBe(1)
    expectOneWinner(await fiftyCalls(`POST ${requests}/${id}/retry`))
    expect(await entries(id, 'request_retried')).toBe(1)
  })
})
