import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { basic, refusalFault, targets } from './attack/calls.js'
import { type Call, make, openForEachTest, send, world } from './attack/client-world.js'
import { root } from './attack/world.js'

openForEachTest()

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

  it('are not described without a right secret, however it is sent', async () => {
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

describe('an invalid token', () => {
  it('is refused by every endpoint before anything else is checked', async () => {
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

  it('is not looked for in other places of a call', async () => {
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
