import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { asRoot, beyond, rootClientId, setUp } from '../../../test/fixtures/client-service.js'
import { memoryStorage } from '../../builtin/memory-storage.js'
import { systemRuntime } from '../../builtin/system-runtime.js'
import { ordinaryScopes } from '../../model/scopes.js'
import type { Storage } from '../../ports/storage.js'
import { clientActions } from './client-actions.js'

describe('creating a client', () => {
  test('the secret has 256 random bits, is returned once and stored as its SHA-256', async () => {
    const { clients, storage } = setUp()
    const made = await clients.create(['policy:read'], asRoot)
    expect(Buffer.from(made.clientSecret, 'base64url')).toHaveLength(32)
    expect(made.clientId).toMatch(/^[0-9a-f]{32}$/)
    const other = await clients.create(['policy:read'], asRoot)
    expect(other.clientSecret).not.toBe(made.clientSecret)
    const row = await storage.table('client').get(made.clientId)
    expect(row?.secretHash).toBe(createHash('sha256').update(made.clientSecret).digest('base64'))
    const shown = [await clients.get(made.clientId), await clients.list(), row]
    for (const each of shown) expect(JSON.stringify(each)).not.toContain(made.clientSecret)
    expect(JSON.stringify(shown.slice(0, 2))).not.toContain(row?.secretHash)
  })

  test('takes a bare list, an object, or nothing at all', async () => {
    const { clients } = setUp()
    expect(await clients.create(['scope:read', 'CLIENT_CREATE', 'client:create', 'scope:read'])).toMatchObject({
      scopes: ['client:create', 'scope:read'],
    })
    const given = { scopes: ['policy:read'], grantableScopes: ['CLIENT_CREATE'], name: 'Portal' }
    expect(await clients.create(given, asRoot)).toMatchObject({
      name: 'Portal',
      scopes: ['policy:read'],
      grantableScopes: ['client:create'],
      createdBy: 'root',
    })
    const least = await clients.create([])
    expect(least).toMatchObject({ scopes: [], grantableScopes: [] })
    expect(least).not.toHaveProperty('createdBy')
  })

  test.each([
    [['policy:write'], [0]],
    [[1], [0]],
    [[['policy:read']], [0]],
    [{ scopes: 'policy:read' }, ['scopes']],
    [{ scopes: [], grantable_scopes: [] }, ['grantable_scopes']],
    [{ scopes: [], clientId: 'mine' }, ['clientId']],
    [{ scopes: [], secretHash: 'mine' }, ['secretHash']],
    [{ scopes: [], createdBy: 'root' }, ['createdBy']],
    [{ scopes: [], name: 'n'.repeat(256) }, ['name']],
    ['policy:read', []],
    [null, []],
  ])('%j is refused, naming the place', async (input, loc) => {
    const { clients, storage } = setUp()
    const found = clients.create(input)
    await expect(found).rejects.toMatchObject({ code: 'invalid_input', details: { issues: [{ loc }] } })
    expect(await storage.table('client').count()).toBe(0)
  })

  test('a list that is longer than that of all scopes is refused', async () => {
    const { clients } = setUp()
    const many = Array.from({ length: 1_000 }, () => 'policy:read')
    await expect(clients.create(many)).rejects.toMatchObject({ code: 'invalid_input' })
    await expect(clients.create({ scopes: many })).rejects.toMatchObject({ details: { issues: [{ loc: ['scopes'] }] } })
  })

  test('a client is stored with its entry in the audit trail, or not at all', async () => {
    const storage = memoryStorage()
    const failing: Storage = {
      ...storage,
      transaction: (work) =>
        storage.transaction((within) =>
          work({
            ...within,
            table: ((kind: 'client') =>
              (kind as string) === 'auditEntry'
                ? { ...within.table('auditEntry'), insert: () => Promise.reject(new Error('full')) }
                : within.table(kind)) as Storage['table'],
          }),
        ),
    }
    const { clients } = setUp({}, failing)
    await expect(clients.create([])).rejects.toThrow('full')
    expect(await storage.table('client').count()).toBe(0)
  })

  test('no secret is returned for a client that is not stored because random bytes failed', async () => {
    const { context } = setUp()
    const dry = { ...context, runtime: { ...systemRuntime, randomBytes: (length: number) => new Uint8Array(length) } }
    const clients = clientActions(dry, { rootClientId, grantOwnScopesOnly: false })
    await clients.create(['policy:read'])
    await expect(clients.create(['policy:delete'])).rejects.toMatchObject({ code: 'conflict' })
  })
})

