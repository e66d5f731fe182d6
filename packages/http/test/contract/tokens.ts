import { expect } from 'vitest'
import type { Given } from './given.js'
import { basic, type Client, type Served } from './served.js'
import { root } from './world.js'

const form = (fields: Readonly<Record<string, string>>, client?: Client) => ({
  ...(client && { headers: { authorization: basic(client) } }),
  token: null,
  body: new URLSearchParams(fields),
})

const statusWith = async ({ call }: Served, token: string) => (await call('GET', '/api/v1/dataset', { token })).status

/** What a token opens, and how that ends (RFC 6750, 7009, 7662). */
export function tokenCases(given: Given): void {
  given('without a token 401, with a challenge and no error word', async ({ call }) => {
    for (const headers of [{}, { authorization: basic(root) }, { authorization: 'Bearer' }]) {
      const answer = await call('GET', '/api/v1/dataset', { token: null, headers })
      expect(answer).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })
      expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="habeas"')
    }
  })

  given('the scheme of the header may be written in any case', async ({ call, tokenWith }) => {
    const headers = { authorization: `bEARER ${await tokenWith('dataset:read')}` }
    expect((await call('GET', '/api/v1/dataset', { token: null, headers })).status).toBe(200)
  })

  given('an invalid token 401 invalid_token', async ({ call, tokenWith }) => {
    const [head, payload, signature] = (await tokenWith('dataset:read')).split('.')
    const more = Buffer.from(payload as string, 'base64url')
      .toString()
      .replace('dataset:read', 'policy:read')
    const forged = [head, Buffer.from(more).toString('base64url'), signature].join('.')
    for (const token of ['abc', 'a.b.c', forged]) {
      const answer = await call('GET', '/api/v1/policy', { token })
      expect(answer).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer realm="habeas", error="invalid_token"/)
    }
  })

  given('an expired token 401 token_expired', async (served) => {
    const token = await served.tokenWith('dataset:read')
    served.runtime.advance(11_520 * 60_000 - 1)
    expect(await statusWith(served, token)).toBe(200)
    served.runtime.advance(1)
    const answer = await served.call('GET', '/api/v1/dataset', { token })
    expect(answer).toMatchObject({ status: 401, body: { code: 'token_expired' } })
    expect(answer.headers.get('www-authenticate')).toContain('error="invalid_token"')
  })

  given(
    'OAUTH_ACCESS_TOKEN_EXPIRE_MINUTES sets the lifetime',
    async (served) => {
      const { body } = await served.call(
        'POST',
        '/api/v1/oauth/token',
        form({ grant_type: 'client_credentials' }, root),
      )
      expect(body).toMatchObject({ expires_in: 90 })
      const token = await served.tokenWith('dataset:read')
      served.runtime.advance(90_000)
      expect(await statusWith(served, token)).toBe(401)
    },
    { security: { oauthAccessTokenExpireMinutes: 1.5 } },
  )

  given('a missing scope 403 insufficient_scope, naming it', async ({ call, tokenWith }) => {
    const answer = await call('GET', '/api/v1/dataset', { token: await tokenWith('dataset:create_or_update') })
    expect(answer).toMatchObject({
      status: 403,
      body: { code: 'forbidden', detail: expect.stringContaining("'dataset:read'") },
    })
    const challenge = answer.headers.get('www-authenticate')
    expect(challenge).toContain('error="insufficient_scope"')
    expect(challenge).toContain('scope="dataset:read"')
  })

  given('PATCH needs both the scope to create and the one to update', async ({ call, tokenWith }) => {
    const token = await tokenWith('system:create')
    const { status, body } = await call('PATCH', '/api/v1/system', { token, body: {} })
    expect({ status, body }).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining("'system:update'") },
    })
  })

  given('RFC 7009 a revoked token ends with the next call, and only that one', async (served) => {
    const own = await served.client('dataset:read')
    const [token, other] = [await served.tokenOf(own), await served.tokenOf(own)]
    expect(await statusWith(served, token)).toBe(200)
    const answer = await served.call(
      'POST',
      '/api/v1/oauth/revoke',
      form({ token, token_type_hint: 'access_token' }, own),
    )
    expect(answer).toMatchObject({ status: 200, body: {} })
    expect(await statusWith(served, token)).toBe(401)
    expect(await statusWith(served, other)).toBe(200)
    const again = await served.call('POST', '/api/v1/oauth/revoke', form({ token }, own))
    expect(again.status).toBe(200)
  })

  given('RFC 7009 revokes with the credentials in the body, and ignores an invalid token', async (served) => {
    const { clientId, clientSecret } = await served.client('dataset:read')
    const inBody = { client_id: clientId, client_secret: clientSecret }
    const token = await served.tokenOf({ clientId, clientSecret })
    const revoke = (body: Record<string, string>) => served.call('POST', '/api/v1/oauth/revoke', form(body))
    expect((await revoke({ ...inBody, token: 'whatever' })).status).toBe(200)
    expect(await revoke(inBody)).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    expect(await revoke({ token })).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
    expect(await statusWith(served, token)).toBe(200)
    expect((await revoke({ ...inBody, token })).status).toBe(200)
    expect(await statusWith(served, token)).toBe(401)
  })

  given('a client cannot revoke the token of another, one that may change clients can', async (served) => {
    const [own, stranger] = [await served.client('dataset:read'), await served.client('dataset:read')]
    const token = await served.tokenOf(own)
    const refused = await served.call('POST', '/api/v1/oauth/revoke', form({ token }, stranger))
    expect(refused).toMatchObject({
      status: 400,
      body: { error: 'unauthorized_client', error_description: expect.stringContaining("'client:update'") },
    })
    expect(await statusWith(served, token)).toBe(200)
    expect((await served.call('POST', '/api/v1/oauth/revoke', form({ token }, root))).status).toBe(200)
    expect(await statusWith(served, token)).toBe(401)
  })

  given('RFC 7662 describes to a client its own token, and no other', async (served) => {
    const [own, stranger] = [await served.client('policy:read', 'dataset:read'), await served.client('dataset:read')]
    const token = await served.tokenOf(own)
    const ask = async (asked: string, client: Client) =>
      (await served.call('POST', '/api/v1/oauth/introspect', form({ token: asked }, client))).body
    const iat = served.runtime.now().getTime() / 1_000
    const worth = {
      active: true,
      token_type: 'Bearer',
      client_id: own.clientId,
      sub: own.clientId,
      scope: 'dataset:read policy:read',
      iat,
      exp: iat + 11_520 * 60,
      jti: expect.any(String),
    }
    expect(await ask(token, own)).toStrictEqual(worth)
    expect(await ask(token, root)).toStrictEqual(worth)
    expect(await ask(token, stranger)).toStrictEqual({ active: false })
    expect(await ask('no token', own)).toStrictEqual({ active: false })
    await served.call('POST', '/api/v1/oauth/revoke', form({ token }, own))
    expect(await ask(token, own)).toStrictEqual({ active: false })
  })

  given('narrowing the scopes of a client narrows its tokens with the next call', async (served) => {
    const own = await served.client('dataset:read', 'policy:read')
    const token = await served.tokenOf(own)
    expect(await statusWith(served, token)).toBe(200)
    await served.call('PUT', `/api/v1/oauth/client/${own.clientId}/scope`, { body: ['policy:read'] })
    expect(await served.call('GET', '/api/v1/dataset', { token })).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining("'dataset:read'") },
    })
    expect((await served.call('GET', '/api/v1/policy', { token })).status).toBe(200)
    await served.call('PUT', `/api/v1/oauth/client/${own.clientId}/scope`, { body: ['policy:read', 'system:read'] })
    expect((await served.call('GET', '/api/v1/system', { token })).status).toBe(403)
  })

  given('deleting a client ends its tokens with the next call', async (served) => {
    const own = await served.client('dataset:read')
    const token = await served.tokenOf(own)
    expect((await served.call('DELETE', `/api/v1/oauth/client/${own.clientId}`)).status).toBe(204)
    expect(await statusWith(served, token)).toBe(401)
  })

  given('a new secret ends the old one and the tokens issued for it', async (served) => {
    const own = await served.client('dataset:read')
    const token = await served.tokenOf(own)
    const { status, body } = await served.call<{ client_id: string; client_secret: string }>(
      'POST',
      `/api/v1/oauth/client/${own.clientId}/secret`,
    )
    expect({ status, body }).toMatchObject({ status: 200, body: { client_id: own.clientId } })
    expect(await statusWith(served, token)).toBe(401)
    const asked = await served.call('POST', '/api/v1/oauth/token', form({ grant_type: 'client_credentials' }, own))
    expect(asked.status).toBe(401)
    const renewed = await served.tokenOf({ clientId: own.clientId, clientSecret: body.client_secret })
    expect(await statusWith(served, renewed)).toBe(200)
  })
}
