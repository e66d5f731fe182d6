import type { WebhookSender } from '@habeas/core'
import { expect } from 'vitest'
import type { Given } from './given.js'
import { type PrivacyRequest, submitted } from './privacy-requests.js'
import type { Served } from './served.js'

const hooks = '/api/v1/policy/default_access_policy/webhook'
const secret = 'planted-secret-of-a-webhook'
const first = { key: 'a', direction: 'two_way', url: 'https://hooks.example.com/a', secret }
const second = { name: 'Tell Support', direction: 'one_way', url: 'https://hooks.example.com/b' }

/** A receiver of webhooks that halts every request, and the tokens it was given to reply with. */
function halting() {
  const tokens: string[] = []
  const webhookSender: WebhookSender = {
    refusal: () => undefined,
    async send({ headers }) {
      tokens.push(new Headers(headers).get('reply-to-token') ?? 'none')
      return { status: 200, body: JSON.stringify({ halt: true }) }
    },
  }
  return { options: { webhookSender, shop: true }, tokens }
}

async function halted(served: Served): Promise<string> {
  await served.call('PUT', `${hooks}/pre_execution`, { body: [first] })
  const id = await submitted(served)
  const { body } = await served.call<PrivacyRequest>('POST', `/api/v1/privacy-request/${id}/run`)
  expect(body.status).toBe('paused')
  return id
}

/** What runs under a policy call, and what may come back. */
export function policyWebhookCases(given: Given): void {
  for (const phase of ['pre_execution', 'post_execution']) {
    const path = `${hooks}/${phase}`
    const a = { ...first, secret: undefined, name: 'a', order: 0, signed: true }
    const b = { ...second, key: 'tell_support', order: 1, signed: false }

    given(`${phase}: replaced, listed, read, changed and removed; the secret is in no answer`, async ({ call }) => {
      expect(await call('GET', path)).toMatchObject({ status: 200, body: { items: [], total: 0 } })
      const put = await call('PUT', path, { body: [first, second] })
      expect(put.status).toBe(200)
      expect(put.body).toEqual([a, b])
      expect(await call('PUT', path, { body: put.body })).toMatchObject({ status: 200, body: [{ signed: true }, {}] })
      const page = await call('GET', `${path}?size=1&page=2`)
      expect(page).toMatchObject({ status: 200, body: { items: [b], total: 2, pages: 2 } })
      const one = await call('GET', `${path}/a`)
      expect([one.status, one.body]).toEqual([200, a])
      const moved = await call('PATCH', `${path}/a`, { body: { order: 1, secret: `${secret}-2` } })
      const new_order = [
        { key: 'tell_support', order: 0 },
        { key: 'a', order: 1 },
      ]
      expect(moved).toMatchObject({ status: 200, body: { resource: { key: 'a', order: 1, signed: true }, new_order } })
      const unsigned = await call('PATCH', `${path}/a`, { body: { secret: null } })
      expect(unsigned.body).toMatchObject({ resource: { signed: false } })
      expect((await call('DELETE', `${path}/tell_support`)).status).toBe(204)
      for (const verb of ['GET', 'DELETE']) expect((await call(verb, `${path}/tell_support`)).status).toBe(404)
      const rest = await call('GET', path)
      expect(rest.body).toMatchObject({ items: [{ key: 'a', order: 0 }], total: 1 })
      expect(JSON.stringify([put, page, one, moved, unsigned, rest])).not.toContain(secret)
      expect(await call('PUT', path, { body: [] })).toMatchObject({ status: 200, body: [] })
    })

    given(`${phase}: 422 names every bad place, and no secret`, async ({ call }) => {
      const bad = [{ ...first, direction: 'up', url: 'hooks' }, { url: second.url }]
      const refused = await call<{ errors: { loc: unknown }[] }>('PUT', path, { body: bad })
      expect(refused.status).toBe(422)
      expect(refused.body.errors.map(({ loc }) => loc)).toEqual([
        ['body', 0, 'direction'],
        ['body', 0, 'url'],
        ['body', 1, 'direction'],
        ['body', 1, 'key'],
      ])
      expect(JSON.stringify(refused.body)).not.toContain(secret)
      const inside = await call('PUT', path, { body: [{ ...second, url: 'https://127.0.0.1/b' }] })
      expect(inside).toMatchObject({ status: 422, body: { errors: [{ loc: ['body', 0, 'url'] }] } })
      await call('PUT', path, { body: [first] })
      const unknown = await call('PATCH', `${path}/a`, { body: { dirction: 'one_way' } })
      expect(unknown).toMatchObject({ status: 422, body: { errors: [{ loc: ['body', 'dirction'] }] } })
      expect((await call('PATCH', `${path}/none`, { body: { order: 0 } })).status).toBe(404)
      const nowhere = `/api/v1/policy/none/webhook/${phase}`
      expect((await call('GET', nowhere)).status).toBe(404)
      expect((await call('PUT', nowhere, { body: [first] })).status).toBe(404)
    })
  }

  const resuming = halting()
  given(
    'a halted request goes on with the reply token of the call, once, and with nothing else',
    async (served) => {
      const { call } = served
      const id = await halted(served)
      const resume = `/api/v1/privacy-request/${id}/resume`
      const { body: shown } = await call('GET', `/api/v1/privacy-request/${id}`)
      expect(shown).toMatchObject({ resume_endpoint: `/privacy-request/${id}/resume` })
      for (const token of [null, 'made-up', 'no.such.token'])
        expect((await call('POST', resume, { token })).status).toBe(401)
      // Whoever may review it may not speak for the webhook.
      expect((await call('POST', resume)).status).toBe(409)
      const token = resuming.tokens.at(-1) as string
      expect((await call('POST', '/api/v1/privacy-request/pri_none/resume', { token })).status).toBe(401)
      // Its receiver may not say what is left out.
      const accepting = await call('POST', resume, { token, body: { accept_undecided: true } })
      expect(accepting).toMatchObject({ status: 403, body: { code: 'forbidden' } })
      const bad = await call('POST', resume, { token, body: { derived_identity: { email: ['planted-marker'] } } })
      const errors = [{ loc: ['body', 'derived_identity', 'email'] }]
      expect(bad).toMatchObject({ status: 422, body: { errors } })
      expect(JSON.stringify(bad.body)).not.toContain('planted-marker')
      const resumed = await call('POST', resume, { token, body: { derived_identity: { member: 7 } } })
      expect(resumed).toMatchObject({ status: 200, body: { id, status: 'in_processing', resume_endpoint: null } })
      expect((await call('POST', resume, { token })).status).toBe(409)
      expect((await call('POST', `/api/v1/privacy-request/${id}/run`)).body).toMatchObject({ status: 'complete' })
    },
    resuming.options,
  )
}
