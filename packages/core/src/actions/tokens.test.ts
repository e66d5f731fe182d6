import * as crypto from 'node:crypto'
import { createHmac } from 'node:crypto'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { aesSecrets } from '../builtin/aes-secrets.js'
import { memoryStorage } from '../builtin/memory-storage.js'
import { systemRuntime } from '../builtin/system-runtime.js'
import { scopes } from '../model/scopes.js'
import type { Storage } from '../ports/storage.js'
import { clientActions } from './clients.js'
import type { ActionContext } from './context.js'
import { serviceKeys } from './service-keys.js'
import { type TokenOptions, tokenActions } from './tokens.js'

vi.mock('node:crypto', async (load) => {
  const module = await load<typeof import('node:crypto')>()
  return { ...module, timingSafeEqual: vi.fn(module.timingSafeEqual) }
})
afterEach(() => vi.clearAllMocks())

const root = { clientId: 'root', clientSecret: 'the-root-secret-of-these-tests-0123456789' }
const minute = 60_000

function setUp(options: Partial<TokenOptions> = {}, storage: Storage = memoryStorage()) {
  let now = Date.UTC(2025, 0, 1)
  const context: ActionContext = {
    storage,
    secrets: aesSecrets({ keys: Buffer.alloc(32).toString('base64') }),
    runtime: { ...systemRuntime, now: () => new Date(now) },
    connectors: new Map(),
    options: { taxonomy: 'open', connectionTestSeconds: 1 },
    connectionChanged: () => {},
  }
  const keys = serviceKeys(context)
  const clients = clientActions(context, { rootClientId: root.clientId, grantOwnScopesOnly: false })
  const tokens = tokenActions(context, {
    expireMinutes: 10,
    rootClientId: root.clientId,
    rootClientSecret: root.clientSecret,
    serviceKeys: keys,
    ...options,
  })
  const advance = (milliseconds: number) => {
    now += milliseconds
  }
  const client = async (...names: string[]) => {
    const { clientId, clientSecret } = await clients.create(names)
    return { clientId, clientSecret }
  }
  return { context, storage, keys, clients, tokens, advance, client }
}

const refusal = (reason: string) => ({ code: 'unauthenticated', details: { reason } })
const malformed = refusal('malformed')
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const payloadOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString())

