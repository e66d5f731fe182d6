import { memoryMailer, type PrivacyServiceOptions, scopes, type UsedScope } from '@habeas/core'
import { createHttpHandler, type Endpoint, endpoints, type HttpHandlerOptions } from '@habeas/http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { basic, type Client, type Served, serve } from './contract/served.js'
import { root } from './contract/world.js'

const table = Object.entries(endpoints as Readonly<Record<string, Endpoint>>).map(([key, endpoint]) => {
  const [method = '', path = ''] = key.split(' ')
  return { key, method, path: path.replace(/\{.+?\}/g, 'anything'), ...endpoint }
})
const guarded = table.flatMap(({ access, ...rest }) => {
  if (typeof access === 'string') return []
  return [{ ...rest, access: 'orElse' in access ? access.scopes : access }]
})
const orElse = (kind: string) =>
  table.filter(({ access }) => typeof access === 'object' && 'orElse' in access && access.orElse === kind)
const byClient = table.filter(({ access }) => access === 'client credentials')
const open = table.filter(({ access }) => access === 'open').map(({ key }) => key)
const scopeNames = scopes.map(({ name }) => name)

/** Scopes the table cannot name, since they hang on what is sent. */
const byContent: Readonly<Record<string, { readonly body: unknown; readonly scopes: readonly UsedScope[] }>> = {
  'POST /api/v1/manifest': {
    body: Object.fromEntries(
      [
        'organization',
        'registry',
        'data_category',
        'data_use',
        'data_subject',
        'data_qualifier',
        'dataset',
        'system',
        'policy',
      ].map((kind) => [kind, []]),
    ),
    scopes: [
      ...(
        ['organization', 'registry', 'data_category', 'data_use', 'data_subject', 'data_qualifier', 'system'] as const
      ).flatMap((kind) => [`${kind}:create`, `${kind}:update`] as const),
      ...(['dataset:create_or_update', 'policy:create_or_update'] as const),
    ],
  },
  'GET /api/v1/privacy-request?include_identities=1': { body: undefined, scopes: ['privacy-request:view_data'] },
  'GET /api/v1/privacy-request/anything?include_identities=1': {
    body: undefined,
    scopes: ['privacy-request:view_data'],
  },
}

let served: Served

const behindHandler = (options: HttpHandlerOptions, service: PrivacyServiceOptions = {}) =>
  serve(async (privacy) => {
    const handle = createHttpHandler(privacy, options)
    return {
      baseUrl: 'http://service.example',
      fetch: (url, init) => handle(new Request(url, init)),
      close: async () => {},
    }
  }, service)

beforeAll(async () => {
  served = await behindHandler({})
})
afterAll(() => served.close())

describe('the endpoints that are open', () => {
  it('are the token endpoint, the metadata, the health, the document and its page', () => {
    expect(open.sort()).toEqual([
      'GET /.well-known/oauth-authorization-server',
      'GET /api/v1/docs',
      'GET /api/v1/docs/{file}',
      'GET /api/v1/openapi.json',
      'GET /health',
      'GET /ready',
      'POST /api/v1/oauth/token',
    ])
  })

  it('are revocation and introspection with client credentials', () => {
    expect(byClient.map(({ key }) => key)).toEqual(['POST /api/v1/oauth/revoke', 'POST /api/v1/oauth/introspect'])
  })
})

describe('the endpoints that are open with something else', () => {
  it('are submit, verify and resend with an open intake', () => {
    expect(orElse('open intake').map(({ key }) => key)).toEqual([
      'POST /api/v1/privacy-request',
      'POST /api/v1/privacy-request/{privacy_request_id}/verify',
      'POST /api/v1/privacy-request/{privacy_request_id}/resend',
    ])
  })

  it('are the resume with a reply token, and only the download with a link token', () => {
    const resume = 'POST /api/v1/privacy-request/{privacy_request_id}/resume'
    expect(orElse('reply token').map(({ key }) => key)).toEqual([resume])
    const download = 'GET /api/v1/privacy-request/{privacy_request_id}/download'
    expect(orElse('link token').filter(({ key }) => key !== download)).toEqual([])
  })
})

