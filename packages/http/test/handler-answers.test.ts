import { type ErrorCode, PrivacyError, type PrivacyService } from '@habeas/core'
import { createHttpHandler, type HttpHandlerOptions } from '@habeas/http'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { serve } from './contract/served.js'
import { openWorld, root } from './contract/world.js'

const open: Awaited<ReturnType<typeof openWorld>>[] = []

afterEach(async () => {
  vi.restoreAllMocks()
  await Promise.all(open.splice(0).map(({ privacy }) => privacy.close()))
})

async function handlerOf(options: HttpHandlerOptions = {}) {
  const world = await openWorld()
  open.push(world)
  return createHttpHandler(world.privacy, options)
}

/** A service whose list of connections fails, behind the handler. */
function failing(error: unknown, options: HttpHandlerOptions = {}) {
  const list = () => Promise.reject(error)
  const alter = (privacy: PrivacyService): PrivacyService => ({
    ...privacy,
    connections: { ...privacy.connections, list },
  })
  return serve(
    async (privacy) => {
      const handle = createHttpHandler(privacy, options)
      return { baseUrl: 'http://h', fetch: (url, init) => handle(new Request(url, init)), close: async () => {} }
    },
    { alter },
  )
}

async function answerTo(error: unknown, options: HttpHandlerOptions = {}) {
  const served = await failing(error, options)
  try {
    return await served.call<Record<string, unknown>>('GET', '/api/v1/connection', { mayFail: true })
  } finally {
    await served.close()
  }
}

describe('paths', () => {
  it.each([
    '/',
    '/api',
    '/api/v1',
    '/api/v1/',
    '/api/v1/nothing',
    '//api/v1/connection',
    '/api//v1/connection',
    '/API/v1/connection',
    '/api/v1/connection/a/b/c/d',
    '/api/v1/registry/%E0%A4%A',
  ])('answers the unknown path %s with 404', async (path) => {
    const handle = await handlerOf()
    const response = await handle(new Request(`http://service.example${path}`))
    expect(response.status).toBe(404)
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    expect(await response.json()).toMatchObject({ status: 404, code: 'not_found', type: 'about:blank' })
  })

  it.each(['/privacy', '/privacy/', '/a/privacy'])('is served under %s and nowhere else', async (basePath) => {
    const handle = await handlerOf({ basePath })
    const mount = basePath.replace(/\/$/, '')
    const status = async (path: string) => (await handle(new Request(`http://service.example${path}`))).status
    expect(await status(`${mount}/health`)).toBe(200)
    expect(await status(`${mount}/health/?a=1`)).toBe(200)
    for (const path of ['/health', `${mount}more/health`, mount, `${mount}/${mount}/health`]) {
      expect(await status(path)).toBe(404)
    }
  })
})

