import { expect } from 'vitest'
import type { Given } from './given.js'

const path = '/api/v1/legal-hold'
const identity = { email: 'ann@shop.example', user_id: 5 }
const reason = 'Case 12/2026'

/** What cases look at of the answers. */
interface Told {
  readonly id: string
  readonly items: readonly { readonly id: string }[]
}

/** Data that must not be erased for now. */
export function legalHoldCases(given: Given): void {
  given('a hold is made, read and listed, without its identities', async ({ call, runtime }) => {
    const body = { identities: [identity], reason, reference: 'LEG-7', until: '2999-01-01' }
    const made = await call<Told>('POST', path, { body })
    const hold = {
      id: made.body.id,
      status: 'active',
      reason,
      reference: 'LEG-7',
      properties: ['email', 'user_id'],
      until: '2999-01-01T00:00:00.000Z',
      created_at: runtime.now().toISOString(),
      created_by: 'root',
      ended_at: null,
      released_by: null,
      release_reason: null,
      identities: null,
    }
    expect(made).toMatchObject({ status: 201, body: hold })
    expect(made.body.id).toMatch(/^hold_/)
    expect(await call('GET', `${path}/${made.body.id}`)).toMatchObject({ status: 200, body: hold })
    const other = await call<Told>('POST', path, { body: { identity, reason, reference: null } })
    expect((await call<Told>('GET', path)).body).toMatchObject({ total: 2 })
    await call('POST', `${path}/${other.body.id}/release`)
    expect((await call<Told>('GET', `${path}?status=active`)).body).toMatchObject({ total: 1, items: [hold] })
    expect((await call('GET', `${path}?status=over`)).status).toBe(422)
  })

  given('its identities are shown to those who may see personal data', async ({ call, tokenWith }) => {
    const { id } = (await call<Told>('POST', path, { body: { identity, reason } })).body
    const asked = `${path}/${id}?include_identities=true`
    const reader = await tokenWith('legal-hold:read')
    expect((await call('GET', `${path}/${id}`, { token: reader })).status).toBe(200)
    expect((await call('GET', asked, { token: reader })).status).toBe(403)
    const viewer = await tokenWith('legal-hold:read', 'privacy-request:view_data')
    expect((await call('GET', asked, { token: viewer })).body).toMatchObject({ identities: [identity] })
    await call('POST', `${path}/${id}/release`)
    expect((await call('GET', asked, { token: viewer })).body).toMatchObject({ status: 'released', identities: null })
  })

  given('it is released once, with a reason or without one', async ({ call, tokenWith }) => {
    const { id } = (await call<Told>('POST', path, { body: { identity, reason } })).body
    const reader = await tokenWith('legal-hold:read', 'legal-hold:create')
    expect((await call('POST', `${path}/${id}/release`, { token: reader })).status).toBe(403)
    const token = await tokenWith('legal-hold:release')
    const released = await call('POST', `${path}/${id}/release`, { token, body: { reason: 'settled' } })
    expect(released).toMatchObject({ status: 200, body: { status: 'released', release_reason: 'settled' } })
    expect(await call('POST', `${path}/${id}/release`)).toMatchObject({ status: 409, body: { code: 'invalid_state' } })
    expect((await call('POST', `${path}/hold_none/release`)).status).toBe(404)
    expect((await call('GET', `${path}/hold_none`)).status).toBe(404)
  })

  const faults: Readonly<Record<string, { readonly body: object; readonly loc: readonly (string | number)[] }>> = {
    nobody: { body: { reason }, loc: ['body', 'identities'] },
    'no reason': { body: { identity }, loc: ['body', 'reason'] },
    'a blank identity': { body: { identity: { email: '' }, reason }, loc: ['body', 'identity', 'email'] },
    'a time that is over': { body: { identity, reason, until: '1999-01-01' }, loc: ['body', 'until'] },
    'a typo': { body: { identity, reason, untill: '2999-01-01' }, loc: ['body', 'untill'] },
  }
  for (const [what, { body, loc }] of Object.entries(faults)) {
    given(`422 for a hold with ${what}`, async ({ call }) => {
      expect(await call('POST', path, { body })).toMatchObject({ status: 422, body: { errors: [{ loc }] } })
    })
  }
}
