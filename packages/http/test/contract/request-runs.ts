import { expect } from 'vitest'
import type { Given } from './given.js'
import { type PrivacyRequest, submitted } from './privacy-requests.js'

const path = '/api/v1/privacy-request'
const everything = {
  'shop:customer': [{ email: 'ann@example.com', full_name: 'Ann Archer' }],
  'shop:orders': [{ note: 'leave at the door' }, { note: 'ring twice' }],
}

interface Bulk {
  readonly succeeded: readonly PrivacyRequest[]
  readonly failed: readonly { readonly message: string; readonly data: unknown }[]
}

interface Log {
  readonly items: readonly { readonly collection_name: string; readonly status: string }[]
  readonly total: number
}

/** From the run to the package. */
export function requestRunCases(given: Given): void {
  given(
    'a request is run, and what was found is downloaded',
    async (served) => {
      const { call } = served
      const id = await submitted(served)
      const early = await call('GET', `${path}/${id}/download`)
      expect(early).toMatchObject({ status: 404, body: { detail: expect.stringContaining('pending') } })
      const run = await call('POST', `${path}/${id}/run`)
      const download_url = `/api/v1/privacy-request/${id}/download`
      const packages = [{ rule: 'default_access_policy_rule', format: 'json', name: `${id}.json` }]
      const counts = [2, 2].map((_, at) => ({ outcomes: [{ outcome: 'delivered', row_count: at + 1, reason: null }] }))
      expect(run).toMatchObject({
        status: 200,
        body: { status: 'complete', download_url, packages, results: counts, resume_endpoint: null },
      })
      const { status, headers, body } = await call('GET', download_url)
      expect({ status, body }).toEqual({ status: 200, body: everything })
      expect(headers.get('content-type')).toBe('application/json')
      expect(headers.get('content-disposition')).toBe(`attachment; filename="${id}.json"`)
      const length = headers.get('content-length')
      expect((await call('HEAD', download_url)).headers.get('content-length')).toBe(length)
      const again = await served.fetch(download_url, {
        headers: { authorization: `Bearer ${await served.tokenWith('privacy-request:download')}` },
      })
      expect((await again.arrayBuffer()).byteLength).toBe(Number(length))
    },
    { shop: true },
  )

  given(
    'by default a request runs by itself',
    async (served) => {
      const id = await submitted(served)
      const status = async () => (await served.call<PrivacyRequest>('GET', `${path}/${id}`)).body.status
      await expect.poll(status).toBe('complete')
      expect((await served.call('GET', `${path}/${id}/download`)).body).toEqual(everything)
    },
    { shop: true, execution: {} },
  )

  given(
    'a request that has ended cannot be run',
    async (served) => {
      const id = await submitted(served)
      await served.call('POST', `${path}/${id}/run`)
      const again = await served.call('POST', `${path}/${id}/run`)
      expect(again).toMatchObject({
        status: 409,
        body: { code: 'invalid_state', detail: expect.stringContaining('complete') },
      })
      expect((await served.call('POST', `${path}/${id}/retry`)).status).toBe(409)
    },
    { shop: true },
  )

  given(
    'there is a package for each access rule, and one is asked for by its rule',
    async (served) => {
      const { call } = served
      const rule = (service_key: string, value: string) => ({
        service_key,
        action_type: 'access',
        data_categories: { matches: 'ANY', values: [value] },
      })
      const rules = [rule('names', 'user.name'), rule('mails', 'user.contact.email')]
      await call('POST', '/api/v1/policy', { body: { service_key: 'two', rules } })
      const id = await submitted(served, { policy_key: 'two' })
      await call('POST', `${path}/${id}/run`)
      const which = await call('GET', `${path}/${id}/download`)
      expect(which).toMatchObject({
        status: 422,
        body: { code: 'invalid_input', detail: expect.stringMatching(/names as json, mails as json/) },
      })
      const { headers, body } = await call('GET', `${path}/${id}/download?rule=names`)
      expect(body).toEqual({ 'shop:customer': [{ full_name: 'Ann Archer' }] })
      expect(headers.get('content-disposition')).toContain(`${id}-names.json`)
      expect((await call('GET', `${path}/${id}/download?rule=none`)).status).toBe(404)
    },
    { shop: true },
  )

  given(
    'the log lists every collection, oldest entry first, a page at a time',
    async (served) => {
      const { call } = served
      const id = await submitted(served)
      expect((await call('GET', `${path}/${id}/log`)).body).toMatchObject({ items: [], total: 0 })
      await call('POST', `${path}/${id}/run`)
      const { body } = await call<Log>('GET', `${path}/${id}/log`)
      const told = body.items.map((entry) => `${entry.collection_name} ${entry.status}`)
      expect(told).toEqual(['customer in_processing', 'customer complete', 'orders in_processing', 'orders complete'])
      const affected = [
        { path: 'shop:customer:email', field_name: 'email', data_categories: ['user.contact.email'] },
        {},
      ]
      expect(body.items[1]).toMatchObject({
        dataset_name: 'shop',
        action_type: 'access',
        row_count: 1,
        fields_affected: affected,
      })
      expect(JSON.stringify(body)).not.toContain('ann@')
      const second = await call<Log>('GET', `${path}/${id}/log?size=3&page=2`)
      expect(second.body).toMatchObject({ total: 4, pages: 2, items: [body.items[3]] })
      expect((await call('GET', `${path}/${id}/log?size=0`)).status).toBe(422)
    },
    { shop: true },
  )

  given(
    'retry goes on from where a run failed',
    async (served) => {
      const { call, connector } = served
      const id = await submitted(served)
      connector.failNext({ operation: 'read', collection: 'orders' })
      const failed = await call('POST', `${path}/${id}/run`)
      const resume_endpoint = `/privacy-request/${id}/retry`
      expect(failed).toMatchObject({
        status: 200,
        body: { status: 'error', failure: expect.stringContaining('orders'), resume_endpoint, download_url: null },
      })
      const retried = await call('POST', `${path}/${id}/retry`, { body: {} })
      expect(retried).toMatchObject({ status: 200, body: { status: 'in_processing', failure: null } })
      expect((await call('POST', `${path}/${id}/run`)).body).toMatchObject({ status: 'complete' })
      expect((await call('GET', `${path}/${id}/download`)).body).toEqual(everything)
    },
    { shop: true },
  )

  given(
    'bulk retry answers for each request',
    async (served) => {
      const { call, connector } = served
      const [failed, pending] = [await submitted(served), await submitted(served)]
      connector.failNext({ operation: 'read' })
      await call('POST', `${path}/${failed}/run`)
      const { status, body } = await call<Bulk>('POST', `${path}/bulk/retry`, {
        body: { request_ids: [failed, pending, 'x'] },
      })
      expect(status).toBe(200)
      expect(body.succeeded).toMatchObject([{ id: failed, status: 'in_processing' }])
      expect(body.failed.map(({ data }) => data)).toEqual([
        { privacy_request_id: pending },
        { privacy_request_id: 'x' },
      ])
    },
    { shop: true },
  )

  given(
    'cancel takes a bare list or one with a reason, and answers for each',
    async (served) => {
      const { call, runtime } = served
      const [first, second, done] = [await submitted(served), await submitted(served), await submitted(served)]
      await call('POST', `${path}/${done}/run`)
      const one = await call<Bulk>('PATCH', `${path}/administrate/cancel`, { body: [first] })
      const canceled = { id: first, status: 'canceled', canceled_at: runtime.now().toISOString() }
      expect(one).toMatchObject({ status: 200, body: { succeeded: [canceled], failed: [] } })
      const body = { request_ids: [first, second, done, 'pri_none'], reason: 'withdrawn' }
      const several = await call<Bulk>('PATCH', `${path}/administrate/cancel`, { body })
      expect(several.body.succeeded).toMatchObject([{ id: second, status: 'canceled' }])
      const failed = [first, done, 'pri_none'].map((privacy_request_id) => ({ data: { privacy_request_id } }))
      expect(several.body.failed).toMatchObject(failed)
      expect((await call('POST', `${path}/${second}/run`)).status).toBe(409)
    },
    { shop: true },
  )

  const faults: Readonly<Record<string, { readonly body: unknown; readonly errors: readonly object[] }>> = {
    'no ids': { body: {}, errors: [{ loc: ['body', 'request_ids'], type: 'missing' }] },
    'an id that is a number': { body: { request_ids: [7] }, errors: [{ loc: ['body', 'request_ids', 0] }] },
    'a bare list of numbers': { body: ['a', 7], errors: [{ loc: ['body', 1] }] },
    'an unknown member': {
      body: { request_ids: [], reasn: 'x' },
      errors: [{ loc: ['body', 'reasn'], type: 'unknown_member' }],
    },
    'a reason that is no text': { body: { request_ids: [], reason: 7 }, errors: [{ loc: ['body', 'reason'] }] },
    'a reason that is too long': {
      body: { request_ids: [], reason: 'x'.repeat(1_001) },
      errors: [{ loc: ['body', 'reason'] }],
    },
    'more than 50 ids': { body: Array.from({ length: 51 }, () => 'a'), errors: [{ loc: ['body'], type: 'too_big' }] },
  }
  for (const [what, { body, errors }] of Object.entries(faults)) {
    given(`422 for a cancellation with ${what}`, async ({ call }) => {
      const answer = await call('PATCH', `${path}/administrate/cancel`, { body })
      expect(answer).toMatchObject({ status: 422, body: { errors } })
    })
  }
}
