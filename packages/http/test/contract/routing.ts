import { endpoints } from '@habeas/http'
import { expect } from 'vitest'
import type { Given } from './given.js'

/** Verbs by path, as the table has them. */
const verbs = new Map<string, string[]>()
for (const key of Object.keys(endpoints)) {
  const [verb = '', path = ''] = key.split(' ')
  verbs.set(path, [...(verbs.get(path) ?? []), verb, ...(verb === 'GET' ? ['HEAD'] : [])])
}
const filled = (path: string) => path.replace(/\{.+?\}/g, 'anything')

const readable = [
  '/health',
  '/ready',
  '/api/v1/openapi.json',
  '/api/v1/oauth/scope',
  '/api/v1/connection',
  '/api/v1/data_use/improve',
]

/** Paths, verbs and what stands around every answer. */
export function routingCases(given: Given): void {
  given(
    'every path answers the wrong verb with 405 and Allow, with and without a slash at its end',
    async ({ call }) => {
      for (const [path, known] of verbs) {
        const allow = [...known].sort().join(', ')
        for (const asked of [filled(path), `${filled(path)}/`]) {
          const { status, headers, body } = await call('OPTIONS', asked, { token: null })
          expect({ path, status, allow: headers.get('allow'), body }).toMatchObject({
            path,
            status: 405,
            allow,
            body: { code: 'method_not_allowed', status: 405, title: 'Method Not Allowed', type: 'about:blank' },
          })
        }
      }
    },
  )

  given('a slash at the end changes nothing', async ({ call }) => {
    for (const path of readable) {
      const [without, with_] = [await call('GET', path), await call('GET', `${path}/`)]
      expect(with_.status).toBe(200)
      expect(with_.body).toStrictEqual(without.body)
    }
    const created = await call('POST', '/api/v1/registry/', { body: { service_key: 'a' } })
    expect(created.status).toBe(201)
    expect((await call('DELETE', '/api/v1/registry/a/')).status).toBe(204)
  })

  given('HEAD answers as GET does, without a body', async ({ call }) => {
    for (const path of [...readable, '/api/v1/docs', '/api/v1/connection/none']) {
      const [get, head] = [await call('GET', path), await call('HEAD', path)]
      expect({ path, status: head.status, body: head.body }).toEqual({ path, status: get.status, body: undefined })
      expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'))
    }
    expect((await call('HEAD', '/api/v1/connection', { token: null })).status).toBe(401)
  })

  given('parts of a path are decoded, and one that cannot be a key is not found', async ({ call }) => {
    await call('POST', '/api/v1/registry', { body: { service_key: 'a.b-c' } })
    expect((await call('GET', '/api/v1/registry/a%2Eb%2dc')).status).toBe(200)
    for (const key of ['a%20b', 'a%2Fb', '__proto__', 'x'.repeat(3_000)]) {
      const { status, body } = await call('GET', `/api/v1/registry/${key}`)
      expect(body).toMatchObject({ status: 404, code: 'not_found' })
      expect(status).toBe(404)
    }
  })

  given(
    'the path is checked before the verb, that before the token, that before the scope and the body',
    async ({ call, tokenWith }) => {
      const narrow = await tokenWith('dataset:read')
      const broken = { body: '{', headers: { 'content-type': 'text/plain' } }
      const asked = [
        await call('PUT', '/api/v1/registry', { token: null, ...broken }),
        await call('POST', '/api/v1/registry', { token: null, ...broken }),
        await call('POST', '/api/v1/registry', { token: narrow, ...broken }),
        await call('POST', '/api/v1/registry', broken),
        await call('POST', '/api/v1/registry', { body: [] }),
      ]
      expect(asked.map(({ status }) => status)).toEqual([405, 401, 403, 415, 422])
    },
  )

  given('a body beyond 1 MiB is refused, and one beyond 16 MiB where whole datasets are taken', async ({ call }) => {
    const padded = (megabytes: number) =>
      JSON.stringify({ service_key: 'a', description: 'x'.repeat(megabytes * 2 ** 20) })
    const headers = { 'content-type': 'application/vnd.habeas+json' }
    const asked = [
      await call('POST', '/api/v1/registry', { body: padded(1), headers }),
      await call('POST', '/api/v1/dataset', { body: padded(2), headers }),
      await call('POST', '/api/v1/dataset', { body: padded(16), headers }),
    ]
    expect(asked.map(({ status }) => status)).toEqual([413, 201, 413])
    expect(asked[0]?.body).toMatchObject({ code: 'payload_too_large', detail: expect.stringContaining('1 MiB') })
  })

  given(
    'where no body is expected an empty one is ignored, and another is refused',
    async ({ call, parsesBodies }) => {
      const path = '/api/v1/connection/shop/test'
      // A parser of the host refuses null itself.
      const none = [undefined, '', '{}', ' {} ', ...(parsesBodies ? [] : ['null'])]
      for (const body of none) {
        const { status } = await call('POST', path, { body, headers: { 'content-type': 'application/json' } })
        expect({ body, status }).toEqual({ body, status: 200 })
      }
      expect((await call('POST', path, { body: '', headers: { 'content-type': 'text/plain' } })).status).toBe(200)
      const { status, body } = await call('POST', path, { body: { key: 'shop' } })
      expect({ status, body }).toMatchObject({ status: 422, body: { errors: [{ loc: ['body'] }] } })
    },
    { shop: true },
  )

  given('a body that is needed and missing is one bad place', async ({ call }) => {
    const { status, body } = await call('POST', '/api/v1/registry')
    expect({ status, body }).toMatchObject({
      status: 422,
      body: { code: 'invalid_input', errors: [{ loc: ['body'], msg: 'is required', type: 'missing' }] },
    })
  })

  given('an answer says that nobody may keep it or guess its type', async ({ call }) => {
    const { headers } = await call('GET', '/api/v1/connection')
    expect([headers.get('cache-control'), headers.get('x-content-type-options')]).toEqual(['no-store', 'nosniff'])
  })
}