describe.each(guarded)('$key', ({ key, method, path, access }) => {
  const ask = (token: string | null) => served.call<{ code: string; detail: string }>(method, path, { token })

  it('refuses a call without a token', async () => {
    const { status, headers, body } = await ask(null)
    expect({ status, body }).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })
    expect(headers.get('www-authenticate')).toBe('Bearer realm="habeas"')
  })

  it('refuses an invalid token', async () => {
    const { status, headers } = await ask('no.such.token')
    expect([status, headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('error="invalid_token"')])
  })

  it('refuses a token that was revoked', async () => {
    const token = await served.tokenWith()
    await served.privacy.tokens.revoke(token, root)
    const { status, headers } = await ask(token)
    expect([status, headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('error="invalid_token"')])
  })

  it('refuses a token that has expired', async () => {
    const token = await served.tokenWith()
    served.runtime.advance(11_520 * 60_000)
    const { status, headers, body } = await ask(token)
    expect({ status, body }).toMatchObject({ status: 401, body: { code: 'token_expired' } })
    expect(headers.get('www-authenticate')).toContain('error="invalid_token"')
    served.runtime.advance(-11_520 * 60_000)
  })

  it('refuses a token with every scope but its own', async () => {
    const needed: readonly string[] = access
    expect(needed.length > 0 || key in byContent).toBe(true)
    for (const scope of needed) {
      const token = await served.tokenWith(...scopeNames.filter((name) => name !== scope))
      const { status, headers, body } = await ask(token)
      expect({ status, body }).toMatchObject({
        status: 403,
        body: { code: 'forbidden', detail: expect.stringContaining(`'${scope}'`) },
      })
      expect(headers.get('www-authenticate')).toContain(`error="insufficient_scope"`)
      expect(headers.get('www-authenticate')).toContain(`scope="${scope}"`)
    }
  })

  it('asks for nothing more than its own', async () => {
    const needed = [...access, ...(byContent[key]?.scopes ?? [])]
    // Some scope has to stand in the request, or the token would have all.
    const token = await served.tokenWith(...needed, 'user:read')
    expect([401, 403]).not.toContain((await ask(token)).status)
  })
})

describe.each(Object.entries(byContent))('%s', (key, { body, scopes: needed }) => {
  const [method = '', path = ''] = key.split(' ')

  it.each(needed)('needs %s for what is asked', async (scope) => {
    const token = await served.tokenWith(...scopeNames.filter((name) => name !== scope))
    const answer = await served.call(method, path, { token, body })
    expect(answer).toMatchObject({ status: 403, body: { detail: expect.stringContaining(`'${scope}'`) } })
    expect(answer.headers.get('www-authenticate')).toContain(`scope="${scope}"`)
  })
})

describe.each(orElse('open intake'))('$key with an open intake', ({ method, path, access }) => {
  let open: Served
  beforeAll(async () => {
    const execution = { immediate: false, subjectIdentityVerificationRequired: true }
    open = await behindHandler({ openIntake: true }, { execution, mailer: memoryMailer() })
  })
  afterAll(() => open.close())

  it('needs no token', async () => {
    expect([401, 403]).not.toContain((await open.call(method, path, { token: null })).status)
  })

  it('checks a token that is sent nevertheless', async () => {
    const { scopes: needed } = access as { readonly scopes: readonly string[] }
    const narrow = await open.tokenWith(...scopeNames.filter((name) => !needed.includes(name)))
    const basicOfRoot = { authorization: basic(root) }
    const asked = [
      await open.call(method, path, { token: 'no.such.token' }),
      await open.call(method, path, { token: null, headers: basicOfRoot }),
      await open.call(method, path, { token: narrow }),
    ]
    expect(asked.map(({ status }) => status)).toEqual([401, 401, 403])
  })
})

describe.each(orElse('reply token'))('$key with a reply token', ({ method, path }) => {
  it('refuses a call without a token, or with an invalid reply token, before it reads anything', async () => {
    const broken = { body: '{', headers: { 'content-type': 'text/plain' } }
    const asked = [
      await served.call(method, path, { token: null }),
      await served.call(method, path, { token: null, ...broken }),
      await served.call(method, path, { token: null, headers: { authorization: basic(root) } }),
      await served.call(method, path, { token: 'none' }),
    ]
    for (const { status, headers, body } of asked) {
      expect({ status, body }).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })
      expect(headers.get('www-authenticate')).toMatch(/^Bearer realm="habeas"/)
    }
  })
})

describe.each(orElse('link token'))('$key with a link token', ({ method, path }) => {
  it('gives nothing for a token without a link', async () => {
    const { status } = await served.call(method, `${path}?token=nothing`, { token: null })
    expect([401, 404, 410]).toContain(status)
  })
})

describe.each(byClient)('$key', ({ method, path }) => {
  const ask = async (client: Client | undefined, inBody: Readonly<Record<string, string>> = {}) =>
    served.call(method, path, {
      token: null,
      ...(client && { headers: { authorization: basic(client) } }),
      body: new URLSearchParams({ token: 'anything', ...inBody }),
    })

  it('refuses missing credentials, wrong ones and an access token in their place', async () => {
    const bearer = { authorization: `Bearer ${await served.tokenWith()}` }
    const refused = [
      await ask(undefined),
      await ask({ ...root, clientSecret: 'wrong' }),
      await ask({ clientId: 'nobody', clientSecret: root.clientSecret }),
      await ask(undefined, { client_id: root.clientId, client_secret: 'wrong' }),
      await served.call(method, path, { headers: bearer, body: new URLSearchParams({ token: 'anything' }) }),
    ]
    for (const { status, headers, body } of refused) {
      expect({ status, body }).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
      expect(headers.get('www-authenticate')).toMatch(/^Basic /)
    }
  })

  it('takes right ones, as Basic and in the body', async () => {
    expect((await ask(root)).status).toBe(200)
    const { status } = await ask(undefined, { client_id: root.clientId, client_secret: root.clientSecret })
    expect(status).toBe(200)
  })
})
