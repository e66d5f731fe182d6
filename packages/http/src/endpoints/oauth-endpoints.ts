import { PrivacyError } from '@habeas/core'
import * as z from 'zod'
import { fromWire, withBody } from '../body-input.js'
import { answered, endpoint } from '../endpoint.js'
import type { EndpointCaller } from '../endpoint-caller.js'
import { namingScopes } from '../naming-scopes.js'
import { searchAndPaging } from '../parameters.js'
import { readClientForm, refusedParameter } from '../read-client-form.js'
import { listOf, mapped, pageOf, zodSchema } from '../schema.js'
import {
  clientInput,
  clientNames,
  clientRecord,
  clientScopesInput,
  clientToWire,
  credentialsRecord,
  credentialsToWire,
} from '../wire/client-record.js'

/** For clients that do not send their credentials as HTTP Basic. */
const credentials = { client_id: z.string().optional(), client_secret: z.string().optional() }

const tokenForm = zodSchema(
  z.object({
    grant_type: z.literal('client_credentials'),
    ...credentials,
    scope: z.string().optional(),
  }),
  { name: 'TokenRequest', io: 'input' },
)
const clientToken = zodSchema(
  z.object({
    token: z.string(),
    token_type_hint: z.string().optional(),
    ...credentials,
  }),
  { name: 'TokenReference', io: 'input' },
)
const token = zodSchema(
  z.object({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.int(),
    scope: z.string(),
  }),
  { name: 'Token' },
)
const introspection = zodSchema(
  z.object({
    active: z.boolean(),
    scope: z.string().optional(),
    client_id: z.string().optional(),
    sub: z.string().optional(),
    token_type: z.literal('Bearer').optional(),
    jti: z.string().optional(),
    iat: z.int().optional(),
    exp: z.int().optional(),
  }),
  { name: 'Introspection' },
)
const metadata = zodSchema(
  z.object({
    issuer: z.string(),
    token_endpoint: z.string(),
    revocation_endpoint: z.string(),
    introspection_endpoint: z.string(),
    grant_types_supported: z.array(z.string()),
    response_types_supported: z.array(z.string()),
    token_endpoint_auth_methods_supported: z.array(z.string()),
    revocation_endpoint_auth_methods_supported: z.array(z.string()),
    introspection_endpoint_auth_methods_supported: z.array(z.string()),
    scopes_supported: z.array(z.string()),
    service_documentation: z.string(),
  }),
  { name: 'AuthorizationServer' },
)
const scopeList = listOf(zodSchema(z.string()))

const form = { types: ['form', 'json'], raw: true } as const
const notKept = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', pragma: 'no-cache' }

const scopes = (summary: string) =>
  endpoint({
    summary,
    access: ['scope:read'],
    result: scopeList,
    action: async ({ privacy }) => [...privacy.scopes],
  })

