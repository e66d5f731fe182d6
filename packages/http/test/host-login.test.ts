import { isPrivacyError, type PrivacyService, scopes } from '@habeas/core'
import { type Authorized, createHttpHandler, type HttpHandlerOptions } from '@habeas/http'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { readmeExamples, runExample } from '../../../scripts/readme-examples.js'
import { openWorld, root, type WorldOptions } from './contract/world.js'

const opened: PrivacyService[] = []

afterEach(async () => {
  for (const privacy of opened.splice(0)) await privacy.close()
})

type Login = Authorized | (() => Authorized | Promise<Authorized>)

/** A service whose host says of every call with the cookie `session` what `login` is. */
async function served(login: Login, options: WorldOptions & Pick<HttpHandlerOptions, 'openIntake'> = {}) {
  const { openIntake = false, ...worldOptions } = options
  const world = await openWorld(worldOptions)
  opened.push(world.privacy)
  const errors: unknown[] = []
  const authorize = vi.fn((request: Request) => {
    if (request.headers.get('cookie') !== 'session=1') return undefined
    return typeof login === 'function' ? login() : login
  })
  const handler = createHttpHandler(world.privacy, { authorize, openIntake, onError: (error) => errors.push(error) })
  const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await handler(
      new Request(`http://service.example${path}`, {
        method,
        headers: { cookie: 'session=1', 'content-type': 'application/json', ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    )
    const text = await response.text()
    // biome-ignore lint/suspicious/noExplicitAny: answers of any endpoint
    const answered: any = text === '' ? undefined : JSON.parse(text)
    return { status: response.status, headers: response.headers, body: answered }
  }
  const tokenOf = async (...wanted: readonly string[]) => {
    const { clientId, clientSecret } = await world.privacy.clients.create(wanted)
    return (await world.privacy.tokens.issue({ clientId, clientSecret })).accessToken
  }
  return { ...world, call, tokenOf, authorize, errors }
}

const anonymous = { cookie: '' }
const submission = { policy_key: 'default_access_policy', identities: [{ email: 'ann@example.com' }] }

describe("a host's own login", () => {
  it.each([
    ['scopes', ['registry:read', 'registry:create']],
    ['scopes with a name', { scopes: ['registry:read', 'registry:create'], name: 'alice' }],
    ['scopes, later', async () => ['registry:read', 'registry:create']],
    [
      'an object without a prototype',
      Object.assign(Object.create(null), { scopes: ['registry:read', 'registry:create'] }),
    ],
  ] satisfies [string, Login][])('lets callers in with %s, for what these allow', async (_what, login) => {
    const { call } = await served(login)
    expect((await call('POST', '/api/v1/registry', { service_key: 'r' })).status).toBe(201)
    expect((await call('GET', '/api/v1/registry/r')).status).toBe(200)
    expect(await call('DELETE', '/api/v1/registry/r')).toMatchObject({
      status: 403,
      body: { code: 'forbidden', detail: expect.stringMatching(/^Your login lacks the scope 'registry:delete'/) },
    })
    expect((await call('GET', '/api/v1/registry', undefined, anonymous)).status).toBe(401)
  })

  it('takes the word CLIENT_CREATE for the scope that it means', async () => {
    const { call } = await served(['CLIENT_CREATE', 'client:read'])
    expect((await call('GET', '/api/v1/oauth/client')).status).toBe(200)
  })

  it('may permit nothing', async () => {
    const { call } = await served([])
    expect((await call('GET', '/api/v1/registry')).status).toBe(403)
    expect((await call('POST', '/api/v1/manifest', { registry: [] })).status).toBe(403)
  })

  it('leaves everybody else to access tokens', async () => {
    const { call, tokenOf } = await served(undefined)
    const authorization = `Bearer ${await tokenOf('registry:read')}`
    expect((await call('GET', '/api/v1/registry', undefined, { authorization })).status).toBe(200)
    expect((await call('GET', '/api/v1/policy', undefined, { authorization })).status).toBe(403)
    expect(await call('GET', '/api/v1/registry')).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })
  })

  it('is not asked for open endpoints, nor for paths and verbs that do not exist', async () => {
    const { call, authorize } = await served(() => {
      throw new Error('must not be asked')
    })
    const calls = [
      await call('GET', '/health'),
      await call('GET', '/api/v1/openapi.json'),
      await call('GET', '/api/v1/nothing'),
      await call('DELETE', '/api/v1/registry'),
      await call('POST', '/api/v1/oauth/introspect', {
        token: 'x',
        client_id: root.clientId,
        client_secret: root.clientSecret,
      }),
      await call('GET', '/api/v1/privacy-request/pri_1/download?token=x'),
    ]
    expect(calls.map(({ status }) => status)).toEqual([200, 200, 404, 405, 200, 410])
    expect(authorize).not.toHaveBeenCalled()
  })

  it('appears in the audit trail under a name that no client can have', async () => {
    const all = scopes.map(({ name }) => name)
    const names: Readonly<Record<string, Authorized>> = {
      'host:alice': { scopes: all, name: 'alice' },
      'host:root': { scopes: all, name: 'root' },
      'host:__proto__': { scopes: all, name: '__proto__' },
      host: { scopes: all },
    }
    for (const [actor, login] of Object.entries(names)) {
      const { call } = await served(login, { shop: true })
      const { body } = await call('POST', '/api/v1/privacy-request', submission)
      const { body: trail } = await call('GET', `/api/v1/privacy-request/${body.id}/audit`)
      expect(trail.items[0]).toMatchObject({ actor })
      await call('PATCH', '/api/v1/privacy-request/administrate/cancel', [body.id])
      const { body: later } = await call('GET', `/api/v1/privacy-request/${body.id}/audit`)
      expect(new Set(later.items.map((entry: { actor: string }) => entry.actor))).toEqual(new Set([actor]))
      const { body: hold } = await call('POST', '/api/v1/legal-hold', { identity: { email: 'a@b.c' }, reason: 'r' })
      expect(hold.created_by).toBe(actor)
    }
  })

  it('sees what scopes let it see of a request, also where anybody may submit one', async () => {
    const inbox = { send: async () => {} }
    const options: WorldOptions = {
      mailer: inbox as never,
      execution: { immediate: false, subjectIdentityVerificationRequired: true },
      shop: true,
    }
    const { call } = await served(['privacy-request:create'], { ...options, openIntake: true })
    const own = await call('POST', '/api/v1/privacy-request', { ...submission, requested_at: '2026-01-01' })
    expect(own).toMatchObject({ status: 201, body: { requested_at: '2026-01-01T00:00:00.000Z', warnings: [] } })
    const other = await call('POST', '/api/v1/privacy-request', submission, anonymous)
    expect(Object.keys(other.body)).toEqual(['id', 'privacy_request_id', 'status', 'created_at'])
    const customer = await served([], { ...options, openIntake: true })
    expect((await customer.call('POST', '/api/v1/privacy-request', submission)).status).toBe(403)
  })

  it('decides on requests that wait, and needs the scope for what is left out', async () => {
    const { call } = await served(['privacy-request:create', 'privacy-request:read'], { shop: true })
    const refused = await call('POST', '/api/v1/privacy-request', { ...submission, accept_undecided: true })
    expect(refused).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining("'privacy-request:review'") },
    })
    const { body } = await call('POST', '/api/v1/privacy-request', submission)
    expect((await call('POST', `/api/v1/privacy-request/${body.id}/resume`, {})).status).toBe(403)
    expect((await call('GET', `/api/v1/privacy-request/${body.id}?include_identities=true`)).status).toBe(403)
  })

  describe('attacks', () => {
    it.each([
      ['a scope that does not exist', ['registry:read', 'registry:everything'], "'registry:everything'"],
      ['a wildcard', ['*'], 'something'],
      ['the name of a prototype', ['__proto__'], "'__proto__'"],
      ['the name of its members', ['constructor'], "'constructor'"],
      ['scopes in one text', ['registry:read registry:create'], 'something'],
      ['another spelling', ['Registry:read'], "'Registry:read'"],
      ['no text', [['registry:read']], 'something'],
      ['a hole', new Array(1), 'something'],
    ])('%s among scopes is refused, and gives no right', async (_what, login, named) => {
      const { call, errors } = await served(login as Authorized)
      for (const path of ['/api/v1/registry', '/api/v1/policy']) {
        const { status, body } = await call('GET', path)
        expect(status).toBe(500)
        expect(JSON.stringify(body)).not.toMatch(/authorize|scope|everything/)
      }
      expect(errors).toHaveLength(2)
      expect(errors[0]).toSatisfy((error) => isPrivacyError(error, 'misconfigured'))
      expect(errors[0]).toMatchObject({ details: { option: 'authorize' }, message: expect.stringContaining(named) })
    })

    it.each([
      ['null', null],
      ['true', true],
      ['a text', 'registry:read'],
      ['an object without scopes', { name: 'alice' }],
      ['scopes in one text', { scopes: 'registry:read' }],
      ['a set', new Set(['registry:read'])],
      ['inherited scopes', Object.create({ scopes: ['registry:read'] })],
      [
        'an instance',
        new (class {
          scopes = ['registry:read']
        })(),
      ],
      ['an empty name', { scopes: ['registry:read'], name: '' }],
      ['a name of two lines', { scopes: ['registry:read'], name: 'a\nb' }],
      ['half a character as a name', { scopes: ['registry:read'], name: '\ud800' }],
      ['a long name', { scopes: ['registry:read'], name: 'a'.repeat(201) }],
      ['a name that is no text', { scopes: ['registry:read'], name: 1 }],
    ])('%s counts neither as a login nor as nobody', async (_what, login) => {
      const { call, errors, tokenOf } = await served(login as Authorized)
      const authorization = `Bearer ${await tokenOf('registry:read')}`
      expect((await call('GET', '/api/v1/registry')).status).toBe(500)
      expect((await call('GET', '/api/v1/registry', undefined, { authorization })).status).toBe(500)
      expect(errors).toHaveLength(2)
      for (const error of errors) expect(error).toSatisfy((each) => isPrivacyError(each, 'misconfigured'))
    })

    it('inherited members of scopes do not count', async () => {
      Object.defineProperty(Object.prototype, 'scopes', { value: ['registry:read'], configurable: true })
      try {
        const { call } = await served({ name: 'alice' } as never)
        expect((await call('GET', '/api/v1/registry')).status).toBe(500)
      } finally {
        Reflect.deleteProperty(Object.prototype, 'scopes')
      }
    })

    it('what the host changes afterwards changes nothing', async () => {
      const login = ['registry:read']
      const { call } = await served(() => {
        queueMicrotask(() => login.push('registry:create'))
        return [...login]
      })
      expect((await call('POST', '/api/v1/registry', { service_key: 'r' })).status).toBe(403)
    })

    it.each([
      ['an error', new Error('pa55word')],
      ['an error of the service', Object.assign(new Error('pa55word'), { status: 204, code: 'unauthenticated' })],
      ['no error', 'pa55word'],
    ])('%s that the host throws is 500 and says nothing', async (_what, thrown) => {
      const { call, errors, tokenOf } = await served(() => Promise.reject(thrown))
      const authorization = `Bearer ${await tokenOf('registry:read')}`
      for (const headers of [{}, { authorization }] as Record<string, string>[]) {
        const { status, body } = await call('GET', '/api/v1/registry', undefined, headers)
        expect([status, body.code]).toEqual([500, 'internal'])
        expect(JSON.stringify(body)).not.toContain('pa55word')
      }
      expect(errors).toHaveLength(2)
      expect(errors[0]).toMatchObject({ code: 'internal', cause: thrown })
    })

    it('a bad token beside a login is ignored, and rights do not add up', async () => {
      const { call, tokenOf } = await served(['registry:read'])
      const revoked = await tokenOf('policy:read')
      for (const token of ['x.y.z', '__proto__', revoked, await tokenOf('policy:read')]) {
        const authorization = `Bearer ${token}`
        expect((await call('GET', '/api/v1/registry', undefined, { authorization })).status).toBe(200)
        expect((await call('GET', '/api/v1/policy', undefined, { authorization })).status).toBe(403)
        expect(
          (await call('GET', '/api/v1/policy', undefined, { authorization: 'Bearer x', ...anonymous })).status,
        ).toBe(401)
      }
    })

    it('nobody gets more through clients: logins hand out no scopes', async () => {
      const { call, privacy } = await served({ scopes: scopes.map(({ name }) => name), name: root.clientId })
      const { clientId } = await privacy.clients.create(['policy:read'])
      const path = `/api/v1/oauth/client/${clientId}`
      const refused = [
        await call('POST', '/api/v1/oauth/client', ['policy:read']),
        await call('PUT', `${path}/scope`, ['policy:read', 'dataset:read']),
        await call('POST', `${path}/secret`),
      ]
      for (const { status, body } of refused) {
        expect(status).toBe(403)
        expect(body.detail).toContain('cannot hand out scopes')
      }
      expect((await privacy.clients.list()).total).toBe(1)
      expect((await privacy.clients.get(clientId)).scopes).toEqual(['policy:read'])
      expect((await call('GET', path)).status).toBe(200)
      expect((await call('DELETE', path)).status).toBe(204)
    })
  })

  it('reports to the operator what is wrong with it, and not what it has thrown', async () => {
    const { privacy } = await openWorld()
    opened.push(privacy)
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const request = () => new Request('http://service.example/api/v1/registry')
    try {
      await createHttpHandler(privacy, { authorize: () => ['registry:reed'] })(request())
      await createHttpHandler(privacy, { authorize: () => Promise.reject(new Error('pa55word')) })(request())
      const [wrong, thrown] = write.mock.calls.map(([text]) => String(text))
      expect(wrong).toMatch(/^habeas: PrivacyError while answering over HTTP: Option 'authorize' .*'registry:reed'/)
      expect(thrown).toMatch(/^habeas: Error while answering over HTTP\n\s+at /)
      expect(thrown).not.toContain('pa55word')
    } finally {
      write.mockRestore()
    }
  })

  it('works as the README shows, and takes nothing from pages of other sites', async () => {
    const { privacy } = await openWorld()
    opened.push(privacy)
    const [, example = ''] = await readmeExamples(new URL('../README.md', import.meta.url))
    const handlers: ReturnType<typeof createHttpHandler>[] = []
    const sessions = { userOf: async (cookie: string | null) => cookie && { id: 'alice', scopes: ['registry:create'] } }
    await runExample(`${example}\nhandlers.push(handler)`, { createHttpHandler, privacy, sessions, handlers })
    const statusOf = async (headers: Record<string, string>) => {
      const init = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json', ...headers } }
      return (await handlers[0]?.(new Request('http://service.example/privacy/api/v1/registry', init)))?.status
    }
    expect(await statusOf({ cookie: 'a=1' })).toBe(422)
    expect(await statusOf({ cookie: 'a=1', 'sec-fetch-site': 'same-origin' })).toBe(422)
    expect(await statusOf({ cookie: 'a=1', 'sec-fetch-site': 'cross-site' })).toBe(401)
    expect(await statusOf({ cookie: 'a=1', 'sec-fetch-site': 'same-site' })).toBe(401)
    expect(await statusOf({})).toBe(401)
  })
})
