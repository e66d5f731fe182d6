import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { servedService } from './service-calls.js'

let service: Awaited<ReturnType<typeof servedService>>
beforeEach(async () => {
  service = await servedService({ execution: { requireManualRequestApproval: true } })
})
afterEach(() => service.privacy.close())

const identities = [{ email: 'planted-marker@example.org' }]

/** The members of an answer that tests look at. */
interface Told {
  readonly id: string
  readonly status: string
  readonly plan_hash: string
  readonly errors: readonly { readonly loc: readonly unknown[] }[]
  readonly succeeded: readonly object[]
  readonly failed: readonly { readonly message: string }[]
  readonly items: readonly { readonly actor: string; readonly action: string }[]
}
const submit = async () => {
  const { body } = await service.call<Told>('POST /api/v1/privacy-request', {
    policy_key: 'default_access_policy',
    identities,
  })
  return body.id
}
const administrate = (verb: string, body: unknown, authorization?: string) =>
  service.call<Told>(`PATCH /api/v1/privacy-request/administrate/${verb}`, body, authorization)

describe('approve and deny', () => {
  it('take a bare list or request_ids, and answer for each', async () => {
    const [first, second] = [await submit(), await submit()]
    const { status, body } = await administrate('approve', [first, 'pri_none'])
    expect(status).toBe(200)
    expect(body.succeeded).toMatchObject([{ id: first, status: 'approved', reviewed_by: 'root' }])
    expect(body.failed).toMatchObject([{ data: { privacy_request_id: 'pri_none' } }])
    const denied = await administrate('deny', { request_ids: [second], reason: 'Not you.' })
    expect(denied.body.succeeded).toMatchObject([{ id: second, status: 'denied', denial_reason: 'Not you.' }])
    const again = await administrate('deny', { request_ids: [second, first], reason: null })
    expect(again.body.succeeded).toEqual([])
    expect(again.body.failed.map(({ message }) => message)).toEqual([
      expect.stringContaining("is in status 'denied', so 'deny' does not apply"),
      expect.stringContaining("is in status 'approved', so 'deny' does not apply"),
    ])
  })

  it.each<[string, string, unknown, unknown[]]>([
    ['more than 50', 'approve', Array.from({ length: 51 }, () => 'pri_x'), ['body']],
    ['no list', 'approve', {}, ['body', 'request_ids']],
    ['ids that are none', 'approve', [5], ['body', 0]],
    ['a reason where none is told', 'approve', { request_ids: ['x'], reason: 'x' }, ['body', 'reason']],
    ['a reason that is too long', 'deny', { request_ids: ['x'], reason: 'x'.repeat(1_001) }, ['body', 'reason']],
    ['a reason that is no text', 'deny', { request_ids: ['x'], reason: 5 }, ['body', 'reason']],
    ['an unknown member', 'deny', { request_ids: ['x'], why: 'x' }, ['body', 'why']],
    ['one plan for two', 'approve', { request_ids: ['x', 'y'], plan_hash: 'x' }, ['body', 'plan_hash']],
  ])('refuse %s', async (_, verb, sent, loc) => {
    const { status, body } = await administrate(verb, sent)
    expect(status).toBe(422)
    expect(body.errors[0]?.loc).toEqual(loc)
  })

  it('need the scope privacy-request:review', async () => {
    const authorization = `Bearer ${await service.tokenFor('privacy-request:read')}`
    for (const verb of ['approve', 'deny', 'cancel']) {
      expect((await administrate(verb, [], authorization)).status).toBe(403)
    }
    expect((await service.call(`GET /api/v1/privacy-request/x/review`, undefined, authorization)).status).toBe(403)
  })

  it('are bound to the plan that was reviewed', async () => {
    const id = await submit()
    const review = await service.call<Told>(`GET /api/v1/privacy-request/${id}/review`)
    expect(review).toMatchObject({ status: 200, body: { unproven_identities: [], plan: { collections: [] } } })
    const { plan_hash } = review.body
    const { body } = await administrate('approve', { request_ids: [id], plan_hash })
    expect(body.succeeded).toMatchObject([{ id, approved_plan_hash: plan_hash }])
    const run = await service.call<Told>(`POST /api/v1/privacy-request/${id}/run`)
    expect(run.body.status).toBe('complete')
  })
})

it('the audit trail says who did what, a page at a time', async () => {
  const id = await submit()
  const client = await service.privacy.clients.create({ scopes: ['privacy-request:review', 'privacy-request:read'] })
  const { accessToken } = await service.privacy.tokens.issue(client)
  await administrate('deny', { request_ids: [id], reason: 'planted-marker' }, `Bearer ${accessToken}`)
  const { status, body } = await service.call(`GET /api/v1/privacy-request/${id}/audit?size=1&page=2`)
  expect(status).toBe(200)
  expect(body).toMatchObject({
    items: [{ actor: client.clientId, action: 'request_denied', detail: { from: 'pending', to: 'denied' } }],
    ...{ total: 2, page: 2, size: 1, pages: 2 },
  })
  const whole = await service.call<Told>(`GET /api/v1/privacy-request/${id}/audit/`, undefined, `Bearer ${accessToken}`)
  expect(whole.body.items.map(({ actor, action }) => `${actor} ${action}`)).toEqual([
    'root request_submitted',
    `${client.clientId} request_denied`,
  ])
  expect(JSON.stringify(whole.body)).not.toContain('planted-marker')
  expect((await service.call('GET /api/v1/privacy-request/pri_none/audit')).status).toBe(404)
  const other = `Bearer ${await service.tokenFor('privacy-request:create')}`
  expect((await service.call(`GET /api/v1/privacy-request/${id}/audit`, undefined, other)).status).toBe(403)
})
