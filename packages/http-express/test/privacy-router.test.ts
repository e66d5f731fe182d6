import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { PrivacyError, type PrivacyService } from '@habeas/core'
import { afterEach, describe, expect, it } from 'vitest'
import { basic } from '../../http/test/contract/served.js'
import type { Skin } from '../../http/test/contract/skin.js'
import { openWorld, root } from '../../http/test/contract/world.js'
import { type AppOptions, hostApp, listening, versions } from './express-skin.js'

const closing: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

interface Host {
  readonly app: ReturnType<typeof hostApp>
  readonly server: Pick<Skin, 'baseUrl' | 'close'>
  readonly errors: unknown[]
  get(path: string, init?: RequestInit): Promise<Response>
  token(): Promise<string>
  /** A socket over which `text` was sent. */
  raw(text: string): Promise<Socket>
}

describe.each(Object.entries(versions))('%s', (_version, express) => {
  async function host(
    options: Partial<AppOptions> & { readonly alter?: (privacy: PrivacyService) => PrivacyService } = {},
  ): Promise<Host> {
    const { alter, ...appOptions } = options
    const world = await openWorld({ ...(alter && { alter }) })
    const errors: unknown[] = []
    const app = hostApp(world.privacy, { express, prefix: '/privacy', errors, ...appOptions })
    const server = await listening(app)
    closing.push(() => world.privacy.close(), server.close)
    const get = (path: string, init: RequestInit = {}) => fetch(`${server.baseUrl}${path}`, init)
    return {
      app,
      server,
      errors,
      get,
      async token() {
        const body = new URLSearchParams({ grant_type: 'client_credentials' })
        const headers = { authorization: basic(root) }
        const response = await get('/privacy/api/v1/oauth/token', { method: 'POST', headers, body })
        return ((await response.json()) as { access_token: string }).access_token
      },
      async raw(text) {
        const socket = connect(Number(new URL(server.baseUrl).port), '127.0.0.1')
        await once(socket, 'connect')
        socket.write(text)
        return socket
      },
    }
  }

  it('leaves paths that are not in the table to the host', async () => {
    const { get } = await host()
    expect(await (await get('/own')).text()).toBe('of the host')
    for (const path of [
      '/privacy',
      '/privacy/api/v1/nothing',
      '/privacy/own',
      '/api/v1/connection',
      '/privacymore/health',
    ]) {
      const response = await get(path)
      expect(response.status).toBe(404)
      expect(response.headers.get('content-type')).toMatch(/^text\/html/)
    }
    expect((await get('/privacy/health?a=1')).status).toBe(200)
  })

  it('works with routes after it, and routers around it', async () => {
    const { app, server } = await host({ prefix: '' })
    app.get('/api/v1/other', (_request, response) => void response.send('later'))
    const response = await fetch(`${server.baseUrl}/api/v1/other`)
    expect(await response.text()).toBe('later')
    expect((await fetch(`${server.baseUrl}/health`)).status).toBe(200)
  })

  it.each([
    new Error('pa55'),
    new PrivacyError('internal', 'pa55'),
    new PrivacyError('misconfigured', 'pa55', { option: 'a' }),
  ])('passes unexpected errors to next(error) (%#)', async (error) => {
    const list = () => Promise.reject(error)
    const { get, token, errors } = await host({
      alter: (privacy) => ({ ...privacy, connections: { ...privacy.connections, list } }),
    })
    const headers = { authorization: `Bearer ${await token()}` }
    const response = await get('/privacy/api/v1/connection', { headers })
    expect([response.status, await response.text()]).toEqual([500, 'the host is sorry'])
    expect(errors).toEqual([error])
  })

  it('answers expected errors itself', async () => {
    const { get, errors } = await host()
    expect((await get('/privacy/api/v1/connection')).status).toBe(401)
    expect(errors).toEqual([])
  })

  it('a package that breaks off never looks whole, whatever the host does with the error', async () => {
    async function* stream() {
      yield new Uint8Array(70_000)
      throw new Error('the disk is gone')
    }
    const found = { rule: 'r', name: 'a.json', mediaType: 'application/json', stream: stream() }
    const world = await openWorld()
    const { requests } = world.privacy
    const altered = {
      ...world.privacy,
      requests: { ...requests, package: async () => found },
    } as unknown as PrivacyService
    const app = hostApp(altered, { express })
    // A host that ends every answer, as if that were the end of it.
    app.use(
      (_error: unknown, _request: unknown, response: Parameters<Parameters<typeof app.get>[1]>[1], _next: unknown) => {
        response.end()
      },
    )
    const server = await listening(app)
    closing.push(() => world.privacy.close(), server.close)
    const { accessToken } = await world.privacy.tokens.issue(root)
    const headers = { authorization: `Bearer ${accessToken}` }
    const response = await fetch(`${server.baseUrl}/api/v1/privacy-request/pri_1/download`, { headers })
    await expect(response.arrayBuffer().then(({ byteLength }) => byteLength)).rejects.toThrow()
  })

  it('a client that leaves in the middle of its body is no error', async () => {
    const { raw, token, errors, get } = await host()
    const head = `POST /privacy/api/v1/registry HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer ${await token()}\r\n`
    const socket = await raw(`${head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"service_key":`)
    await expect.poll(() => socket.bytesWritten).toBeGreaterThan(100)
    socket.destroy()
    await once(socket, 'close')
    expect((await get('/privacy/health')).status).toBe(200)
    expect(errors).toEqual([])
  })

  it.each([
    ['one that announces too much', 'Content-Length: 1000000000\r\n\r\n', '{'],
    [
      'one that does not stop',
      'Transfer-Encoding: chunked\r\n\r\n',
      `${(2 ** 20).toString(16)}\r\n${' '.repeat(2 ** 20)}\r\n5\r\nmore `,
    ],
  ])('a body beyond the limit is refused before its end: %s', async (_what, framing, start) => {
    const { raw, token } = await host()
    const head = `POST /privacy/api/v1/registry HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer ${await token()}\r\n`
    const socket = await raw(`${head}Content-Type: application/json\r\n${framing}${start}`)
    const [answer] = await once(socket, 'data')
    expect(String(answer)).toMatch(/^HTTP\/1\.1 413 /)
    socket.destroy()
  })

  it.each(['[', 'a b', '"><script>', 'h/..//x', 'user@h:99999999'])(
    'takes the host %j as it is called',
    async (name) => {
      const { raw, errors } = await host()
      for (const path of ['api/v1/docs', 'api/v1/openapi.json', '.well-known/oauth-authorization-server']) {
        const socket = await raw(`GET /privacy/${path} HTTP/1.1\r\nHost: ${name}\r\nConnection: close\r\n\r\n`)
        const answer = Buffer.concat(await socket.toArray()).toString()
        expect(answer).toMatch(/^HTTP\/1\.1 200 /)
        if (path.endsWith('docs')) expect(answer).not.toContain('"><script>"')
      }
      expect(errors).toEqual([])
    },
  )

  it('links lead to `baseUrl` where that is given, else where the request says it came in', async () => {
    const issuer = async ({ get }: Host, headers: Record<string, string> = {}) => {
      const response = await get('/privacy/.well-known/oauth-authorization-server', { headers })
      return ((await response.json()) as { issuer: string }).issuer
    }
    const plain = await host()
    expect(await issuer(plain)).toBe(`${plain.server.baseUrl}/privacy`)
    expect(await issuer(plain, { 'x-forwarded-proto': 'https' })).toBe(`${plain.server.baseUrl}/privacy`)
    plain.app.set('trust proxy', true)
    expect(await issuer(plain, { 'x-forwarded-proto': 'https' })).toMatch(/^https:.*\/privacy$/)
    const named = await host({ baseUrl: 'https://privacy.example/data/' })
    expect(await issuer(named)).toBe('https://privacy.example/data')
  })

  it('counts failed logins by the address of the client', async () => {
    const { get } = await host()
    const ask = (id: string) => {
      const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: 'wrong' })
      return get('/privacy/api/v1/oauth/token', { method: 'POST', body })
    }
    for (let count = 0; count < 30; count++) expect((await ask(`client ${count}`)).status).toBe(401)
    expect((await ask('another')).status).toBe(429)
  })

  const bodies: readonly (readonly [what: string, type: string, body: string])[] = [
    ['JSON', 'application/json', '{"registry":[{"service_key":"r"}]}'],
    ['YAML', 'application/yaml', 'registry: [{ service_key: r }]'],
  ]
  describe.each(bodies)('%s', (_what, type, body) => {
    const parsers = {
      'nothing in front': undefined,
      'text()': () => express.text({ type: '*/*' }),
      'raw()': () => express.raw({ type: '*/*' }),
      'json() and urlencoded()': () => [express.json(), express.urlencoded({ extended: true })],
    }
    it.each(Object.entries(parsers))('arrives with %s', async (_name, parser) => {
      const world = await openWorld()
      const app = express()
      if (parser) app.use(parser())
      app.use(hostApp(world.privacy, { express }))
      const server = await listening(app)
      closing.push(() => world.privacy.close(), server.close)
      const { accessToken } = await world.privacy.tokens.issue(root)
      const headers = { authorization: `Bearer ${accessToken}`, 'content-type': type }
      const response = await fetch(`${server.baseUrl}/api/v1/manifest`, { method: 'POST', headers, body })
      expect(await response.json()).toMatchObject({ registry: { succeeded: [{ service_key: 'r' }] } })
    })
  })
})
