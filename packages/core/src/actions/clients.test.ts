import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { aesSecrets } from '../builtin/aes-secrets.js'
import { memoryStorage } from '../builtin/memory-storage.js'
import { systemRuntime } from '../builtin/system-runtime.js'
import { ordinaryScopes, scopes } from '../model/scopes.js'
import type { Storage } from '../ports/storage.js'
import { auditActions } from './audit.js'
import { type ClientOptions, clientActions } from './clients.js'
import type { ActionContext } from './context.js'

const rootClientId = 'root'
const every = scopes.map(({ name }) => name)

function setUp(options: Partial<ClientOptions> = {}, storage: Storage = memoryStorage()) {
  const context: ActionContext = {
    storage,
    secrets: aesSecrets({ keys: Buffer.alloc(32).toString('base64') }),
    runtime: systemRuntime,
    connectors: new Map(),
    options: { taxonomy: 'open', connectionTestSeconds: 1 },
    connectionChanged: () => {},
  }
  return {
    context,
    storage,
    audit: auditActions(context),
    clients: clientActions(context, { rootClientId, grantOwnScopesOnly: false, ...options }),
  }
}

const beyond = (scope: string) => ({ code: 'forbidden', details: { scope, reason: 'beyond_ceiling' } })
const asRoot = { caller: rootClientId }

