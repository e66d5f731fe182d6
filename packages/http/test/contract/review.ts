import { expect } from 'vitest'
import type { Given } from './given.js'
import { submitted } from './privacy-requests.js'
import type { Served } from './served.js'

const path = '/api/v1/privacy-request'
const approving = { shop: true, execution: { immediate: false, requireManualRequestApproval: true } }

/** What cases look at of the answers. */
interface Told {
  readonly status: string
  readonly plan_hash: string
  readonly succeeded: readonly object[]
  readonly failed: readonly { readonly message: string; readonly data: unknown }[]
  readonly items: readonly { readonly actor: string; readonly action: string; readonly detail: object }[]
}

const administrate = ({ call }: Pick<Served, 'call'>, verb: string, body: unknown) =>
  call<Told>('PATCH', `${path}/administrate/${verb}`, { body })

/** What people decide about requests before they run. */
export function reviewCases(given: Given): void {
  given(
    'approve takes a bare list or request_ids, and the request then runs',
    async (served) => {
      const { call, runtime } = served
      const [first, second] = [await submitted(served), await submitted(served)]
      const early = await call('POST', `${path}/${first}/run`)
      expect(early).toMatchObject({ status: 409, body: { code: 'invalid_state' } })
      const one = await administrate(served, 'approve', [first])
      const approved = { status: 'approved', reviewed_at: runtime.now().toISOString(), denial_reason: null }
      expect(one).toMatchObject({ status: 200, body: { succeeded: [{ id: first, ...approved }], failed: [] } })
      const several = await administrate(served, 'approve', { request_ids: [second, first, 'pri_none'] })
      expect(several).toMatchObject({ status: 200, body: { succeeded: [{ id: second, ...approved }] } })
      const failed = [first, 'pri_none'].map((privacy_request_id) => ({ data: { privacy_request_id } }))
      expect(several.body.failed).toMatchObject(failed)
      expect(several.body.failed[0]?.message).toContain("'approved'")
      expect(await call('POST', `${path}/${first}/run`)).toMatchObject({ status: 200, body: { status: 'complete' } })
    },
    approving,
  )

  given(
    'deny ends a request, with a reason or without one',
    async (served) => {
      const { call } = served
      const [first, second] = [await submitted(served), await submitted(served)]
      const one = await administrate(served, 'deny', { request_ids: [first], reason: 'not you' })
      const denied = { id: first, status: 'denied', denial_reason: 'not you', reviewed_at: expect.any(String) }
      expect(one).toMatchObject({ status: 200, body: { succeeded: [denied], failed: [] } })
      const again = await administrate(served, 'deny', [first, second])
      expect(again.body).toMatchObject({
        succeeded: [{ id: second, status: 'denied', denial_reason: null }],
        failed: [{ data: { privacy_request_id: first } }],
      })
      expect((await administrate(served, 'approve', [first])).body).toMatchObject({ succeeded: [], failed: [{}] })
      for (const verb of ['run', 'retry']) expect((await call('POST', `${path}/${first}/${verb}`)).status).toBe(409)
    },
    approving,
  )

  given(
    'exactly one of many approvals at a time succeeds',
    async (served) => {
      const id = await submitted(served)
      const answers = await Promise.all(Array.from({ length: 10 }, () => administrate(served, 'approve', [id])))
      expect(answers.filter(({ body }) => body.succeeded.length === 1)).toHaveLength(1)
      const { body } = await served.call<Told>('GET', `${path}/${id}/audit`)
      expect(body.items.filter(({ action }) => action === 'request_approved')).toHaveLength(1)
    },
    approving,
  )

  given(
    'a review shows the plan, and the approval may be bound to it',
    async (served) => {
      const { call, tokenWith } = served
      const id = await submitted(served)
      const token = await tokenWith('privacy-request:review')
      const review = await call<Told>('GET', `${path}/${id}/review`, { token })
      expect(review).toMatchObject({
        status: 200,
        body: {
          plan_hash: expect.any(String),
          unproven_identities: [],
          plan: { collections: [{ address: 'shop:customer' }, { address: 'shop:orders' }] },
        },
      })
      expect(JSON.stringify(review.body)).not.toContain('ann@')
      const { plan_hash } = review.body
      const { body } = await administrate(served, 'approve', { request_ids: [id], plan_hash })
      expect(body).toMatchObject({ succeeded: [{ id, status: 'approved', approved_plan_hash: plan_hash }] })
      const other = await submitted(served)
      await administrate(served, 'approve', { request_ids: [other], plan_hash: 'of another plan' })
      await call('POST', `${path}/${other}/run`)
      expect((await call('GET', `${path}/${other}`)).body).toMatchObject({
        status: 'pending',
        started_processing_at: null,
      })
      expect((await call('GET', `${path}/pri_none/review`)).status).toBe(404)
    },
    approving,
  )

  given(
    'the audit trail says who did what, oldest entry first, a page at a time',
    async (served) => {
      const { call } = served
      const id = await submitted(served)
      await administrate(served, 'deny', { request_ids: [id], reason: 'a reason of some words' })
      const { status, body } = await call<Told>('GET', `${path}/${id}/audit`)
      expect(status).toBe(200)
      expect(body).toMatchObject({
        total: 2,
        items: [
          { actor: 'root', action: 'request_submitted' },
          { actor: 'root', action: 'request_denied', detail: { from: 'pending', to: 'denied' } },
        ],
      })
      expect(JSON.stringify(body)).not.toMatch(/ann@|of some words/)
      const second = await call<Told>('GET', `${path}/${id}/audit?size=1&page=2`)
      expect(second.body).toMatchObject({ total: 2, pages: 2, items: [body.items[1]] })
      expect((await call('GET', `${path}/${id}/audit?size=0`)).status).toBe(422)
      expect((await call('GET', `${path}/pri_none/audit`)).status).toBe(404)
    },
    approving,
  )

  const faults: Readonly<Record<string, { readonly verb: string; readonly body: unknown; readonly loc: unknown }>> = {
    'no ids': { verb: 'approve', body: {}, loc: ['body', 'request_ids'] },
    'an id that is a number': { verb: 'deny', body: { request_ids: [7] }, loc: ['body', 'request_ids', 0] },
    'a reason where none is told': {
      verb: 'approve',
      body: { request_ids: [], reason: 'x' },
      loc: ['body', 'reason'],
    },
    'a reason that is too long': {
      verb: 'deny',
      body: { request_ids: [], reason: 'x'.repeat(1_001) },
      loc: ['body', 'reason'],
    },
    'one plan for two': {
      verb: 'approve',
      body: { request_ids: ['a', 'b'], plan_hash: 'x' },
      loc: ['body', 'plan_hash'],
    },
    'more than 50 ids': { verb: 'deny', body: Array.from({ length: 51 }, () => 'a'), loc: ['body'] },
  }
  for (const [what, { verb, body, loc }] of Object.entries(faults)) {
    given(`422 for ${verb} with ${what}`, async (served) => {
      expect(await administrate(served, verb, body)).toMatchObject({ status: 422, body: { errors: [{ loc }] } })
    })
  }
}
