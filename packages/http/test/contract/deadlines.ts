import { expect } from 'vitest'
import type { Given } from './given.js'
import { submitted } from './privacy-requests.js'
import type { Served } from './served.js'
import { root } from './world.js'

const path = '/api/v1/privacy-request'
const day = 86_400_000

/** A request that the GDPR gives a month. */
async function timed(served: Served): Promise<string> {
  const policy = { service_key: 'timed', execution_timeframe: 'gdpr', rules: [] }
  expect((await served.call('POST', '/api/v1/policy', { body: policy })).status).toBe(201)
  return submitted(served, { policy_key: 'timed' })
}

/** When an answer is due. */
export function deadlineCases(given: Given): void {
  given('a deadline is extended once, with a reason, and the audit trail has an entry', async (served) => {
    const { call, runtime, tokenWith } = served
    const id = await timed(served)
    const before = (await call<{ due_date: string; days_left: number }>('GET', `${path}/${id}`)).body
    expect(before.days_left).toBe(Math.floor((Date.parse(before.due_date) - runtime.now().getTime()) / day))
    const token = await tokenWith('privacy-request:review')
    const reason = 'many systems'
    const extended = await call<typeof before>('POST', `${path}/${id}/extend`, { token, body: { reason } })
    expect(extended).toMatchObject({
      status: 200,
      body: { extended_at: runtime.now().toISOString(), extension_reason: reason },
    })
    expect(Date.parse(extended.body.due_date) - Date.parse(before.due_date)).toBeGreaterThan(55 * day)
    expect((await call('POST', `${path}/${id}/extend`, { body: { reason } })).status).toBe(409)
    const { body } = await call('GET', `${path}/${id}/audit`)
    expect(body).toMatchObject({ items: [{ action: 'request_submitted' }, { action: 'deadline_extended' }] })
  })

  given('an extension that comes too late, or that no law knows, is refused', async (served) => {
    const { call, runtime } = served
    const id = await timed(served)
    const body = { reason: 'many systems' }
    const without = await call('POST', `${path}/${await submitted(served)}/extend`, { body })
    expect(without).toMatchObject({ status: 400, body: { code: 'unsupported' } })
    expect((await call('POST', `${path}/pri_none/extend`, { body })).status).toBe(404)
    runtime.advance(40 * day)
    const token = await served.tokenOf(root)
    const late = await call('POST', `${path}/${id}/extend`, { token, body })
    expect(late).toMatchObject({ status: 409, body: { code: 'invalid_state' } })
  })

  given('422 for an extension without a reason', async (served) => {
    const id = await timed(served)
    for (const body of [{}, { reason: '' }, { reason: 7 }, { reason: 'x'.repeat(1_001) }]) {
      const refused = await served.call('POST', `${path}/${id}/extend`, { body })
      expect(refused).toMatchObject({ status: 422, body: { errors: [{ loc: ['body', 'reason'] }] } })
    }
  })
}