describe('creating a client', () => {
  test('§2 the secret has 256 random bits, is answered once and kept as its SHA-256', async () => {
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

  test('where randomness has run dry no secret is answered for a client that is not kept', async () => {
    const { context } = setUp()
    const dry = { ...context, runtime: { ...systemRuntime, randomBytes: (length: number) => new Uint8Array(length) } }
    const clients = clientActions(dry, { rootClientId, grantOwnScopesOnly: false })
    await clients.create(['policy:read'])
    await expect(clients.create(['policy:delete'])).rejects.toMatchObject({ code: 'conflict' })
  })
})

describe('§2 what a client may hand out', () => {
  test('root and the host: everything', async () => {
    const { clients } = setUp()
    for (const caller of [asRoot, {}]) expect((await clients.create(every, caller)).scopes).toEqual(every)
  })

  test('a client that root lets create clients: everything but power over clients', async () => {
    const { clients } = setUp()
    const { clientId: caller, grantableScopes } = await clients.create(['CLIENT_CREATE'], asRoot)
    expect(grantableScopes).toEqual(ordinaryScopes)
    expect((await clients.create([...ordinaryScopes], { caller })).scopes).toEqual(ordinaryScopes)
    for (const scope of every.filter((name) => name.startsWith('client:'))) {
      await expect(clients.create([scope], { caller })).rejects.toMatchObject(beyond(scope))
      await expect(clients.create({ scopes: [], grantableScopes: [scope] }, { caller })).rejects.toMatchObject(
        beyond(scope),
      )
    }
    await expect(clients.create(['CLIENT_CREATE'], { caller })).rejects.toMatchObject(beyond('client:create'))
  })

  test('any other client: by default its own scopes, at most what its creator may', async () => {
    const { clients } = setUp()
    const { clientId: first } = await clients.create(['client:create', 'client:update'], asRoot)
    const { clientId: reader, grantableScopes } = await clients.create(['policy:read'], { caller: first })
    expect(grantableScopes).toEqual(['policy:read'])
    await expect(clients.create(['policy:delete'], { caller: reader })).rejects.toMatchObject(beyond('policy:delete'))
    const wide = { scopes: ['policy:read'], grantableScopes: ['dataset:read'] }
    expect((await clients.create(wide, { caller: first })).grantableScopes).toEqual(['dataset:read'])
    await expect(clients.create(wide, { caller: reader })).rejects.toMatchObject(beyond('dataset:read'))
  })

  test('grantOwnScopesOnly: exactly its own scopes, whatever it was given to hand out', async () => {
    const { clients } = setUp({ grantOwnScopesOnly: true })
    const own = ['client:create', 'policy:read']
    const { clientId: caller, grantableScopes } = await clients.create(own, asRoot)
    expect(grantableScopes).toEqual(own)
    expect((await clients.create(own, { caller })).scopes).toEqual(own)
    await expect(clients.create(['policy:delete'], { caller })).rejects.toMatchObject(beyond('policy:delete'))
    const given = await clients.create(
      { scopes: ['policy:read'], grantableScopes: ['policy:delete', 'policy:read'] },
      asRoot,
    )
    const asGiven = { caller: given.clientId }
    await expect(clients.create(['policy:delete'], asGiven)).rejects.toMatchObject(beyond('policy:delete'))
    expect((await clients.create(['policy:read'], asGiven)).scopes).toEqual(['policy:read'])
  })

  test('every single scope, given and not given: create, setScopes and rotateSecret agree', async () => {
    const { clients } = setUp()
    for (const held of every) {
      const { clientId: caller } = await clients.create({ scopes: [], grantableScopes: [held] }, asRoot)
      const { clientId: target } = await clients.create([], asRoot)
      for (const wanted of every) {
        const { clientId: stronger } = await clients.create({ scopes: [wanted], grantableScopes: [] }, asRoot)
        const attempts = [
          () => clients.create({ scopes: [wanted], grantableScopes: [] }, { caller }),
          () => clients.create({ scopes: [], grantableScopes: [wanted] }, { caller }),
          () => clients.setScopes(target, { scopes: [wanted], grantableScopes: [] }, { caller }),
          () => clients.setScopes(target, { scopes: [], grantableScopes: [wanted] }, { caller }),
          () => clients.rotateSecret(stronger, { caller }),
        ]
        for (const attempt of attempts) {
          if (wanted === held) await attempt()
          else await expect(attempt()).rejects.toMatchObject(beyond(wanted))
        }
        await clients.setScopes(target, { scopes: [], grantableScopes: [] })
      }
      if (held.startsWith('client:')) continue
      // One scope of each kind says as much as all of them.
      if (every.indexOf(held) > 6) break
    }
  })

  test('a caller that is gone may nothing', async () => {
    const { clients } = setUp()
    const { clientId: caller } = await clients.create(['client:create'], asRoot)
    const { clientId: other } = await clients.create([], asRoot)
    await clients.remove(caller)
    for (const attempt of [
      clients.create([], { caller }),
      clients.setScopes(other, [], { caller }),
      clients.rotateSecret(other, { caller }),
    ]) {
      await expect(attempt).rejects.toMatchObject({ code: 'not_found' })
    }
  })
})

describe('changing a client', () => {
  test('a client takes over no stronger one by giving it another secret', async () => {
    const { clients, storage } = setUp()
    const { clientId: caller } = await clients.create(['client:update'], asRoot)
    const strong = await clients.create(['policy:delete'], asRoot)
    const before = await storage.table('client').get(strong.clientId)
    await expect(clients.rotateSecret(strong.clientId, { caller })).rejects.toMatchObject(beyond('policy:delete'))
    expect(await storage.table('client').get(strong.clientId)).toEqual(before)
    // Its own it may change, whatever its ceiling is.
    await clients.setScopes(caller, { scopes: ['client:update', 'policy:delete'], grantableScopes: [] }, asRoot)
    expect((await clients.rotateSecret(caller, { caller })).clientId).toBe(caller)
  })

  test('one that may hand out more is stronger, too', async () => {
    const { clients } = setUp()
    const { clientId: caller } = await clients.create(['client:update', 'policy:read'], asRoot)
    const { clientId } = await clients.create({ scopes: ['policy:read'], grantableScopes: ['user:create'] }, asRoot)
    await expect(clients.rotateSecret(clientId, { caller })).rejects.toMatchObject(beyond('user:create'))
  })

  test('scopes are replaced whole; what is taken away is taken from what may be handed out as well', async () => {
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

  test('what a client already has may stay, although the caller could not give it', async () => {
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
    // To hold a scope is not to hand it out.
    await clients.setScopes(clientId, { scopes: ['user:create'], grantableScopes: [] }, asRoot)
    await expect(
      clients.setScopes(clientId, { scopes: ['user:create', 'client:create'] }, { caller }),
    ).rejects.toMatchObject({ code: 'forbidden' })
    await expect(
      clients.setScopes(clientId, { scopes: ['user:create'], grantableScopes: ['user:create'] }, { caller }),
    ).rejects.toMatchObject(beyond('user:create'))
  })

  test('the root client is none that could be read, changed or deleted', async () => {
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

  test('what is no id finds nothing, and is not repeated', async () => {
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

describe('§2 grants are audited', () => {
  test('who gave what to whom, and never a secret', async () => {
    const { clients, audit, storage } = setUp()
    const made = await clients.create(['client:create', 'client:update'], asRoot)
    const caller = made.clientId
    const child = await clients.create(['policy:read'], { caller })
    await clients.setScopes(child.clientId, ['policy:read', 'dataset:read'], { caller })
    const rotated = await clients.rotateSecret(child.clientId, { caller })
    await clients.remove(child.clientId)
    await expect(clients.create(['client:read'], { caller })).rejects.toMatchObject({ code: 'forbidden' })
    const { items } = await audit.list()
    expect(items.map(({ actor, action, subject, detail }) => [actor, action, subject, detail.scopes])).toEqual([
      ['root', 'client_created', `client:${caller}`, ['client:create', 'client:update']],
      [caller, 'client_created', `client:${child.clientId}`, ['policy:read']],
      [caller, 'client_scopes_changed', `client:${child.clientId}`, ['dataset:read', 'policy:read']],
      [caller, 'client_secret_rotated', `client:${child.clientId}`, ['dataset:read', 'policy:read']],
      ['host', 'client_deleted', `client:${child.clientId}`, ['dataset:read', 'policy:read']],
    ])
    const trail = JSON.stringify(await storage.table('auditEntry').find())
    for (const secret of [made.clientSecret, child.clientSecret, rotated.clientSecret])
      expect(trail).not.toContain(secret)
    for (const { secretHash } of await storage.table('client').find()) expect(trail).not.toContain(secretHash)
  })
})

describe('an attacker that owns one client', () => {
  const few = ['client:create', 'client:update', 'policy:read', 'policy:delete', 'user:create']
  const chosen = fc.subarray(few)
  const move = fc.record({
    how: fc.constantFrom('create', 'setScopes', 'rotateSecret', 'rotateSecret'),
    as: fc.nat(20),
    on: fc.nat(20),
    scopes: chosen,
    grantable: fc.option(chosen, { nil: undefined }),
  })

  test.each([false, true])(
    'never gets a scope beyond what it had or could hand out (own scopes only: %s)',
    async (own) => {
      await fc.assert(
        fc.asyncProperty(
          chosen,
          chosen,
          fc.array(fc.tuple(chosen, chosen), { maxLength: 3 }),
          fc.array(move, { maxLength: 14 }),
          async (scopes, ceiling, others, moves) => {
            const { clients } = setUp({ grantOwnScopesOnly: own })
            const make = (given: string[], grantableScopes: string[]) =>
              clients.create({ scopes: given, grantableScopes }, asRoot)
            const first = await make(scopes, ceiling)
            const owned = [first.clientId]
            const all = [first.clientId]
            for (const [given, grantable] of others) all.push((await make(given, grantable)).clientId)
            for (const { how, as, on, scopes: wanted, grantable } of moves) {
              const caller = owned[as % owned.length] as string
              const target = all[on % all.length] as string
              const input = { scopes: wanted, ...(grantable && { grantableScopes: grantable }) }
              try {
                if (how === 'create') {
                  const { clientId } = await clients.create(input, { caller })
                  owned.push(clientId)
                  all.push(clientId)
                } else if (how === 'setScopes') await clients.setScopes(target, input, { caller })
                else owned.push((await clients.rotateSecret(target, { caller })).clientId)
              } catch (error) {
                expect(error).toMatchObject({ code: 'forbidden' })
              }
            }
            const reach = new Set([...scopes, ...ceiling])
            for (const id of owned) {
              const client = await clients.get(id)
              expect(client.scopes.filter((scope) => !reach.has(scope))).toEqual([])
              expect(client.grantableScopes.filter((scope) => !reach.has(scope))).toEqual([])
            }
          },
        ),
        {
          numRuns: Number(process.env['HABEAS_RUNS'] ?? 200),
          ...(process.env['HABEAS_SEED'] && { seed: Number(process.env['HABEAS_SEED']) }),
        },
      )
    },
  )
})
