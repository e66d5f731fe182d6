import { expect } from 'vitest'
import type { Given } from './given.js'
import { submitted } from './privacy-requests.js'
import type { Served } from './served.js'

interface Link {
  readonly download_url: string
  readonly name: string
}

const path = '/api/v1/privacy-request'

async function completed(served: Served, more: object = {}): Promise<string> {
  const id = await submitted(served, more)
  expect((await served.call('POST', `${path}/${id}/run`)).body).toMatchObject({ status: 'complete' })
  return id
}

/** How a package reaches people who have no token of the interface. */
export function downloadLinkCases(given: Given): void {
  given(
    'a link hands the package over once, to anybody who has it, and HEAD does not use it up',
    async (served) => {
      const { call, tokenWith, runtime } = served
      const id = await completed(served)
      const token = await tokenWith('privacy-request:download')
      const made = await call<Link>('POST', `${path}/${id}/download-link`, { token })
      const expires_at = new Date(runtime.now().getTime() + 86_400_000).toISOString()
      expect(made).toMatchObject({ status: 201, body: { name: `${id}.json`, url: null, expires_at } })
      const { download_url } = made.body
      expect(download_url).toMatch(new RegExp(`^${path}/${id}/download\\?token=`))
      const head = await call('HEAD', download_url, { token: null })
      const first = await call('GET', download_url, { token: null })
      expect(first).toMatchObject({ status: 200, body: { 'shop:orders': [{}, {}] } })
      expect(head.headers.get('content-length')).toBe(first.headers.get('content-length'))
      expect(first.headers.get('cache-control')).toBe('no-store')
      expect(await call('GET', download_url, { token: null })).toMatchObject({ status: 410, body: { code: 'gone' } })
    },
    { shop: true },
  )

  given(
    'a download that was cut off goes on, here for a package that is encrypted for the person',
    async (served) => {
      const { call } = served
      const id = await completed(served, { encryption_key: 'sixteen bytes ok' })
      const link = await call<Link>('POST', `${path}/${id}/download-link`)
      const { download_url } = link.body
      const whole = await call<string>('GET', download_url, { token: null })
      expect([whole.status, whole.headers.get('content-type')]).toEqual([200, 'text/plain'])
      expect(whole.body).not.toContain('ann@')
      const headers = { range: 'bytes=10-', 'if-range': whole.headers.get('etag') as string }
      const rest = await call('GET', download_url, { token: null, headers })
      expect([rest.status, rest.body]).toEqual([206, whole.body.slice(10)])
      const { length } = whole.body
      expect(rest.headers.get('content-range')).toBe(`bytes 10-${length - 1}/${length}`)
      const beyond = await call('GET', download_url, {
        token: null,
        headers: { ...headers, range: `bytes=${length}-` },
      })
      expect([beyond.status, beyond.body]).toEqual([416, undefined])
      const other = await call('GET', download_url, { token: null, headers: { ...headers, 'if-range': '"other"' } })
      expect(other.status).toBe(410)
    },
    { shop: true },
  )

  given(
    'packages of several formats are told apart',
    async (served) => {
      const { call } = served
      const data_categories = { matches: 'ANY', values: ['user'] }
      const rules = [{ service_key: 'all', action_type: 'access', format: ['json', 'csv', 'html'], data_categories }]
      await call('POST', '/api/v1/policy', { body: { service_key: 'three', rules } })
      const id = await completed(served, { policy_key: 'three' })
      expect((await call('GET', `${path}/${id}/download`)).status).toBe(422)
      const types = []
      for (const format of ['json', 'csv', 'html']) {
        const { status, headers } = await call('GET', `${path}/${id}/download?format=${format}`)
        types.push([status, headers.get('content-type')])
      }
      const zip = [200, 'application/zip']
      expect(types).toEqual([[200, 'application/json'], zip, zip])
    },
    { shop: true },
  )

  given(
    'an expired link and one that never existed look the same',
    async (served) => {
      const { call, runtime } = served
      const id = await completed(served)
      const { body } = await call<Link>('POST', `${path}/${id}/download-link`)
      const wrong = await call('GET', `${path}/${id}/download?token=nonsense`, { token: null })
      runtime.advance(86_400_000)
      const expired = await call('GET', body.download_url, { token: null })
      expect(wrong.status).toBe(410)
      expect([expired.status, expired.body]).toEqual([wrong.status, wrong.body])
    },
    { shop: true },
  )

  given('there is no link to a package that does not exist', async (served) => {
    const { call } = served
    const id = await submitted(served)
    for (const of of [id, 'pri_none']) expect((await call('POST', `${path}/${of}/download-link`)).status).toBe(404)
    expect((await call('GET', `${path}/${id}/download`, { token: null })).status).toBe(401)
  })
}
