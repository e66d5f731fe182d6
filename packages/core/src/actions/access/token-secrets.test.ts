import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { afterEach, beforeEach, describe, expect, type MockInstance, test, vi } from 'vitest'
import { malformed, minute, refusal, root, setUp } from '../../../test/fixtures/token-service.js'
import type { tokenActions } from './token-actions.js'

let compare: MockInstance<typeof crypto.timingSafeEqual>

// The actions import it by name; such imports change only when they are told to.
beforeEach(() => {
  compare = vi.spyOn(crypto, 'timingSafeEqual')
  syncBuiltinESMExports()
})
afterEach(() => {
  compare.mockRestore()
  syncBuiltinESMExports()
})

describe('comparing secrets', () => {
  test('takes the same steps for a right, a wrong and an unknown client, over hashes of one length', async () => {
    const { tokens, client } = setUp()
    const one = await client()
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

describe('failures are limited, and only failures', () => {
  const fail = (tokens: ReturnType<typeof tokenActions>, clientId: string, address?: string) =>
    tokens.issue({ clientId, clientSecret: 'wrong', address }).catch((error) => error.code as string)

  test('to 30 a minute for each client; a right secret still gets its token', async () => {
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

  test('to 30 a minute for each address, whatever ids it makes up', async () => {
    const { tokens, client } = setUp()
    for (let count = 0; count < 30; count++)
      expect(await fail(tokens, `made up ${count}`, '192.0.2.1')).toBe('unauthenticated')
    expect(await fail(tokens, 'made up again', '192.0.2.1')).toBe('rate_limited')
    expect(await fail(tokens, 'made up again', '192.0.2.2')).toBe('unauthenticated')
    const one = await client('policy:read')
    expect(await tokens.issue({ ...one, address: '192.0.2.1' })).toMatchObject({ scopes: ['policy:read'] })
  })

  test('for root, revocation and introspection as well', async () => {
    const { tokens } = setUp()
    const wrong = { ...root, clientSecret: 'wrong' }
    const attempts = [() => tokens.issue(wrong), () => tokens.revoke('a', wrong), () => tokens.introspect('a', wrong)]
    for (let count = 0; count < 30; count++) {
      await expect((attempts[count % 3] as () => Promise<unknown>)()).rejects.toMatchObject({ code: 'unauthenticated' })
    }
    for (const attempt of attempts) await expect(attempt()).rejects.toMatchObject({ code: 'rate_limited' })
    expect(await tokens.introspect('a', root)).toBeUndefined()
  })

  test('and do not include bearers and unknown tokens', async () => {
    const { tokens, client } = setUp()
    const one = await client()
    for (let count = 0; count < 40; count++) {
      await expect(tokens.verify('a.b.c')).rejects.toMatchObject(malformed)
      await tokens.revoke('a.b.c', one)
    }
    expect(await fail(tokens, one.clientId)).toBe('unauthenticated')
  })
})
