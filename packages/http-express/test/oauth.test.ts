import express from 'express'
import * as oauth from 'oauth4webapi'
import { ClientCredentials } from 'simple-oauth2'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openWorld, type World } from '../../http/test/contract/world.js'
import { hostApp, listening } from './express-skin.js'

const root = { clientId: 'root', clientSecret: 'a:root/secret+with%20signs & blanks, "quoted" = ~' }
// The server of a test speaks plain HTTP, as one behind a proxy does.
const insecure = { [oauth.allowInsecureRequests]: true }

interface Client {
  readonly clientId: string
  readonly clientSecret: string
}

let world: World
let server: Awaited<ReturnType<typeof listening>>
let clients: Readonly<Record<'root' | 'client', Client>>

beforeAll(async () => {
  const { clientId, clientSecret } = root
  world = await openWorld({ security: { oauthRootClientId: clientId, oauthRootClientSecret: clientSecret } })
  server = await listening(hostApp(world.privacy, { express }))
  clients = { root, client: await world.privacy.clients.create(['dataset:read', 'policy:read']) }
})
afterAll(async () => {
  await server.close()
  await world.privacy.close()
})

/** What a call with the token is answered. */
async function statusOf(token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` }
  return (await fetch(`${server.baseUrl}/api/v1/dataset`, { headers })).status
}

const who = ['root', 'client'] as const

describe('oauth4webapi, unmodified', () => {
  const discovered = async () => {
    const issuer = new URL(server.baseUrl)
    const response = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure })
    // An issuer without a path is a URL with a slash to the library, and none to the specification.
    const metadata = (await response.json()) as oauth.AuthorizationServer
    expect(metadata.issuer).toBe(server.baseUrl)
    return metadata
  }
  const methods = { Basic: oauth.ClientSecretBasic, body: oauth.ClientSecretPost }
  const ways = who.flatMap((name) => Object.entries(methods).map(([method, auth]) => [name, method, auth] as const))

  it.each(ways)(
    'gets a token for the %s by %s, uses it, looks into it and revokes it',
    async (name, _method, authBy) => {
      const as = await discovered()
      const { clientId, clientSecret } = clients[name]
      const [client, auth] = [{ client_id: clientId }, authBy(clientSecret)]
      const scope = new URLSearchParams({ scope: 'dataset:read' })
      const granted = await oauth.clientCredentialsGrantRequest(as, client, auth, scope, insecure)
      const token = await oauth.processClientCredentialsResponse(as, client, granted)
      expect(token).toMatchObject({ token_type: 'bearer', expires_in: 691_200, scope: 'dataset:read' })
      expect(await statusOf(token.access_token)).toBe(200)

      const looked = await oauth.introspectionRequest(as, client, auth, token.access_token, insecure)
      const worth = await oauth.processIntrospectionResponse(as, client, looked)
      expect(worth).toMatchObject({ active: true, client_id: clientId, scope: 'dataset:read' })

      const revoked = await oauth.revocationRequest(as, client, auth, token.access_token, insecure)
      await expect(oauth.processRevocationResponse(revoked)).resolves.toBeUndefined()
      expect(await statusOf(token.access_token)).toBe(401)
    },
  )

  it.each(Object.entries(methods))('understands how a wrong secret is refused, by %s', async (_method, authBy) => {
    const as = await discovered()
    const client = { client_id: 'root' }
    const response = await oauth.clientCredentialsGrantRequest(
      as,
      client,
      authBy('wrong'),
      new URLSearchParams(),
      insecure,
    )
    const error = await oauth.processClientCredentialsResponse(as, client, response).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(oauth.WWWAuthenticateChallengeError)
    expect(error).toMatchObject({ status: 401, cause: [{ scheme: 'basic' }] })
  })

  it('understands how a scope is refused', async () => {
    const as = await discovered()
    const { clientId, clientSecret } = clients.client
    const client = { client_id: clientId }
    const scope = new URLSearchParams({ scope: 'client:create' })
    const auth = oauth.ClientSecretPost(clientSecret)
    const response = await oauth.clientCredentialsGrantRequest(as, client, auth, scope, insecure)
    const error = await oauth.processClientCredentialsResponse(as, client, response).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      status: 400,
      error: 'invalid_scope',
      error_description: expect.stringContaining('client:create'),
    })
  })
})

describe('simple-oauth2, unmodified', () => {
  const options = {
    'Basic, encoded as in a form': { authorizationMethod: 'header', credentialsEncodingMode: 'strict' },
    'Basic, as it is': { authorizationMethod: 'header', credentialsEncodingMode: 'loose' },
    'a form': { authorizationMethod: 'body', bodyFormat: 'form' },
    JSON: { authorizationMethod: 'body', bodyFormat: 'json' },
  } as const
  const ways = who.flatMap((name) => Object.entries(options).map(([method, chosen]) => [name, method, chosen] as const))
  const flow = ({ clientId, clientSecret }: Client, chosen: (typeof options)[keyof typeof options]) => {
    const paths = { tokenPath: '/api/v1/oauth/token', revokePath: '/api/v1/oauth/revoke' }
    const auth = { tokenHost: server.baseUrl, ...paths }
    return new ClientCredentials({ client: { id: clientId, secret: clientSecret }, auth, options: chosen })
  }

  it.each(ways)('gets a token for the %s by %s, and revokes it', async (name, _method, chosen) => {
    const access = await flow(clients[name], chosen).getToken({ scope: ['dataset:read', 'policy:read'] })
    expect(access.token).toMatchObject({ token_type: 'Bearer', scope: 'dataset:read policy:read' })
    expect(access.expired()).toBe(false)
    const token = String(access.token['access_token'])
    expect(await statusOf(token)).toBe(200)
    await access.revoke('access_token')
    expect(await statusOf(token)).toBe(401)
  })

  it('understands how a wrong secret is refused', async () => {
    const asked = flow({ clientId: 'root', clientSecret: 'wrong' }, options['a form']).getToken({})
    await expect(asked).rejects.toMatchObject({ output: { statusCode: 401 } })
  })
})