describe('changing a client', () => {
  test('a client cannot take over a stronger one by giving it another secret', async () => {
    const { clients, storage } = setUp()
    const { clientId: caller } = await clients.create(['client:update'], asRoot)
    const strong = await clients.create(['policy:delete'], asRoot)
    const before = await storage.table('client').get(strong.clientId)
    await expect(clients.rotateSecret(strong.clientId, { caller })).rejects.toMatchObject(beyond('policy:delete'))
    expect(await storage.table('client').get(strong.clientId)).toEqual(before)
    // It may change its own, whatever its ceiling is.
    await clients.setScopes(caller, { scopes: ['client:update', 'policy:delete'], grantableScopes: [] }, asRoot)
    expect((await clients.rotateSecret(caller, { caller })).clientId).toBe(caller)
  })

  test('a client that may grant more is stronger, too', async () => {
    const { clients } = setUp()
    const { clientId: caller } = await clients.create(['client:update', 'policy:read'], asRoot)
    const { clientId } = await clients.create({ scopes: ['policy:read'], grantableScopes: ['user:create'] }, asRoot)
    await expect(clients.rotateSecret(clientId, { caller })).rejects.toMatchObject(beyond('user:create'))
  })

  test('scopes are replaced whole; a removed scope can no longer be granted either', async () => {
    const { clients } = setUp()
    const { clientId } = await clients.create(['policy:read', 'policy:delete'])
    expect(await clients.setScopes(clientId, ['policy:read', 'dataset:read'])).toMatchObject({
      scopes: ['dataset:read', 'policy:read'],
      grantableScopes: ['policy:read', 'dataset:read'],
    })
    expect(await clients.setScopes(clientId, ['CLIENT_CREATE'], asRoot)).toMatchObject({
      grantableScopes: ordinaryScopes,
    })
    await expect(clients.setScopes(clientId, {})).rejects.toMatchObject({ details: { issues: [{ loc: ['scopes'] }] } })
    await expect(clients.setScopes(clientId, { scopes: [], name: 'x' })).rejects.toMatchObject({
      code: 'invalid_input',
    })
  })

  test('a scope that a client already has may stay, although the caller could not grant it', async () => {
    const { clients } = setUp()
    const { clientId: caller } = await clients.create(
      { scopes: ['client:update'], grantableScopes: ['policy:read'] },
      asRoot,
    )
    const { clientId } = await clients.create({ scopes: ['user:create'], grantableScopes: [] }, asRoot)
    const kept = await clients.setScopes(
      clientId,
      { scopes: ['user:create', 'policy:read'], grantableScopes: [] },
      { caller },
    )
    expect(kept.scopes).toEqual(['policy:read', 'user:create'])
    await clients.setScopes(clientId, { scopes: [], grantableScopes: [] }, { caller })
    await expect(
      clients.setScopes(clientId, { scopes: ['user:create'], grantableScopes: [] }, { caller }),
    ).rejects.toMatchObject(beyond('user:create'))
    // Having a scope does not mean that it may be granted.
    await clients.setScopes(clientId, { scopes: ['user:create'], grantableScopes: [] }, asRoot)
    await expect(
      clients.setScopes(clientId, { scopes: ['user:create', 'client:create'] }, { caller }),
    ).rejects.toMatchObject({ code: 'forbidden' })
    await expect(
      clients.setScopes(clientId, { scopes: ['user:create'], grantableScopes: ['user:create'] }, { caller }),
    ).rejects.toMatchObject(beyond('user:create'))
  })

  test('the root client cannot be read, changed or deleted', async () => {
    for (const id of [rootClientId, 'a'.repeat(32)]) {
      const { clients } = setUp({ rootClientId: id })
      for (const caller of [{}, { caller: id }]) {
        for (const attempt of [
          clients.get(id),
          clients.setScopes(id, [], caller),
          clients.rotateSecret(id, caller),
          clients.remove(id, caller),
        ]) {
          await expect(attempt).rejects.toMatchObject({ code: 'not_found' })
        }
      }
      expect((await clients.list()).items).toEqual([])
    }
  })

  test('an invalid id finds nothing, and is not repeated', async () => {
    const { clients } = setUp()
    for (const id of [
      '',
      '..',
      'a/b',
      '__proto__',
      'constructor',
      '\u0000',
      'A'.repeat(32),
      'a'.repeat(33),
      'secret-marker',
    ]) {
      const error = await clients.get(id).catch((thrown) => thrown)
      expect(error).toMatchObject({ code: 'not_found' })
      if (id.length > 2) expect(error.message).not.toContain(id)
    }
  })

  test('concurrent changes lose nothing, and one client is deleted once', async () => {
    const { clients, audit } = setUp()
    const { clientId } = await clients.create([])
    const secrets = await Promise.all(Array.from({ length: 10 }, () => clients.rotateSecret(clientId)))
    expect(new Set(secrets.map(({ clientSecret }) => clientSecret)).size).toBe(10)
    const gone = await Promise.allSettled(Array.from({ length: 10 }, () => clients.remove(clientId)))
    expect(gone.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const actions = (await audit.list({ size: 100 })).items.map(({ action }) => action)
    expect(actions.filter((action) => action === 'client_secret_rotated')).toHaveLength(10)
    expect(actions.filter((action) => action === 'client_deleted')).toHaveLength(1)
  })
})