describe('issuing', () => {
  test('a token says who, what for, when and until when', async () => {
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

describe('comparing secrets', () => {
  test('takes the same way for a right, a wrong and an unknown client, over hashes of one length', async () => {
    const { tokens, client } = setUp()
    const one = await client()
    const compare = vi.mocked(crypto.timingSafeEqual)
    const known = [one, root]
    const wrong = [
      ...known.map(({ clientId }) => ({ clientId, clientSecret: 'w' })),
      ...known.map(({ clientId }) => ({ clientId, clientSecret: '' })),
      ...['f'.repeat(32), 'nobody', '', '__proto__', one.clientId.toUpperCase()].map((clientId) => ({
        clientId,
        clientSecret: one.clientSecret,
      })),
      { clientId: one.clientId, clientSecret: root.clientSecret },
      { clientId: root.clientId, clientSecret: one.clientSecret },
      { clientId: one.clientId, clientSecret: one.clientSecret.slice(0, -1) },
      { clientId: one.clientId, clientSecret: `${one.clientSecret} ` },
      { clientId: one.clientId, clientSecret: 'x'.repeat(1_000_000) },
    ]
    const messages = new Set<string>()
    for (const credentials of [...known, ...wrong]) {
      compare.mockClear()
      const failure = await tokens.issue(credentials).then(
        () => undefined,
        (error) => error,
      )
      expect(compare.mock.calls.map((buffers) => buffers.map((buffer) => buffer.byteLength))).toEqual([[44, 44]])
      if (wrong.includes(credentials)) {
        expect(failure).toMatchObject(refusal('invalid_client'))
        messages.add(failure.message)
      } else expect(failure).toBeUndefined()
    }
    expect(messages.size).toBe(1)
  })

  test('every way a secret can be read is compared, whichever is right', async () => {
    const { tokens, client } = setUp()
    const one = await client()
    const compare = vi.mocked(crypto.timingSafeEqual)
    for (const clientSecret of [
      [one.clientSecret, 'a'],
      ['a', one.clientSecret],
      ['a', 'b'],
    ]) {
      compare.mockClear()
      await tokens.issue({ ...one, clientSecret }).catch(() => {})
      expect(compare).toHaveBeenCalledTimes(2)
    }
    await expect(tokens.issue({ ...one, clientSecret: [] })).rejects.toMatchObject(refusal('invalid_client'))
  })
})

describe('verifying', () => {
  test('a token of another key, another algorithm or another content is none', async () => {
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
      ...[
        `${header}.${payload}`,
        `${header}..${signature}`,
        `.${payload}.${signature}`,
        '..',
        '...',
        'a.b.c',
        'a.b.c.d.e',
        '',
        ' ',
      ],
      ...[header, `${accessToken}.x`, ` ${accessToken}`, `${accessToken}\u0000`, 'x'.repeat(100_000), '{"alg":"none"}'],
      JSON.stringify({ payload, signatures: [{ protected: header, signature }] }),
      ...[
        '__proto__',
        'constructor',
        '\u202e',
        '😀.😀.😀',
        `${encoded(null)}.${payload}.${signature}`,
        `${encoded([])}.${payload}.${signature}`,
      ],
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

  test('a token of another service is none, although it names a client of this one', async () => {
    const here = setUp()
    const there = setUp()
    const one = await here.client('policy:read')
    await there.storage.table('client').insert((await here.storage.table('client').get(one.clientId)) as never)
    const { accessToken } = await there.tokens.issue(one)
    await expect(here.tokens.verify(accessToken)).rejects.toMatchObject(malformed)
    expect(await there.tokens.verify(accessToken)).toMatchObject({ clientId: one.clientId })
  })

  test('§1.8 it expires to the second, remembered or not', async () => {
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

  test('two processes on one storage take each others tokens, and root secrets are theirs', async () => {
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

describe('§2 what happens to a client takes effect on the next call', () => {
  test('narrowing takes scopes from tokens; widening gives none', async () => {
    const { tokens, clients, client } = setUp()
    const one = await client('policy:read', 'dataset:read')
    const { accessToken } = await tokens.issue(one)
    await tokens.verify(accessToken)
    await clients.setScopes(one.clientId, ['dataset:read', 'user:create'])
    expect((await tokens.verify(accessToken)).scopes).toEqual(['dataset:read'])
    await clients.setScopes(one.clientId, [])
    expect((await tokens.verify(accessToken)).scopes).toEqual([])
  })

  test('deleting ends tokens', async () => {
    const { tokens, clients, client } = setUp()
    const one = await client('policy:read')
    const { accessToken } = await tokens.issue(one)
    await tokens.verify(accessToken)
    await clients.remove(one.clientId)
    await expect(tokens.verify(accessToken)).rejects.toMatchObject(refusal('revoked'))
    await expect(tokens.issue(one)).rejects.toMatchObject(refusal('invalid_client'))
    expect(await tokens.introspect(accessToken, root)).toBeUndefined()
  })

  test('a new secret ends the old one and its tokens', async () => {
    const { tokens, clients, client } = setUp()
    const one = await client('policy:read')
    const { accessToken } = await tokens.issue(one)
    await tokens.verify(accessToken)
    const next = await clients.rotateSecret(one.clientId)
    await expect(tokens.verify(accessToken)).rejects.toMatchObject(refusal('revoked'))
    await expect(tokens.issue(one)).rejects.toMatchObject(refusal('invalid_client'))
    expect(await tokens.verify((await tokens.issue(next)).accessToken)).toMatchObject({ scopes: ['policy:read'] })
  })
})

describe('revoking and asking', () => {
  test('a client ends its own tokens, each by itself', async () => {
    const { tokens, client } = setUp()
    const one = await client('policy:read')
    const [first, second] = [await tokens.issue(one), await tokens.issue(one)]
    await tokens.verify(first.accessToken)
    await tokens.revoke(first.accessToken, one)
    await tokens.revoke(first.accessToken, one)
    await expect(tokens.verify(first.accessToken)).rejects.toMatchObject(refusal('revoked'))
    expect(await tokens.introspect(first.accessToken, one)).toBeUndefined()
    expect(await tokens.verify(second.accessToken)).toMatchObject({ clientId: one.clientId })
  })

  test('another spelling of a token is the same token, and ends with it', async () => {
    const { tokens, client } = setUp()
    const one = await client('policy:read')
    const { accessToken } = await tokens.issue(one)
    const { tokenId } = await tokens.verify(accessToken)
    // The last character of base64 has bits that do not count, and its readers skip blanks.
    const others = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'].map(
      (last) => accessToken.slice(0, -1) + last,
    )
    const taken: string[] = []
    for (const other of [...others, `${accessToken}\n`]) {
      const found = await tokens.introspect(other, one)
      if (!found) continue
      expect(found.tokenId).toBe(tokenId)
      taken.push(other)
    }
    expect(taken).toContain(accessToken)
    await tokens.revoke(taken[0] as string, one)
    for (const other of taken) await expect(tokens.verify(other)).rejects.toMatchObject(refusal('revoked'))
  })

  test("another client's token: only with the right to change, or to read, clients", async () => {
    const { tokens, client } = setUp()
    const one = await client('policy:read')
    const { accessToken } = await tokens.issue(one)
    const stranger = await client('policy:read', 'client:create', 'client:delete')
    expect(await tokens.introspect(accessToken, stranger)).toBeUndefined()
    await expect(tokens.revoke(accessToken, stranger)).rejects.toMatchObject({
      code: 'forbidden',
      details: { scope: 'client:update' },
    })
    expect(await tokens.verify(accessToken)).toMatchObject({ clientId: one.clientId })
    expect(await tokens.introspect(accessToken, await client('client:read'))).toMatchObject({ clientId: one.clientId })
    expect(await tokens.introspect(accessToken, one)).toMatchObject({ scopes: ['policy:read'] })
    await tokens.revoke(accessToken, await client('client:update'))
    await expect(tokens.verify(accessToken)).rejects.toMatchObject(refusal('revoked'))
  })

  test('without the right secret nothing is told and nothing ended', async () => {
    const { tokens, client } = setUp()
    const one = await client('policy:read')
    const { accessToken } = await tokens.issue(one)
    for (const wrong of [
      { ...one, clientSecret: 'w' },
      { ...root, clientSecret: 'w' },
      { clientId: 'a'.repeat(32), clientSecret: accessToken },
    ]) {
      await expect(tokens.introspect(accessToken, wrong)).rejects.toMatchObject(refusal('invalid_client'))
      await expect(tokens.revoke(accessToken, wrong)).rejects.toMatchObject(refusal('invalid_client'))
    }
    expect(await tokens.verify(accessToken)).toMatchObject({ clientId: one.clientId })
  })

  test('what has expired need not be remembered, what has not is', async () => {
    const { tokens, client, storage, advance } = setUp()
    const one = await client()
    const revoke = async () => tokens.revoke((await tokens.issue(one)).accessToken, one)
    await revoke()
    advance(5 * minute)
    await revoke()
    expect(await storage.table('revokedToken').count()).toBe(2)
    advance(6 * minute)
    await revoke()
    expect(await storage.table('revokedToken').count()).toBe(2)
  })
})

describe('§2 failures are limited, and only failures', () => {
  const fail = (tokens: ReturnType<typeof tokenActions>, clientId: string, address?: string) =>
    tokens.issue({ clientId, clientSecret: 'wrong', address }).catch((error) => error.code as string)

  test('30 a minute for each client; a right secret still gets its token', async () => {
    const { tokens, client, advance } = setUp()
    const one = await client('policy:read')
    for (let count = 0; count < 30; count++) expect(await fail(tokens, one.clientId)).toBe('unauthenticated')
    await expect(tokens.issue({ ...one, clientSecret: 'wrong' })).rejects.toMatchObject({
      code: 'rate_limited',
      details: { retryAfterSeconds: 60 },
    })
    const { accessToken } = await tokens.issue(one)
    expect(await tokens.verify(accessToken)).toMatchObject({ clientId: one.clientId })
    const other = await client()
    expect(await fail(tokens, other.clientId)).toBe('unauthenticated')
    advance(minute - 1)
    expect(await fail(tokens, one.clientId)).toBe('rate_limited')
    advance(1)
    expect(await fail(tokens, one.clientId)).toBe('unauthenticated')
  })

  test('30 a minute for each address, whatever ids it makes up', async () => {
    const { tokens, client } = setUp()
    for (let count = 0; count < 30; count++)
      expect(await fail(tokens, `made up ${count}`, '192.0.2.1')).toBe('unauthenticated')
    expect(await fail(tokens, 'made up again', '192.0.2.1')).toBe('rate_limited')
    expect(await fail(tokens, 'made up again', '192.0.2.2')).toBe('unauthenticated')
    const one = await client('policy:read')
    expect(await tokens.issue({ ...one, address: '192.0.2.1' })).toMatchObject({ scopes: ['policy:read'] })
  })

  test('root, revocation and introspection as well', async () => {
    const { tokens } = setUp()
    const wrong = { ...root, clientSecret: 'wrong' }
    const attempts = [() => tokens.issue(wrong), () => tokens.revoke('a', wrong), () => tokens.introspect('a', wrong)]
    for (let count = 0; count < 30; count++) {
      await expect((attempts[count % 3] as () => Promise<unknown>)()).rejects.toMatchObject({ code: 'unauthenticated' })
    }
    for (const attempt of attempts) await expect(attempt()).rejects.toMatchObject({ code: 'rate_limited' })
    expect(await tokens.introspect('a', root)).toBeUndefined()
  })

  test('bearers and unknown tokens count for nothing', async () => {
    const { tokens, client } = setUp()
    const one = await client()
    for (let count = 0; count < 40; count++) {
      await expect(tokens.verify('a.b.c')).rejects.toMatchObject(malformed)
      await tokens.revoke('a.b.c', one)
    }
    expect(await fail(tokens, one.clientId)).toBe('unauthenticated')
  })
})
