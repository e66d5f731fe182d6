import { type Health, memoryBlobs, memoryStorage } from '@habeas/core'
import { expect } from 'vitest'
import type { Given } from './given.js'

interface Document {
  readonly openapi: string
  readonly servers: readonly { readonly url: string }[]
}

const away = () => {
  const storage = memoryStorage()
  const table = (kind: Parameters<typeof storage.table>[0]) => ({
    ...storage.table(kind),
    find: () => Promise.reject(new Error('connect ECONNREFUSED db.internal:5432')),
  })
  return { ...storage, table: table as typeof storage.table }
}

/** Health, the OpenAPI document and the page that shows it: open, all of them. */
export function servicePageCases(given: Given): void {
  given('GET /health says that all is well', async ({ call }) => {
    const { status, headers, body } = await call('GET', '/health', { token: null })
    const parts = ['storage', 'secrets', 'blobs', 'queue', 'worker', 'upkeep']
    // it runs requests when it is told to
    const healthy = { ...Object.fromEntries(['status', ...parts].map((name) => [name, 'healthy'])), worker: 'unknown' }
    expect({ status, body }).toEqual({ status: 200, body: { ...healthy, problems: [] } })
    expect(headers.get('content-type')).toMatch(/^application\/json/)
  })

  given('open endpoints ignore tokens', async ({ call, tokenWith, runtime }) => {
    const token = await tokenWith('dataset:read')
    runtime.advance(11_520 * 60_000)
    for (const path of [
      '/health',
      '/ready',
      '/api/v1/docs',
      '/api/v1/openapi.json',
      '/.well-known/oauth-authorization-server',
    ]) {
      expect((await call('GET', path, { token })).status).toBe(200)
      expect((await call('GET', path, { token: 'none' })).status).toBe(200)
    }
  })

  given(
    'GET /health is 503 while the storage cannot be reached, without saying where it lies',
    async ({ call }) => {
      const { status, body } = await call<Health>('GET', '/health', { token: null })
      expect({ status, body }).toMatchObject({ status: 503, body: { status: 'unhealthy', storage: 'unhealthy' } })
      expect(body.problems[0]).toMatchObject({
        part: 'storage',
        message: expect.stringMatching(/see that its server runs/),
      })
      expect(JSON.stringify(body)).not.toMatch(/ECONNREFUSED|db\.internal|5432/)
    },
    { storage: away() },
  )

  given('GET /ready says that calls are answered', async ({ call }) => {
    const { status, body } = await call('GET', '/ready', { token: null })
    expect({ status, body }).toEqual({ status: 200, body: { ready: true } })
  })

  given(
    'GET /ready is 503 while they are refused',
    async ({ call }) => {
      const { status, body } = await call('GET', '/ready', { token: null })
      expect({ status, body }).toEqual({ status: 503, body: { ready: false } })
    },
    { storage: away() },
  )

  given(
    'GET /health is 200 and names the part where only runs fail',
    async ({ call }) => {
      const { status, body } = await call('GET', '/health', { token: null })
      expect({ status, body }).toMatchObject({ status: 200, body: { status: 'degraded', blobs: 'unhealthy' } })
      expect((await call('GET', '/ready', { token: null })).status).toBe(200)
    },
    { blobs: { ...memoryBlobs(), size: () => Promise.reject(new Error('no space left on /srv/spool')) } },
  )

  given('GET /api/v1/openapi.json says where it is served from', async ({ call, baseUrl }) => {
    const { status, body } = await call<Document>('GET', '/api/v1/openapi.json', { token: null })
    expect(status).toBe(200)
    expect(body.openapi).toMatch(/^3\.1\./)
    expect(body.servers).toEqual([{ url: baseUrl }])
    expect(body).toMatchObject({
      components: {
        securitySchemes: { oauth: { flows: { clientCredentials: { tokenUrl: `${baseUrl}/api/v1/oauth/token` } } } },
      },
    })
  })

  given('GET /api/v1/docs shows the document with what lies below the mount alone', async ({ call, baseUrl }) => {
    const { status, headers, body } = await call<string>('GET', '/api/v1/docs', { token: null })
    expect(status).toBe(200)
    const policy = headers.get('content-security-policy')
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toMatch(/https?:|\*/)
    const addresses = [...body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => unescaped(address as string))
    expect(addresses).toHaveLength(3)
    const mount = new URL(baseUrl).pathname.replace(/\/$/, '')
    for (const address of addresses) {
      expect(address.startsWith(`${mount}/api/v1/docs/`)).toBe(true)
      const asset = await call<string>('GET', address.slice(mount.length), { token: null })
      expect(asset.status).toBe(200)
      const type = address.endsWith('.css') ? 'text/css' : 'text/javascript'
      expect(asset.headers.get('content-type')).toBe(`${type}; charset=utf-8`)
      expect(asset.body.length).toBeGreaterThan(50)
    }
  })

  given('files of the page are not sent again to a client that has them', async ({ call }) => {
    const path = '/api/v1/docs/swagger-ui.css'
    const { headers } = await call('GET', path, { token: null })
    const known = { 'if-none-match': headers.get('etag') as string }
    expect(await call('GET', path, { token: null, headers: known })).toMatchObject({ status: 304, body: undefined })
    expect((await call('GET', path, { token: null, headers: { 'if-none-match': '"other"' } })).status).toBe(200)
  })

  given('the page has no other files', async ({ call }) => {
    for (const file of ['package.json', 'index.html', '..%2f..%2fpackage.json', 'toString', 'swagger-ui.js.map']) {
      const answer = await call('GET', `/api/v1/docs/${file}`, { token: null })
      expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } })
    }
  })
}

const unescaped = (text: string) =>
  text.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code))).replaceAll('&amp;', '&')