/** Authentication: clients, tokens and scopes. */
export const oauthEndpoints = {
  'POST /api/v1/oauth/token': endpoint({
    summary: 'Get an access token for a client',
    access: 'open',
    body: { schema: tokenForm, ...form },
    result: token,
    errors: 'oauth',
    async action({ privacy, http, limit }) {
      const { credentials, need, get } = await readClientForm(http, limit)
      if (need('grant_type') !== 'client_credentials') {
        throw refusedParameter('grant_type', 'must be client_credentials', 'unsupported_grant_type')
      }
      const scope = get('scope')
      const { accessToken, expiresIn, scopes } = await namingScopes(scope, () =>
        privacy.tokens.issue(credentials, { scope }),
      )
      const body = { access_token: accessToken, token_type: 'Bearer', expires_in: expiresIn, scope: scopes.join(' ') }
      return answered({ status: 200, headers: notKept, body: JSON.stringify(body) })
    },
  }),

  'POST /api/v1/oauth/revoke': endpoint({
    summary: 'Revoke an access token (RFC 7009)',
    access: 'client credentials',
    body: { schema: clientToken, ...form },
    // RFC 7009 has no use for a body, but some clients read every answer as JSON.
    result: zodSchema(z.object({})),
    errors: 'oauth',
    async action({ privacy, http, limit }) {
      const { credentials, need } = await readClientForm(http, limit)
      await privacy.tokens.revoke(need('token'), credentials)
      return {}
    },
  }),

  'POST /api/v1/oauth/introspect': endpoint({
    summary: 'Ask what an access token is worth (RFC 7662)',
    access: 'client credentials',
    body: { schema: clientToken, ...form },
    result: introspection,
    errors: 'oauth',
    async action({ privacy, http, limit }) {
      const { credentials, need } = await readClientForm(http, limit)
      const found = await privacy.tokens.introspect(need('token'), credentials)
      if (!found) return { active: false }
      return {
        active: true,
        scope: found.scopes.join(' '),
        client_id: found.clientId,
        sub: found.clientId,
        token_type: 'Bearer' as const,
        jti: found.tokenId,
        iat: Math.floor(found.issuedAt),
        exp: Math.floor(found.expiresAt),
      }
    },
  }),

  'GET /.well-known/oauth-authorization-server': endpoint({
    summary: 'Metadata of the authorization server (RFC 8414)',
    access: 'open',
    result: metadata,
    async action({ privacy, http: { baseUrl } }) {
      const methods = ['client_secret_basic', 'client_secret_post']
      return {
        issuer: baseUrl,
        token_endpoint: `${baseUrl}/api/v1/oauth/token`,
        revocation_endpoint: `${baseUrl}/api/v1/oauth/revoke`,
        introspection_endpoint: `${baseUrl}/api/v1/oauth/introspect`,
        grant_types_supported: ['client_credentials'],
        response_types_supported: [],
        token_endpoint_auth_methods_supported: methods,
        revocation_endpoint_auth_methods_supported: methods,
        introspection_endpoint_auth_methods_supported: methods,
        scopes_supported: [...privacy.scopes],
        service_documentation: `${baseUrl}/api/v1/docs`,
      }
    },
  }),

  'GET /api/v1/oauth/scope': scopes('List the scopes'),
  'GET /api/v1/oauth/scopes': scopes('List the scopes, under the name of the specification'),

  'POST /api/v1/oauth/client': endpoint({
    summary: 'Create a client; its secret is shown only here',
    access: ['client:create'],
    body: { schema: clientInput, optional: true },
    status: 201,
    result: credentialsRecord,
    async action({ privacy, body = [], caller }) {
      const create = (input: never) => privacy.clients.create(input, grantor(caller))
      const input = fromWire(body, clientNames)
      return credentialsToWire(await namingScopes(body, () => withBody('client', input, create)))
    },
  }),

  'GET /api/v1/oauth/client': endpoint({
    summary: 'List the clients',
    access: ['client:read'],
    query: searchAndPaging,
    result: pageOf(clientRecord),
    action: async ({ privacy, query }) => mapped(await privacy.clients.list(query), (client) => clientToWire(client)),
  }),

  'GET /api/v1/oauth/client/{client_id}': endpoint({
    summary: 'Read a client',
    access: ['client:read'],
    result: clientRecord,
    action: async ({ privacy, path }) => clientToWire(await privacy.clients.get(path.client_id)),
  }),

  'DELETE /api/v1/oauth/client/{client_id}': endpoint({
    summary: 'Delete a client; its tokens end at once',
    access: ['client:delete'],
    action: ({ privacy, path, by }) => privacy.clients.remove(path.client_id, by),
  }),

  'GET /api/v1/oauth/client/{client_id}/scope': endpoint({
    summary: 'Read the scopes of a client',
    access: ['client:read'],
    result: scopeList,
    action: async ({ privacy, path }) => [...(await privacy.clients.get(path.client_id)).scopes],
  }),

  'PUT /api/v1/oauth/client/{client_id}/scope': endpoint({
    summary: 'Replace the scopes of a client',
    access: ['client:update'],
    body: { schema: clientScopesInput },
    result: clientRecord,
    async action({ privacy, path, body, caller }) {
      const change = (input: never) => privacy.clients.setScopes(path.client_id, input, grantor(caller))
      const input = fromWire(body, clientNames)
      return clientToWire(await namingScopes(body, () => withBody('list of scopes', input, change)))
    },
  }),

  'POST /api/v1/oauth/client/{client_id}/secret': endpoint({
    summary: 'Give a client a new secret; the old one and its tokens end',
    access: ['client:update'],
    result: credentialsRecord,
    status: 200,
    action: async ({ privacy, path, caller }) =>
      credentialsToWire(await privacy.clients.rotateSecret(path.client_id, grantor(caller))),
  }),
}

/** Only clients have a list of the scopes that they may hand out. */
function grantor(caller: EndpointCaller | undefined): { readonly caller: string } {
  if (caller?.clientId !== undefined) return { caller: caller.clientId }
  const message = 'A login of the application cannot hand out scopes: use an access token of a client that may.'
  throw new PrivacyError('forbidden', message, { reason: 'no_client' })
}
