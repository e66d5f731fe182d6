import { createHttpHandler, httpInterface } from '@habeas/http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callSample, targets } from './attack/calls.js'
import { type AttackedWorld, attackedWorld, origin, root } from './attack/world.js'

let world: AttackedWorld
beforeAll(async () => {
  world = await attackedWorld()
})
afterAll(() => world.close())

const injected = [
  'a\r\nSet-Cookie: x=y',
  'a\nX-Injected: 1',
  '"\r\n\r\n<script>',
  'ä"\\',
  '\u2028',
  'a\u0000b',
  '\u0085',
  '"; filename="evil',
]

/** Headers as they are sent. */
function headerFault(headers: Headers): string | undefined {
  for (const [name, value] of headers) {
    if (/[^\x20-\x7e]/.test(value)) return `${name}: ${JSON.stringify(value)}`
    if (/set-cookie|x-injected|location/i.test(name)) return name
  }
  return undefined
}

describe('the words of callers reach no header', () => {
  it('of any endpoint, from paths and queries', async () => {
    for (const target of targets) {
      for (const text of injected) {
        const encoded = encodeURIComponent(text)
        const path = target.template.replaceAll(/\{.+?\}/g, encoded)
        for (const variation of [
          { path },
          { query: `search=${encoded}&rule=${encoded}&sort_field=${encoded}&request_id=${encoded}` },
        ]) {
          const response = await callSample(target, world, variation)
          expect([target.key, headerFault(response.headers)]).toEqual([target.key, undefined])
        }
        await world.restore()
      }
    }
    expect(world.unforeseen).toEqual([])
  })

  it('nor from bodies of the token endpoint, whose errors are plain ASCII', async () => {
    for (const text of injected) {
      for (const name of ['grant_type', 'scope', 'client_id', 'client_secret', text]) {
        const usual = { grant_type: 'client_credentials', client_id: root.id, client_secret: root.secret }
        const body = new URLSearchParams({ ...usual, [name]: text })
        const response = await world.call('/api/v1/oauth/token', { method: 'POST', body })
        expect(headerFault(response.headers)).toBeUndefined()
        if (response.status === 200) continue
        const { error, error_description: words } = (await response.json()) as Record<string, string>
        // RFC 6749 §5.2
        expect(error).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/)
        expect(words).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/)
      }
    }
  })

  it('nor from names that become names of files', async () => {
    const attacked = await attackedWorld()
    const rules = ['..', '.-.', '__proto__', 'a.b-c_d'].slice(1).map((service_key) => ({
      ...{ service_key, name: 'x"\r\nSet-Cookie: a=b', action_type: 'access' },
      data_categories: { values: ['user'] },
    }))
    await attacked.privacy.policies.create({ service_key: 'p"'.slice(0, 1), rules: rules as never })
    const identities = [{ email: 'a@example.com' }]
    for (const key of ['warehouse', 'archive', 'paper']) await attacked.privacy.connections.remove(key)
    for (const key of ['shop', 'spare', 'cabinet']) await attacked.privacy.datasets.remove(key)
    const { id } = await attacked.privacy.requests.submit({ policyKey: 'p', identities })
    await attacked.privacy.requests.run(id)
    for (const { service_key: rule } of rules) {
      const response = await attacked.call(`/api/v1/privacy-request/${id}/download?rule=${rule}`, {
        headers: { authorization: `Bearer ${attacked.token}` },
      })
      expect(response.status).toBe(200)
      expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="[A-Za-z0-9_.-]+"$/)
      expect(headerFault(response.headers)).toBeUndefined()
    }
    await attacked.close()
  })
})

describe('every answer', () => {
  it('must not be guessed at, and must not be kept, except for the files of the page', async () => {
    for (const target of targets) {
      const response = await callSample(target, world)
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
      const isFile = target.template.endsWith('{file}')
      if (!isFile) expect([target.key, response.headers.get('cache-control')]).toEqual([target.key, 'no-store'])
      expect(response.headers.get('access-control-allow-origin')).toBeNull()
      await world.restore()
    }
  })
})

describe('the name by which a caller calls the host', () => {
  const hosts = [
    'https://evil.example',
    'https://evil.example:1234',
    'http://"><script>alert(1)</script>',
    "http://a'onload='alert(1)",
    'http://a b',
    'http://a\\b',
    'http://',
    'http://[::1',
    'http://a:99999',
    'http://privacy.example/"><script>alert(1)</script>/x',
    "http://privacy.example/'-alert(1)-'/{x}",
    'http://privacy.example//evil.example',
    'javascript://a/%0aalert(1)',
    'data:text/html,x',
    '',
  ]
  const ask = (path: string, baseUrl: string) =>
    httpInterface(world.privacy, { onError: (error) => void world.unforeseen.push(error) }).answer({
      ...{ method: 'GET', path, search: '', baseUrl, signal: new AbortController().signal },
      header: () => undefined,
      body: { kind: 'none' },
    })

  it.each(hosts)('%s is not written into the page', async (baseUrl) => {
    const { status, headers, body } = await ask('/api/v1/docs', baseUrl)
    expect(status).toBe(200)
    const html = String(body)
    expect(html).not.toMatch(/<script>|onload=|alert\(1\)<|evil\.example:|javascript:/)
    const loaded = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, path]) => path as string)
    expect(loaded).toHaveLength(3)
    for (const path of loaded) {
      const decoded = path.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
      expect(decoded.replaceAll('&amp;', '&')).toMatch(/^\/(?!\/)/)
    }
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self';/)
    expect(headers['cache-control']).toBe('no-store')
  })

  it.each(hosts)('%s breaks nothing where addresses are shown', async (baseUrl) => {
    for (const path of [
      '/.well-known/oauth-authorization-server',
      '/api/v1/openapi.json',
      '/health',
      '/ready',
      '/api/v1/nothing',
    ]) {
      const { status, headers, body } = await ask(path, baseUrl)
      expect([path, status]).toEqual([path, path.endsWith('nothing') ? 404 : 200])
      expect(headers['content-type']).toMatch(/json/)
      expect(headers['cache-control']).toBe('no-store')
      expect(() => JSON.parse(String(body))).not.toThrow()
    }
    expect(world.unforeseen.splice(0)).toEqual([])
  })

  it('headers that proxies set are not believed', async () => {
    const response = await world.call('/.well-known/oauth-authorization-server', {
      headers: {
        host: 'evil.example',
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'http',
        forwarded: 'host=evil.example',
      },
    })
    const text = await response.text()
    expect(JSON.parse(text)).toMatchObject({ issuer: origin })
    expect(text).not.toContain('evil')
  })

  it('a mount with odd characters is escaped', async () => {
    const basePath = "/a'b&c"
    const handler = createHttpHandler(world.privacy, { basePath })
    const response = await handler(new Request(`${origin}${basePath}/api/v1/docs`))
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('src="/a&#39;b&amp;c/api/v1/docs/start.js"')
  })
})
