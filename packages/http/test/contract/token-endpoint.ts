import { endpoints } from '@habeas/http'
import { expect } from 'vitest'
import type { Given } from './given.js'
import { basic } from './served.js'
import { root } from './world.js'

const path = '/api/v1/oauth/token'
const grant = { grant_type: 'client_credentials' }
const inBody = { client_id: root.clientId, client_secret: root.clientSecret }
const multipart = (fields: Readonly<Record<string, string>>) => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  return form
}
const plainBasic = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`

interface Token {
  readonly access_token: string
  readonly token_type: string
  readonly expires_in: number
  readonly scope: string
}

/** Ways a client may send who it is, all of which mean the same. */
const ways: Readonly<Record<string, { readonly body: unknown; readonly headers?: Record<string, string> }>> = {
  'a form with the credentials in it': { body: new URLSearchParams({ ...grant, ...inBody }) },
  'a multipart form with the credentials in it': { body: multipart({ ...grant, ...inBody }) },
  'JSON with the credentials in it': { body: { ...grant, ...inBody } },
  'HTTP Basic and a form': { body: new URLSearchParams(grant), headers: { authorization: basic(root) } },
  'HTTP Basic and JSON': { body: grant, headers: { authorization: basic(root) } },
  'HTTP Basic, whose scheme is written in capitals': {
    body: new URLSearchParams(grant),
    headers: { authorization: basic(root).replace('Basic', 'BASIC') },
  },
  'HTTP Basic beside the same client_id in the form': {
    body: new URLSearchParams({ ...grant, client_id: root.clientId }),
    headers: { authorization: basic(root) },
  },
}

interface Refusal {
  readonly form: Readonly<Record<string, string>> | string
  readonly headers?: Record<string, string>
  readonly status?: number
  readonly error: string
}

const refusals: Readonly<Record<string, Refusal>> = {
  'no grant_type': { form: inBody, error: 'invalid_request' },
  'an empty grant_type': { form: { grant_type: '', ...inBody }, error: 'invalid_request' },
  'another grant_type': { form: { grant_type: 'password', ...inBody }, error: 'unsupported_grant_type' },
  'a scope that does not exist': { form: { ...grant, ...inBody, scope: 'dataset:reed' }, error: 'invalid_scope' },
  'no credentials': { form: grant, status: 401, error: 'invalid_client' },
  'a client without a secret': { form: { ...grant, client_id: root.clientId }, status: 401, error: 'invalid_client' },
  'a wrong secret': { form: { ...grant, ...inBody, client_secret: 'wrong' }, status: 401, error: 'invalid_client' },
  'an unknown client': { form: { ...grant, ...inBody, client_id: 'nobody' }, status: 401, error: 'invalid_client' },
  'a wrong secret as Basic': {
    form: grant,
    headers: { authorization: plainBasic(root.clientId, 'wrong') },
    status: 401,
    error: 'invalid_client',
  },
  'an Authorization header that is no Basic': {
    form: grant,
    headers: { authorization: 'Bearer abc' },
    status: 401,
    error: 'invalid_client',
  },
  'credentials as Basic and in the body': {
    form: { ...grant, ...inBody },
    headers: { authorization: basic(root) },
    error: 'invalid_request',
  },
  'a parameter that is given twice': {
    form: `${new URLSearchParams({ ...grant, ...inBody })}&grant_type=client_credentials`,
    error: 'invalid_request',
  },
  'a content type that is no form': { form: '<a/>', headers: { 'content-type': 'text/xml' }, error: 'invalid_request' },
  'a multipart form without its boundaries': {
    form: 'nothing of the kind',
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
    error: 'invalid_request',
  },
}

/** `POST /oauth/token` (RFC 6749). */
export function tokenEndpointCases(given: Given): void {
  for (const [way, sent] of Object.entries(ways)) {
    given(`gives a token for ${way}`, async ({ call }) => {
      const { status, headers, body } = await call<Token>('POST', path, { token: null, ...sent })
      expect({ status, body }).toMatchObject({ status: 200, body: { token_type: 'Bearer', expires_in: 11_520 * 60 } })
      expect([headers.get('cache-control'), headers.get('pragma')]).toEqual(['no-store', 'no-cache'])
      expect((await call('GET', '/api/v1/connection', { token: body.access_token })).status).toBe(200)
    })
  }

  given('takes credentials in Basic that were not encoded as in a form', async ({ call, client }) => {
    const { clientId, clientSecret } = await client('dataset:read')
    const headers = { authorization: plainBasic(clientId, clientSecret) }
    const { status, body } = await call('POST', path, { headers, body: new URLSearchParams(grant) })
    expect({ status, body }).toMatchObject({ status: 200, body: { scope: 'dataset:read' } })
  })

  given('takes a root secret with percent and plus signs in Basic that were not encoded', async ({ call }) => {
    const headers = { authorization: plainBasic(encodeURIComponent(root.clientId), root.clientSecret) }
    expect((await call('POST', path, { headers, body: new URLSearchParams(grant) })).status).toBe(200)
  })

  for (const [fault, { form, status = 400, error, headers = {} }] of Object.entries(refusals)) {
    given(`refuses ${fault} with ${status} ${error}`, async ({ call }) => {
      const isText = typeof form === 'string'
      const type = { 'content-type': 'application/x-www-form-urlencoded' }
      const answer = await call('POST', path, {
        token: null,
        headers: { ...(isText && type), ...headers },
        body: isText ? form : new URLSearchParams(form),
      })
      expect(answer).toMatchObject({ status, body: { error, error_description: expect.any(String) } })
      expect(answer.headers.get('cache-control')).toBe('no-store')
      const challenge = answer.headers.get('www-authenticate')
      expect(challenge).toEqual(status === 401 ? expect.stringMatching(/^Basic realm=/) : null)
    })
  }

  given('an empty body lacks its credentials', async ({ call }) => {
    const { status, body } = await call('POST', path, { token: null })
    expect({ status, body }).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
  })

  given('scope narrows the token, and a client cannot ask for more than it has', async ({ call, client }) => {
    const own = await client('dataset:read', 'policy:read', 'client:create')
    const ask = (scope: string) =>
      call<Token>('POST', path, {
        headers: { authorization: basic(own) },
        body: new URLSearchParams({ ...grant, scope }),
      })
    expect((await ask('policy:read dataset:read')).body.scope).toBe('dataset:read policy:read')
    expect((await ask('  ')).body.scope).toBe('client:create dataset:read policy:read')
    expect((await ask('CLIENT_CREATE')).body.scope).toBe('client:create')
    const { status, body } = await ask('dataset:read connection:read')
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { error: 'invalid_scope', error_description: expect.stringContaining('connection:read') },
    })
  })

  given('names the scopes that do not exist, and nothing that may be a secret', async ({ call, client }) => {
    const own = await client('dataset:read')
    const scope = `dataset:read dataset:reed policy:wread ${'a1b2'.repeat(10)}`
    const body = new URLSearchParams({ ...grant, scope })
    const answer = await call<{ error_description: string }>('POST', path, {
      headers: { authorization: basic(own) },
      body,
    })
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_scope' } })
    const { error_description: said } = answer.body
    expect(said).toMatch(/ No scope is called 'dataset:reed', 'policy:wread'\.$/)
    expect(said).not.toContain('a1b2')
  })

  given('counts failures of a client, and never a success', async ({ call, runtime }) => {
    const ask = (clientSecret: string) =>
      call('POST', path, {
        headers: { authorization: basic({ ...root, clientSecret }) },
        body: new URLSearchParams(grant),
      })
    for (let count = 0; count < 30; count++) expect((await ask('wrong')).status).toBe(401)
    const refused = await ask('wrong')
    expect(refused).toMatchObject({ status: 429, body: { error: expect.any(String) } })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await ask(root.clientSecret)).status).toBe(200)
    runtime.advance(60_000)
    expect((await ask('wrong')).status).toBe(401)
  })

  given('RFC 8414 the metadata leads to the endpoints below the mount', async ({ call, baseUrl }) => {
    const { status, body } = await call<Record<string, unknown>>('GET', '/.well-known/oauth-authorization-server', {
      token: null,
    })
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { issuer: baseUrl, token_endpoint: `${baseUrl}${path}`, grant_types_supported: ['client_credentials'] },
    })
    for (const name of ['token', 'revocation', 'introspection']) {
      const address = body[`${name}_endpoint`] as string
      expect(Object.keys(endpoints)).toContain(`POST ${address.slice(baseUrl.length)}`)
    }
    expect(body.scopes_supported).toContain('CLIENT_CREATE')
  })
}
