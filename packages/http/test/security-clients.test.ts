import { createHmac } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { basic, refusalFault, targets } from './attack/calls.js'
import { type AttackedWorld, attackedWorld, root } from './attack/world.js'

let world: AttackedWorld
beforeEach(async () => {
  world = await attackedWorld()
})
afterEach(() => world.close())

interface Call {
  readonly token?: string
  readonly body?: unknown
  readonly form?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly address?: string
}

async function send(verb: string, path: string, { token, body, form, headers, address }: Call = {}) {
  const response = await world.call(`/api/v1${path}`, {
    method: verb,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(form && { body: new URLSearchParams(form).toString() }),
    ...(address !== undefined && { address }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, answer: text === '' ? undefined : JSON.parse(text) }
}

interface Made {
  readonly id: string
  readonly secret: string
  readonly token: string
}

const tokenOf = async (id: string, secret: string, scope?: string): Promise<string> => {
  const form = {
    grant_type: 'client_credentials',
    client_id: id,
    client_secret: secret,
    ...(scope !== undefined && { scope }),
  }
  return (await send('POST', '/oauth/token', { form })).answer.access_token
}

async function make(body: unknown, token = world.token): Promise<Made> {
  const { status, answer } = await send('POST', '/oauth/client', { token, body })
  expect(status).toBe(201)
  const { client_id: id, client_secret: secret } = answer
  return { id, secret, token: await tokenOf(id, secret) }
}

const forbidden = (scope: string) => ({
  status: 403,
  answer: { code: 'forbidden', status: 403, detail: expect.stringContaining(`'${scope}'`) },
})

describe('§2 failures are limited', () => {
  const attempt = (secret: string, more: Partial<Call> & { id?: string } = {}) =>
    send('POST', '/oauth/token', {
      form: { grant_type: 'client_credentials', client_id: more.id ?? world.client.id, client_secret: secret },
      ...more,
    })

  it('429 with Retry-After after 30 a minute, for failures only, until the minute is over', async () => {
    for (let count = 0; count < 30; count++) {
      const { status, headers, answer } = await attempt('wrong')
      expect([status, answer.error]).toEqual([401, 'invalid_client'])
      expect(headers.get('www-authenticate')).toMatch(/^Basic /)
    }
    world.runtime.advance(15_500)
    const limited = await attempt('wrong')
    expect([limited.status, limited.headers.get('retry-after'), limited.headers.get('cache-control')]).toEqual([
      429,
      '45',
      'no-store',
    ])
    expect(limited.answer).toMatchObject({ error: expect.any(String), error_description: expect.any(String) })
    expect((await attempt(world.client.secret)).status).toBe(200)
    expect((await attempt('wrong')).status).toBe(429)
    expect((await attempt('wrong', { id: root.id })).status).toBe(401)
    world.runtime.advance(44_500)
    expect((await attempt('wrong')).status).toBe(401)
  })

  it('by address, whatever ids are made up, and whichever endpoint is asked', async () => {
    const address = '192.0.2.7'
    const paths = ['/oauth/token', '/oauth/revoke', '/oauth/introspect']
    const guess = (count: number, from: string) =>
      send('POST', paths[count % 3] as string, {
        form: { grant_type: 'client_credentials', token: 'a', client_id: `made-up-${count}`, client_secret: 'w' },
        address: from,
      })
    for (let count = 0; count < 30; count++) expect((await guess(count, address)).status).toBe(401)
    for (let count = 30; count < 33; count++) expect((await guess(count, address)).status).toBe(429)
    expect((await guess(40, '192.0.2.8')).status).toBe(401)
    expect((await attempt(world.client.secret, { address })).status).toBe(200)
    // What the caller says of its address is not believed.
    expect((await attempt('wrong', { headers: { 'x-forwarded-for': '203.0.113.1' }, address })).status).toBe(429)
  })

  it('a missing secret and a malformed header are no attempts', async () => {
    for (let count = 0; count < 40; count++) {
      expect(
        (await send('POST', '/oauth/token', { form: { grant_type: 'client_credentials', client_id: world.client.id } }))
          .status,
      ).toBe(401)
      expect((await send('POST', '/oauth/token', { form: {}, headers: { authorization: 'Basic !' } })).status).toBe(401)
    }
    expect((await attempt('wrong')).status).toBe(401)
  })

  it('answers do not tell whether a client exists', async () => {
    const texts = new Set<string>()
    for (const id of [world.client.id, root.id, 'f'.repeat(32), 'nobody', '__proto__', 'a b']) {
      const { status, answer, headers } = await attempt('wrong', { id })
      texts.add(JSON.stringify([status, answer, [...headers]]))
    }
    expect(texts.size).toBe(1)
  })
})

describe('§2 nobody grants beyond its ceiling', () => {
  it('a client that creates clients makes none that does, and none stronger than it may', async () => {
    const creator = await make(['CLIENT_CREATE'])
    for (const scope of ['client:create', 'client:update', 'client:read', 'client:delete', 'CLIENT_CREATE']) {
      const named = scope === 'CLIENT_CREATE' ? 'client:create' : scope
      for (const body of [
        [scope],
        { scopes: [scope] },
        { grantable_scopes: [scope] },
        { scopes: ['policy:read', scope] },
      ]) {
        expect(await send('POST', '/oauth/client', { token: creator.token, body })).toMatchObject(forbidden(named))
      }
    }
    const child = await make(['policy:read'], creator.token)
    expect((await send('POST', '/oauth/client', { token: child.token, body: [] })).status).toBe(403)
    expect(await send('GET', `/oauth/client/${child.id}`, { token: world.token })).toMatchObject({
      answer: { created_by: creator.id, grantable_scopes: ['policy:read'] },
    })
  })

  it('a client that may change clients takes over no stronger one', async () => {
    const updater = await make(['client:update', 'policy:read'])
    const strong = await make(['policy:read', 'policy:delete'])
    const path = `/oauth/client/${strong.id}`
    expect(await send('POST', `${path}/secret`, { token: updater.token })).toMatchObject(forbidden('policy:delete'))
    expect((await send('GET', '/policy', { token: strong.token })).status).toBe(200)
    expect(await tokenOf(strong.id, strong.secret)).toEqual(expect.any(String))
    for (const body of [['user:create'], { scopes: [], grantable_scopes: ['user:create'] }]) {
      expect(await send('PUT', `${path}/scope`, { token: updater.token, body })).toMatchObject(forbidden('user:create'))
      expect(await send('PUT', `/oauth/client/${updater.id}/scope`, { token: updater.token, body })).toMatchObject(
        forbidden('user:create'),
      )
    }
    const weak = await make(['policy:read'])
    expect((await send('POST', `/oauth/client/${weak.id}/secret`, { token: updater.token })).status).toBe(200)
  })

  it('a token narrowed to less may not grant what needs more', async () => {
    const narrow = await tokenOf(root.id, root.secret, 'policy:read')
    for (const [verb, path] of [
      ['POST', '/oauth/client'],
      ['PUT', `/oauth/client/${world.client.id}/scope`],
      ['POST', `/oauth/client/${world.client.id}/secret`],
    ] as const) {
      expect((await send(verb, path, { token: narrow, ...(verb === 'PUT' && { body: [] }) })).status).toBe(403)
    }
  })

  it('the root client can be neither seen, changed, renewed nor deleted', async () => {
    const path = `/oauth/client/${root.id}`
    const calls = [
      ['GET', path],
      ['GET', `${path}/scope`],
      ['PUT', `${path}/scope`],
      ['POST', `${path}/secret`],
      ['DELETE', path],
    ] as const
    for (const [verb, at] of calls) {
      expect((await send(verb, at, { token: world.token, ...(verb === 'PUT' && { body: [] }) })).status).toBe(404)
    }
    expect((await send('GET', '/oauth/client', { token: world.token })).answer.items).toHaveLength(1)
    expect(await tokenOf(root.id, root.secret)).toEqual(expect.any(String))
  })

  it('every grant is in the audit trail', async () => {
    const creator = await make(['client:create'])
    const child = await make(['policy:read'], creator.token)
    await send('PUT', `/oauth/client/${child.id}/scope`, { token: world.token, body: [] })
    await send('POST', `/oauth/client/${child.id}/secret`, { token: world.token })
    await send('DELETE', `/oauth/client/${child.id}`, { token: world.token })
    const { items } = await world.privacy.audit.list({ subject: `client:${child.id}` })
    expect(items.map(({ actor, action }) => `${actor} ${action}`)).toEqual([
      `${creator.id} client_created`,
      'root client_scopes_changed',
      'root client_secret_rotated',
      'root client_deleted',
    ])
  })
})

describe('§2 what happens to a client takes effect on the next call', () => {
  it('narrowed scopes, a new secret, a deletion and a revocation', async () => {
    const reader = await make(['policy:read', 'dataset:read'])
    const get = (path: string, token: string) => send('GET', path, { token }).then(({ status }) => status)
    expect(await get('/policy', reader.token)).toBe(200)
    await send('PUT', `/oauth/client/${reader.id}/scope`, { token: world.token, body: ['dataset:read'] })
    expect([await get('/policy', reader.token), await get('/dataset', reader.token)]).toEqual([403, 200])
    const renewed = await send('POST', `/oauth/client/${reader.id}/secret`, { token: world.token })
    expect(await get('/dataset', reader.token)).toBe(401)
    const token = await tokenOf(reader.id, renewed.answer.client_secret)
    expect(await get('/dataset', token)).toBe(200)
    const credentials = { client_id: reader.id, client_secret: renewed.answer.client_secret }
    expect((await send('POST', '/oauth/revoke', { form: { token, ...credentials } })).status).toBe(200)
    expect(await get('/dataset', token)).toBe(401)
    const last = await tokenOf(reader.id, renewed.answer.client_secret)
    expect(await get('/dataset', last)).toBe(200)
    await send('DELETE', `/oauth/client/${reader.id}`, { token: world.token })
    expect(await get('/dataset', last)).toBe(401)
  })
})

describe("other clients' tokens", () => {
  it('are neither described to nor ended by a client that may not', async () => {
    const { id, secret } = await make(['policy:read', 'client:create'])
    const mine = { client_id: id, client_secret: secret }
    const theirs = world.client.token
    expect((await send('POST', '/oauth/introspect', { form: { token: theirs, ...mine } })).answer).toEqual({
      active: false,
    })
    const refused = await send('POST', '/oauth/revoke', { form: { token: theirs, ...mine } })
    expect([refused.status, refused.answer.error]).toEqual([400, 'unauthorized_client'])
    expect((await send('GET', '/policy', { token: theirs })).status).toBe(200)
    const asRoot = await send('POST', '/oauth/introspect', {
      form: { token: theirs },
      headers: { authorization: basic },
    })
    expect(asRoot.answer).toMatchObject({ active: true, client_id: world.client.id, scope: 'policy:read' })
  })

  it('and nothing is told of them without a right secret, by whatever way it comes', async () => {
    const token = world.client.token
    const wrong = Buffer.from(`${root.id}:wrong`).toString('base64')
    for (const path of ['/oauth/introspect', '/oauth/revoke']) {
      const calls: Call[] = [
        { form: { token } },
        { form: { token, client_id: root.id } },
        { form: { token, client_id: root.id, client_secret: '' } },
        { form: { token }, headers: { authorization: `Basic ${wrong}` } },
        { form: { token }, headers: { authorization: `Bearer ${world.token}` } },
        { form: { token }, headers: { authorization: 'Basic' } },
        { form: { token }, headers: { authorization: `Basic ${Buffer.from([0xff, 0x3a, 0xfe]).toString('base64')}` } },
        { body: { token, client_id: root.id, client_secret: 'wrong' } },
      ]
      for (const call of calls) {
        const { status, answer } = await send('POST', path, call)
        expect([status, answer.error]).toEqual([401, 'invalid_client'])
      }
    }
    expect((await send('GET', '/policy', { token })).status).toBe(200)
  })
})

describe('a token that is none', () => {
  it('is refused by every endpoint before anything else is looked at', async () => {
    const [header, payload, signature] = world.token.split('.') as [string, string, string]
    const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const text = `${header}.${payload}`
    const forged = [
      `${encoded({ alg: 'none' })}.${payload}.`,
      `${text}.${createHmac('sha256', 'guess').update(text).digest('base64url')}`,
      `${header}.${encoded({ sub: root.id, exp: 9e9 })}.${signature}`,
      `${text}.`,
      'a',
    ]
    for (const target of targets.filter(({ isOpen }) => !isOpen)) {
      const path = target.template.replaceAll(/\{.+?\}/g, 'anything')
      for (const token of forged) {
        const response = await world.call(path, {
          method: target.verb,
          headers: { authorization: `Bearer ${token}`, 'content-type': 'text/plain' },
          ...(target.verb !== 'GET' && { body: 'x' }),
        })
        expect([target.key, response.status]).toEqual([target.key, 401])
        expect(response.headers.get('www-authenticate')).toMatch(/^Bearer .*error="invalid_token"/)
        expect(await refusalFault(target, response)).toBeUndefined()
      }
    }
    expect(await world.changed()).toEqual([])
  })

  it('and one that comes by another way is not looked for', async () => {
    const elsewhere = [
      send('GET', `/policy?access_token=${world.token}`),
      send('GET', '/policy', { headers: { cookie: `access_token=${world.token}` } }),
      send('GET', '/policy', { headers: { 'x-access-token': world.token } }),
      send('GET', '/policy', { headers: { authorization: world.token } }),
      send('GET', '/policy', { headers: { authorization: `Token ${world.token}` } }),
      send('GET', '/policy', { headers: { authorization: `Bearer ${world.token}, Bearer x` } }),
      send('GET', '/policy', { headers: { authorization: basic } }),
    ]
    for (const { status } of await Promise.all(elsewhere)) expect(status).toBe(401)
  })
})
