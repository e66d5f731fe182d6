import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { encoded, malformed, minute, payloadOf, refusal, root, setUp } from '../../../test/fixtures/token-service.js'
import { memoryStorage } from '../../builtin/memory-storage.js'
import { scopes } from '../../model/scopes.js'
import { serviceKeys } from '../service-keys.js'
import { tokenActions } from './token-actions.js'

describe('issuing', () => {
  test('a token names client, scopes, start and end', async () => {
    const { tokens, client } = setUp()
    const one = await client('policy:read', 'dataset:read')
    const { accessToken, expiresIn, scopes: granted } = await tokens.issue(one)
    expect(granted).toEqual(['dataset:read', 'policy:read'])
    expect(expiresIn).toBe(600)
    const described = await tokens.verify(accessToken)
    expect(described).toMatchObject({ clientId: one.clientId, isRoot: false, scopes: granted })
    expect(described.expiresAt - described.issuedAt).toBe(600)
    expect(Object.keys(payloadOf(accessToken)).sort()).toEqual(['exp', 'iat', 'jti', 'mark', 'scope', 'sub'])
    expect((await tokens.verify((await tokens.issue(one)).accessToken)).tokenId).not.toBe(described.tokenId)
  })

  test('the root client has every scope', async () => {
    const { tokens } = setUp()
    const { accessToken } = await tokens.issue(root)
    expect(await tokens.verify(accessToken)).toMatchObject({ isRoot: true, scopes: scopes.map(({ name }) => name) })
  })

  test('scope narrows the token, and never widens it', async () => {
    const { tokens, client } = setUp()
    const one = await client('policy:read', 'client:create')
    for (const [scope, given] of [
      ['policy:read', ['policy:read']],
      [' CLIENT_CREATE  client:create ', ['client:create']],
      ['', ['client:create', 'policy:read']],
      ['   ', ['client:create', 'policy:read']],
    ] as const) {
      const { accessToken, scopes: granted } = await tokens.issue(one, { scope })
      expect(granted).toEqual(given)
      expect((await tokens.verify(accessToken)).scopes).toEqual(given)
    }
    for (const scope of [
      'dataset:read',
      'policy:read dataset:read',
      'nothing',
      'policy:*',
      '*',
      '__proto__',
      'policy:read,client:create',
    ]) {
      await expect(tokens.issue(one, { scope })).rejects.toMatchObject({
        code: 'invalid_input',
        details: { issues: [{ loc: ['scope'], type: 'invalid_scope' }] },
      })
    }
  })

  test('no secret is in a token or in an error', async () => {
    const { tokens, client, storage } = setUp()
    const one = await client('policy:read')
    const { accessToken } = await tokens.issue(one)
    const row = await storage.table('client').get(one.clientId)
    for (const text of [JSON.stringify(payloadOf(accessToken)), accessToken]) {
      expect(text).not.toContain(one.clientSecret)
      expect(text).not.toContain(row?.secretHash)
    }
    const error = await tokens.issue({ ...one, clientSecret: 'hidden-marker' }).catch((thrown) => thrown)
    expect(JSON.stringify(error) + error.message).not.toMatch(/hidden-marker|policy/)
    expect(error.message).not.toContain(one.clientId)
  })
})

