import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { asRoot, beyond, every, setUp } from '../../test/fixtures/client-service.js'
import { ordinaryScopes } from '../model/scopes.js'

describe('the scopes that a client may grant', () => {
  test('are all scopes for root and the host', async () => {
    const { clients } = setUp()
    for (const caller of [asRoot, {}]) expect((await clients.create(every, caller)).scopes).toEqual(every)
  })

  test('are all scopes except those over clients, for a client that root lets create clients', async () => {
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

  test('are by default its own scopes for any other client, and at most those of its creator', async () => {
    const { clients } = setUp()
    const { clientId: first } = await clients.create(['client:create', 'client:update'], asRoot)
    const { clientId: reader, grantableScopes } = await clients.create(['policy:read'], { caller: first })
    expect(grantableScopes).toEqual(['policy:read'])
    await expect(clients.create(['policy:delete'], { caller: reader })).rejects.toMatchObject(beyond('policy:delete'))
    const wide = { scopes: ['policy:read'], grantableScopes: ['dataset:read'] }
    expect((await clients.create(wide, { caller: first })).grantableScopes).toEqual(['dataset:read'])
    await expect(clients.create(wide, { caller: reader })).rejects.toMatchObject(beyond('dataset:read'))
  })

  test('are exactly its own scopes with grantOwnScopesOnly, whatever it was allowed to grant', async () => {
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

  test('are the same for create, setScopes and rotateSecret, for every single scope', async () => {
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

  test('are none for a deleted caller', async () => {
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

describe('grants are audited', () => {
  test('with the granting client, its scopes and the receiving client, and never with a secret', async () => {
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
    'never gets a scope beyond those it had or could grant (own scopes only: %s)',
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