describe('errors', () => {
  const statuses = {
    ...{ invalid_input: 422, unauthenticated: 401, token_expired: 401, forbidden: 403, not_found: 404, conflict: 409 },
    ...{ invalid_state: 409, verification_failed: 400, rate_limited: 429, unsupported: 400, connection_failed: 502 },
    ...{ gone: 410, unavailable: 503, misconfigured: 500, internal: 500 },
  } satisfies Record<ErrorCode, number>

  it.each(Object.entries(statuses))('%s is answered with %i', async (code, status) => {
    const handle = createHttpHandler(
      failingTokens(new PrivacyError(code as 'gone', 'A sentence.', { issues: [] } as object)),
      { onError: () => {} },
    )
    const response = await handle(new Request('http://h/api/v1/connection', { headers: { authorization: 'Bearer a' } }))
    expect(response.status).toBe(status)
    const body = (await response.json()) as Record<string, unknown>
    const detail = status === 500 ? expect.any(String) : 'A sentence.'
    expect(body).toMatchObject({ type: 'about:blank', title: expect.any(String), status, code, detail })
  })

  it('unavailable is answered with 504 where only the answer was lost', async () => {
    const error = new PrivacyError('unavailable', 'A sentence.', { outcome: 'unknown' })
    const handle = createHttpHandler(failingTokens(error))
    const response = await handle(new Request('http://h/api/v1/connection', { headers: { authorization: 'Bearer a' } }))
    expect(response.status).toBe(504)
    expect(await response.json()).toMatchObject({ status: 504, title: 'Gateway Timeout', code: 'unavailable' })
  })

  it.each(['unavailable', 'rate_limited'] as const)('%s says when to come back', async (code) => {
    const error = new PrivacyError(code, 'Later.', { retryAfterSeconds: 7 })
    const handle = createHttpHandler(failingTokens(error))
    const response = await handle(new Request('http://h/api/v1/connection', { headers: { authorization: 'Bearer a' } }))
    expect(response.headers.get('retry-after')).toBe('7')
  })

  it.each([
    new Error('password pa55 of db.internal is wrong'),
    new TypeError('reading pa55 of undefined'),
    new PrivacyError('internal', 'pa55', {}, { cause: new Error('db.internal') }),
    new PrivacyError('misconfigured', 'pa55 of db.internal', { option: 'storage' }),
    'pa55 of db.internal',
    undefined,
  ])('an unexpected error is 500, and is reported to the operator and not to the caller (%#)', async (error) => {
    const heard: unknown[] = []
    const { status, headers, body } = await answerTo(error, { onError: (told) => heard.push(told) })
    expect({ status, type: headers.get('content-type') }).toEqual({ status: 500, type: 'application/problem+json' })
    expect(body['title']).toBe('Internal Server Error')
    expect(JSON.stringify(body)).not.toMatch(/pa55|db\.internal/)
    expect(heard).toEqual([error])
  })

  it('an expected error is not reported to the operator', async () => {
    const heard: unknown[] = []
    await answerTo(new PrivacyError('unavailable', 'Later.'), { onError: (told) => heard.push(told) })
    expect(heard).toEqual([])
  })

  it('by default the operator reads where an error arose, but not its message', async () => {
    const written: string[] = []
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0)
    await answerTo(new Error('pa55 of db.internal', { cause: new RangeError('pa55') }))
    expect(written.join('')).toMatch(/^habeas: RangeError while answering over HTTP\n +at .*handler-answers/)
    expect(written.join('')).not.toMatch(/pa55|db\.internal/)
  })

  it('an error in one item of a list is reported to the operator, and the others are answered', async () => {
    const heard: unknown[] = []
    const error = new Error('pa55')
    const served = await serve(async (privacy) => {
      const create = async (input: unknown) => {
        if ((input as { key: string }).key === 'bad') throw error
        return privacy.connections.create(input as never)
      }
      const altered = { ...privacy, connections: { ...privacy.connections, create } }
      const handle = createHttpHandler(altered, { onError: (told) => heard.push(told) })
      return { baseUrl: 'http://h', fetch: (url, init) => handle(new Request(url, init)), close: async () => {} }
    })
    const list = ['a', 'bad', 'b'].map((key) => ({ key, connection_type: 'postgres' }))
    const { status, body } = await served.call('POST', '/api/v1/connection', { body: list })
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { succeeded: [{ key: 'a' }, { key: 'b' }], failed: [{ message: expect.not.stringContaining('pa55') }] },
    })
    expect(heard).toEqual([error])
    await served.close()
  })

  it('a body that breaks off is reported to the operator', async () => {
    const heard: unknown[] = []
    const error = new Error('the disk is gone')
    async function* stream() {
      yield new Uint8Array(3)
      throw error
    }
    const found = {
      rule: 'r',
      format: 'json' as const,
      name: 'a.json',
      mediaType: 'application/json',
      size: 9,
      stream: stream(),
    }
    const served = await serve(async (privacy) => {
      const altered = { ...privacy, requests: { ...privacy.requests, package: async () => found } }
      const handle = createHttpHandler(altered, { onError: (told) => heard.push(told) })
      return { baseUrl: 'http://h', fetch: (url, init) => handle(new Request(url, init)), close: async () => {} }
    })
    const headers = { authorization: `Bearer ${await served.tokenWith('privacy-request:download')}` }
    const response = await served.fetch('/api/v1/privacy-request/pri_1/download', { headers })
    await expect(response.text()).rejects.toThrow('the disk is gone')
    expect(heard).toEqual([error])
    await served.close()
  })
})

function failingTokens(error: unknown): PrivacyService {
  const verify = () => Promise.reject(error)
  return { tokens: { verify } } as unknown as PrivacyService
}

describe('what the server knows of a call', () => {
  const ask = (clientId: string) =>
    new Request('http://service.example/api/v1/oauth/token', {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'client_credentials', client_id: clientId, client_secret: 'wrong' }),
    })

  it('failed logins are counted by address, when the server passes one', async () => {
    const handle = await handlerOf()
    for (let count = 0; count < 30; count++) await handle(ask(`client ${count}`), { address: '192.0.2.1' })
    expect((await handle(ask('another'), { address: '192.0.2.1' })).status).toBe(429)
    expect((await handle(ask('another'), { address: '192.0.2.2' })).status).toBe(401)
    expect((await handle(ask('a third'))).status).toBe(401)
    const right = new Request('http://service.example/api/v1/oauth/token', {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: root.clientId,
        client_secret: root.clientSecret,
      }),
    })
    expect((await handle(right, { address: '192.0.2.1' })).status).toBe(200)
  })
})
