import { expect } from 'vitest'
import type { Given } from './given.js'

const path = '/api/v1/oauth/client'
const credentials = {
  client_id: expect.stringMatching(/^[0-9a-f]{32}$/),
  client_secret: expect.stringMatching(/^.{43,}$/),
}

interface Credentials {
  readonly client_id: string
  readonly client_secret: string
}

/** Clients, their scopes and what they may hand out. */
export function clientCases(given: Given): void {
  const inputs: Readonly<Record<string, { readonly body?: unknown; readonly scopes: readonly string[] }>> = {
    'a bare list of scopes': { body: ['policy:read', 'dataset:read'], scopes: ['dataset:read', 'policy:read'] },
    'an object with scopes': { body: { scopes: ['dataset:read'], name: 'Reader' }, scopes: ['dataset:read'] },
    'the word CLIENT_CREATE': { body: ['CLIENT_CREATE'], scopes: ['client:create'] },
    'a scope that is named twice': { body: ['scope:read', 'scope:read'], scopes: ['scope:read'] },
    'a scope without an endpoint': { body: ['saas_config:read'], scopes: ['saas_config:read'] },
    'an empty list': { body: [], scopes: [] },
    'no body': { scopes: [] },
  }
  for (const [what, { body: input, scopes }] of Object.entries(inputs)) {
    given(`creates a client from ${what}`, async ({ call }) => {
      const created = await call<Credentials>('POST', path, { body: input })
      expect(created).toMatchObject({ status: 201, body: credentials })
      const { body } = await call('GET', `${path}/${created.body.client_id}`)
      expect(body).toMatchObject({ client_id: created.body.client_id, scopes })
      expect(body).not.toHaveProperty('client_secret')
      expect((await call('GET', `${path}/${created.body.client_id}/scope`)).body).toEqual(scopes)
    })
  }

  const faults: Readonly<Record<string, { readonly body: unknown; readonly errors: readonly object[] }>> = {
    'scopes that do not exist': {
      body: { scopes: ['dataset:read', 'dataset:reed', 'dataset:wread'] },
      errors: [{ loc: ['body', 'scopes', 1] }, { loc: ['body', 'scopes', 2] }],
    },
    'a scope that does not exist in a bare list': { body: ['x'], errors: [{ loc: ['body', 0] }] },
    'an unknown member': { body: { scope: [] }, errors: [{ loc: ['body', 'scope'], type: 'unknown_member' }] },
    'a name of the model': {
      body: { grantableScopes: [] },
      errors: [
        {
          loc: ['body', 'grantableScopes'],
          type: 'unknown_member',
          msg: "is not known here: the nearest known name is 'grantable_scopes'",
        },
      ],
    },
    'what is no list': {
      body: { scopes: 'dataset:read' },
      errors: [{ loc: ['body', 'scopes'], type: 'invalid_type' }],
    },
    'bad grantable scopes': { body: { grantable_scopes: ['x'] }, errors: [{ loc: ['body', 'grantable_scopes', 0] }] },
  }
  for (const [what, { body, errors }] of Object.entries(faults)) {
    given(`refuses ${what}, naming the place`, async ({ call }) => {
      expect(await call('POST', path, { body })).toMatchObject({ status: 422, body: { code: 'invalid_input', errors } })
    })
  }

  given('names the scopes that do not exist', async ({ call, client }) => {
    const { clientId } = await client('dataset:read')
    const detail = expect.stringMatching(/ No scope is called 'dataset:reed', 'x'\.$/)
    const body = { scopes: ['dataset:read', 'dataset:reed'], grantable_scopes: ['x'] }
    for (const [verb, where] of [['POST', path] as const, ['PUT', `${path}/${clientId}/scope`] as const]) {
      expect(await call(verb, where, { body })).toMatchObject({ status: 422, body: { detail } })
    }
  })

  given('lists clients a page at a time and finds them by name', async ({ call }) => {
    for (const name of ['Alpha', 'Beta', 'Alphabet']) await call('POST', path, { body: { name, scopes: [] } })
    expect((await call('GET', `${path}?size=2`)).body).toMatchObject({ total: 3, page: 1, size: 2, pages: 2 })
    const { body } = await call<{ items: { name: string }[] }>('GET', `${path}?search=alpha`)
    expect(body.items.map(({ name }) => name).sort()).toEqual(['Alpha', 'Alphabet'])
  })

  given('an unknown client is not found by any call', async ({ call }) => {
    const none = `${path}/${'0'.repeat(32)}`
    const asked = [
      await call('GET', none),
      await call('DELETE', none),
      await call('GET', `${none}/scope`),
      await call('PUT', `${none}/scope`, { body: [] }),
      await call('POST', `${none}/secret`),
    ]
    expect(asked.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404])
  })

  given('replaces the scopes of a client', async ({ call, client }) => {
    const { clientId } = await client('dataset:read')
    const scope = `${path}/${clientId}/scope`
    expect(await call('PUT', scope, { body: { scopes: ['policy:read'] } })).toMatchObject({
      status: 200,
      body: { client_id: clientId, scopes: ['policy:read'] },
    })
    expect(await call('PUT', scope, { body: ['x', 'policy:read'] })).toMatchObject({
      status: 422,
      body: { errors: [{ loc: ['body', 0] }] },
    })
    expect((await call('GET', scope)).body).toEqual(['policy:read'])
  })

  given('the root client is no row: nobody can read, change or delete it', async ({ call }) => {
    const rootPath = `${path}/${encodeURIComponent('root client:1')}`
    expect((await call('GET', rootPath)).status).toBe(404)
    expect((await call('DELETE', rootPath)).status).toBe(404)
    expect((await call('POST', `${rootPath}/secret`)).status).toBe(404)
  })

  given(
    'a client that root lets create clients may hand out all but power over clients',
    async ({ call, client, tokenOf }) => {
      const token = await tokenOf(await client('CLIENT_CREATE'))
      const made = await call<Credentials>('POST', path, { token, body: ['dataset:read', 'privacy-request:review'] })
      expect(made.status).toBe(201)
      const refused = await call('POST', path, { token, body: ['dataset:read', 'client:read'] })
      expect(refused).toMatchObject({
        status: 403,
        body: { code: 'forbidden', detail: expect.stringContaining("'client:read'") },
      })
      const { body } = await call('GET', `${path}/${made.body.client_id}`)
      expect(body).toMatchObject({
        created_by: expect.any(String),
        grantable_scopes: ['dataset:read', 'privacy-request:review'],
      })
    },
  )

  given('a client can hand out at most what root allows it', async ({ call, tokenOf }) => {
    const input = { scopes: ['client:create', 'client:update'], grantable_scopes: ['dataset:read'] }
    const { body } = await call<Credentials>('POST', path, { body: input })
    const token = await tokenOf({ clientId: body.client_id, clientSecret: body.client_secret })
    expect((await call('POST', path, { token, body: ['dataset:read'] })).status).toBe(201)
    expect((await call('POST', path, { token, body: ['policy:read'] })).status).toBe(403)
    const raised = await call('PUT', `${path}/${body.client_id}/scope`, {
      token,
      body: ['client:update', 'policy:read'],
    })
    expect(raised).toMatchObject({ status: 403, body: { detail: expect.stringContaining("'policy:read'") } })
  })

  given(
    'a client that may do more cannot be taken over by giving it a new secret',
    async ({ call, client, tokenOf }) => {
      const strong = await client('policy:create_or_update')
      const token = await tokenOf(await client('client:update'))
      const { status, body } = await call('POST', `${path}/${strong.clientId}/secret`, { token })
      expect({ status, body }).toMatchObject({ status: 403, body: { code: 'forbidden' } })
      await tokenOf(strong)
    },
  )

  given(
    'with grantOwnScopesOnly a client hands out its own scopes only',
    async ({ call, client, tokenOf }) => {
      const token = await tokenOf(await client('client:create', 'dataset:read'))
      expect((await call('POST', path, { token, body: ['dataset:read'] })).status).toBe(201)
      expect((await call('POST', path, { token, body: ['policy:read'] })).status).toBe(403)
    },
    { oauth: { grantOwnScopesOnly: true } },
  )

  given('every scope is listed under both paths', async ({ call }) => {
    const { body } = await call<string[]>('GET', '/api/v1/oauth/scope')
    expect((await call('GET', '/api/v1/oauth/scopes')).body).toEqual(body)
    expect(new Set(body).size).toBe(body.length)
    const some = ['CLIENT_CREATE', 'client:create', 'policy:create_or_update', 'data_use:update', 'registry:delete']
    const ours = ['privacy-request:create', 'privacy-request:download', 'evaluation:create', 'legal-hold:release']
    expect(body).toEqual(expect.arrayContaining([...some, ...ours, 'user:reset-password', 'saas_config:read']))
    // 49 of the ancestor, 7 times 4, 4 more, 2 more for evaluations, 3 for legal holds, and one other word.
    expect(body).toHaveLength(49 + 28 + 4 + 2 + 3 + 1)
  })
}
