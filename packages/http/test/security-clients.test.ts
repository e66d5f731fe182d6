import { describe, expect, it } from 'vitest'
import { type Call, forbidden, make, openForEachTest, send, tokenOf, world } from './attack/client-world.js'
import { root } from './attack/world.js'

openForEachTest()

describe('failures are limited', () => {
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

  it('are limited by address, whatever ids are made up, and whichever endpoint is asked', async () => {
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

  it('a missing secret and a malformed header do not count as attempts', async () => {
    for (let count = 0; count < 40; count++) {
      expect(
        (await send('POST', '/oauth/token', { form: { grant_type: 'client_credentials', client_id: world.client.id } }))
          .status,
      ).toBe(401)
      expect((await send('POST', '/oauth/token', { form: {}, headers: { authorization: 'Basic !' } })).status).toBe(401)
    }
    expect((await attempt('wrong')).status).toBe(401)
  })

  it('answers do not show whether a client exists', async () => {
    const texts = new Set<string>()
    for (const id of [world.client.id, root.id, 'f'.repeat(32), 'nobody', '__proto__', 'a b']) {
      const { status, answer, headers } = await attempt('wrong', { id })
      texts.add(JSON.stringify([status, answer, [...headers]]))
    }
    expect(texts.size).toBe(1)
  })
})

describe('nobody grants beyond its ceiling', () => {
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

describe('what happens to a client takes effect on the next call', () => {
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
