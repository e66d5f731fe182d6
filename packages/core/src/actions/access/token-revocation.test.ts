import { describe, expect, test } from 'vitest'
import { minute, refusal, root, setUp } from '../../../test/fixtures/token-service.js'

describe('what happens to a client takes effect on the next call', () => {
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

  test('another client’s token needs the right to change, or to read, clients', async () => {
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

  test('without the right secret nothing is revealed and nothing ended', async () => {
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

  test('expired tokens need not be remembered, others are', async () => {
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