describe('verifying', () => {
  test('a token of another key, another algorithm or another content is refused', async () => {
    const { tokens, keys, client } = setUp()
    const one = await client('policy:read')
    const { accessToken } = await tokens.issue(one)
    const [header = '', payload = '', signature = ''] = accessToken.split('.')
    const claims = payloadOf(accessToken)
    const key = await keys('token-signing')
    const signed = (alg: string, hash: string, secret: Uint8Array | string, body: unknown = claims) => {
      const text = `${encoded({ alg })}.${encoded(body)}`
      return `${text}.${createHmac(hash, secret).update(text).digest('base64url')}`
    }
    const more = encoded({ ...claims, scope: 'policy:read policy:delete' })
    const forged = [
      ...['none', 'None', 'NONE', 'nOnE', ''].flatMap((alg) => [
        `${encoded({ alg })}.${payload}.`,
        `${encoded({ alg })}.${payload}.${signature}`,
      ]),
      `${encoded({})}.${payload}.${signature}`,
      signed('HS256', 'sha256', 'another key'),
      signed('HS256', 'sha256', ''),
      signed('HS256', 'sha256', Buffer.alloc(32)),
      signed('HS256', 'sha256', await keys('identity-hash')),
      signed('HS384', 'sha384', key),
      signed('HS512', 'sha512', key),
      `${encoded({ alg: 'HS256', crit: ['b64'], b64: false })}.${payload}.${signature}`,
      `${encoded({ alg: 'HS256', kid: '../../dev/null', jku: 'https://evil.example' })}.${payload}.${signature}`,
      `${header}.${more}.${signature}`,
      `${header}.${encoded({ ...claims, sub: root.clientId })}.${signature}`,
      `${header}.${encoded({ ...claims, exp: claims.exp * 2 })}.${signature}`,
      `${header}.${payload}.`,
      `${header}.${payload}.${signature.slice(0, -4)}`,
      `${header}.${payload}.${signature}AAAA`,
      `${header}.${payload}.${signature.split('').reverse().join('')}`,
      `${header}.${payload}`,
      `${header}..${signature}`,
      `.${payload}.${signature}`,
      '..',
      '...',
      'a.b.c',
      'a.b.c.d.e',
      '',
      ' ',
      header,
      `${accessToken}.x`,
      ` ${accessToken}`,
      `${accessToken}\u0000`,
      'x'.repeat(100_000),
      '{"alg":"none"}',
      JSON.stringify({ payload, signatures: [{ protected: header, signature }] }),
      '__proto__',
      'constructor',
      '\u202e',
      '😀.😀.😀',
      `${encoded(null)}.${payload}.${signature}`,
      `${encoded([])}.${payload}.${signature}`,
    ]
    for (const token of forged) {
      await expect(tokens.verify(token), token.slice(0, 200)).rejects.toMatchObject(malformed)
      expect(await tokens.introspect(token, root)).toBeUndefined()
      await expect(tokens.revoke(token, root)).resolves.toBeUndefined()
    }
    expect(await tokens.verify(accessToken)).toMatchObject({ scopes: ['policy:read'] })
  })

  test('every character of the content counts', async () => {
    const { tokens, client } = setUp()
    const { accessToken } = await tokens.issue(await client('policy:read'))
    const end = accessToken.lastIndexOf('.')
    for (let place = 0; place < end; place += 3) {
      const other = accessToken[place] === 'A' ? 'B' : 'A'
      const token = accessToken.slice(0, place) + other + accessToken.slice(place + 1)
      await expect(tokens.verify(token)).rejects.toMatchObject(malformed)
    }
  })

  test('a token of another service is refused, although it names a client of this one', async () => {
    const here = setUp()
    const there = setUp()
    const one = await here.client('policy:read')
    await there.storage.table('client').insert((await here.storage.table('client').get(one.clientId)) as never)
    const { accessToken } = await there.tokens.issue(one)
    await expect(here.tokens.verify(accessToken)).rejects.toMatchObject(malformed)
    expect(await there.tokens.verify(accessToken)).toMatchObject({ clientId: one.clientId })
  })

  test('it expires to the second, remembered or not', async () => {
    const { tokens, client, advance, context } = setUp()
    const { accessToken } = await tokens.issue(await client('policy:read'))
    await tokens.verify(accessToken)
    advance(10 * minute - 1)
    await tokens.verify(accessToken)
    advance(1)
    const expired = { code: 'token_expired', details: { reason: 'expired' } }
    await expect(tokens.verify(accessToken)).rejects.toMatchObject(expired)
    const other = tokenActions(context, { expireMinutes: 10, serviceKeys: serviceKeys(context) })
    await expect(other.verify(accessToken)).rejects.toMatchObject(expired)
  })

  test('lifetimes below a second and beyond all calendars work', async () => {
    for (const expireMinutes of [0.001, 1e9, 1e15, 1e300]) {
      const { tokens } = setUp({ expireMinutes })
      const { accessToken, expiresIn } = await tokens.issue(root)
      expect(expiresIn).toBeGreaterThan(0)
      await tokens.verify(accessToken)
      await tokens.revoke(accessToken, root)
      await expect(tokens.verify(accessToken)).rejects.toMatchObject(refusal('revoked'))
    }
  })

  test('two processes on one storage accept tokens of each other, and each has its own root secret', async () => {
    const storage = memoryStorage()
    const [one, other] = [setUp({}, storage), setUp({}, storage)]
    const client = await one.client('policy:read')
    const [first, second] = await Promise.all([one.tokens.issue(client), other.tokens.issue(client)])
    expect(await other.tokens.verify(first.accessToken)).toMatchObject({ clientId: client.clientId })
    expect(await one.tokens.verify(second.accessToken)).toMatchObject({ clientId: client.clientId })
    const { accessToken } = await one.tokens.issue(root)
    const changed = setUp({ rootClientSecret: 'another-secret-of-root-0123456789abcdef' }, storage)
    await expect(changed.tokens.verify(accessToken)).rejects.toMatchObject(refusal('revoked'))
  })
})
