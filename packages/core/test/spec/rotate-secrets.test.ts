import { afterEach, expect, test } from 'vitest'
import {
  createPrivacyService,
  memoryBlobs,
  memoryStorage,
  type PrivacyService,
  type PrivacyServiceOptions,
  type Rows,
  type Secrets,
  type Storage,
  type Table,
} from '../../src/index.js'
import { email, keptCalls, kindsUnder, policyKey, ringOf, sealEverything } from '../fixtures/sealed-world.js'
import { smallShop } from './small-shop.js'

const [older, newer] = ['an-old-key1', 'a-newer-key']
const sealedKinds = ['connectionSecret', 'legalHold', 'policyWebhooks', 'requestKey', 'serviceKey']

const opened: PrivacyService[] = []
afterEach(async () => {
  for (const service of opened.splice(0)) await service.close()
})

/** Processes on one storage, and what they have in common. */
function world(storage: Storage = memoryStorage()) {
  const blobs = memoryBlobs()
  const { signed, sender: webhookSender } = keptCalls()
  function start(secrets: Secrets, options: Omit<PrivacyServiceOptions, 'connectors'> = {}, shop = smallShop()) {
    const common = { storage, blobs, webhookSender, execution: { immediate: false } }
    const service = createPrivacyService({ ...common, secrets, connectors: [shop.connector], ...options })
    opened.push(service as PrivacyService)
    return service as PrivacyService
  }
  return { storage, signed, start }
}

/** The storage, with one method of the tables of a kind in the place of its own. */
function watched<Kind extends keyof Rows>(
  storage: Storage,
  kind: Kind,
  change: (table: Table<Kind>) => Partial<Table<Kind>>,
): Storage {
  const table = ((name: never) => {
    const known = storage.table(name)
    return name === kind ? { ...known, ...change(known as never) } : known
  }) as Storage['table']
  return { ...storage, table }
}

test('everything is sealed anew, and the old key can be taken out', async () => {
  const { storage, signed, start } = world()
  const { openEverything } = await sealEverything(start(ringOf(older)))
  expect((await kindsUnder(storage, older)).sort()).toEqual(sealedKinds)

  const rotation = await start(ringOf(newer, older)).rotateSecrets()
  const total = { connectionSecrets: 2, webhookSecrets: 1, legalHolds: 1, requestKeys: 1 }
  expect(rotation).toMatchObject({ total, alreadyCurrent: 0, unreadable: 0, unreadableNames: [] })
  expect(rotation.resealed).toBe(5 + rotation.total.serviceKeys)
  expect(await kindsUnder(storage, older)).toEqual([])
  expect((await kindsUnder(storage, newer)).sort()).toEqual(sealedKinds)

  const after = start(ringOf(newer))
  expect(await after.health()).toMatchObject({ secrets: 'healthy' })
  await openEverything(after)
  expect(signed).toEqual([false, true])
  expect(await start(ringOf(older)).health()).toMatchObject({ secrets: 'unhealthy' })
})

test('a second rotation has nothing to do, and each is in the audit trail', async () => {
  const { start } = world()
  await sealEverything(start(ringOf(older)))
  const both = start(ringOf(newer, older))
  const { resealed, total } = await both.rotateSecrets()
  expect(await both.rotateSecrets()).toMatchObject({ resealed: 0, alreadyCurrent: resealed, total })
  const { items } = await both.audit.list({ subject: 'secrets' })
  expect(items).toMatchObject([
    { actor: 'host', action: 'secrets_rotated', detail: { resealed: `${resealed}`, alreadyCurrent: '0' } },
    { actor: 'host', action: 'secrets_rotated', detail: { resealed: '0', alreadyCurrent: `${resealed}` } },
  ])
})

test('one that is cut off goes on when it is called again, and until its end the old key is needed', async () => {
  const { storage, start } = world()
  const { openEverything } = await sealEverything(start(ringOf(older)))
  const dying = watched(storage, 'serviceKey', ({ replace }) => ({
    async replace(row) {
      if (row.id === 'token-signing') throw new Error('cut off')
      return replace(row)
    },
  }))
  await expect(start(ringOf(newer, older), { storage: dying }).rotateSecrets()).rejects.toThrow('cut off')
  expect(await start(ringOf(newer)).health()).toMatchObject({ secrets: 'unhealthy' })
  await expect(start(ringOf(newer)).requests.list()).rejects.toMatchObject({
    code: 'misconfigured',
    details: { option: 'secrets' },
  })

  const rest = await start(ringOf(newer, older)).rotateSecrets()
  // The key for tokens, and the row that says that all else is done.
  expect(rest.resealed).toBe(2)
  expect(await kindsUnder(storage, older)).toEqual([])
  await openEverything(start(ringOf(newer)))
})

test('requests run meanwhile, each to its end, and no connection is opened again', async () => {
  const { storage, start } = world()
  const { openEverything } = await sealEverything(start(ringOf(older)))
  const shop = smallShop()
  let connects = 0
  const connector = {
    ...shop.connector,
    connect: async (secrets: unknown) => {
      connects++
      return shop.connector.connect(secrets)
    },
  }
  const both = start(ringOf(newer, older), { execution: { immediate: true } }, { ...shop, connector })
  const submit = async () => {
    const { id } = await both.requests.submit({ policyKey, identities: [{ email }] })
    return (await both.requests.settled(id)).status
  }
  expect(await submit()).toBe('complete')
  // Longer than a connection is used before its secrets are looked at again.
  const rotated = both.rotateSecrets().then(() => new Promise((resolve) => setTimeout(resolve, 1_100)))
  const statuses = await Promise.all(Array.from({ length: 20 }, submit))
  await rotated
  expect([...new Set([...statuses, await submit()])]).toEqual(['complete'])
  expect(connects).toBe(1)
  expect(await kindsUnder(storage, older)).toEqual([])
  await openEverything(start(ringOf(newer)))
})

test('what another process writes meanwhile is read again, and kept', async () => {
  const { storage, start } = world()
  await sealEverything(start(ringOf(older)))
  // It still seals with the old key.
  const other = start(ringOf(older, newer))
  let isFirst = true
  const meanwhile = watched(storage, 'connectionSecret', ({ replace }) => ({
    async replace(row) {
      if (row.id === 'app' && isFirst) {
        isFirst = false
        await other.connections.setSecrets('app', { host: 'the-newer-host' }, { verify: false })
      }
      return replace(row)
    },
  }))
  await start(ringOf(newer, older), { storage: meanwhile }).rotateSecrets()
  expect(isFirst).toBe(false)
  const row = await storage.table('connectionSecret').get('app')
  const sealed = Buffer.from(row?.sealed ?? '', 'base64')
  expect(new TextDecoder().decode(await ringOf(newer).open(sealed, 'connection:app'))).toContain('the-newer-host')
})

test('a row that is deleted meanwhile counts for nothing', async () => {
  const { storage, start } = world()
  const { complete } = await sealEverything(start(ringOf(older)))
  const meanwhile = watched(storage, 'requestKey', (table) => ({
    async replace(row) {
      await table.take(complete.id)
      return table.replace(row)
    },
  }))
  const { total, unreadable } = await start(ringOf(newer, older), { storage: meanwhile }).rotateSecrets()
  expect([total.requestKeys, unreadable]).toEqual([0, 0])
})

test('what no key opens is named and stays as it is, and all else is sealed anew', async () => {
  const { storage, start } = world()
  await sealEverything(start(ringOf(older)))
  const table = storage.table('connectionSecret')
  const row = (await table.get('app')) as Rows['connectionSecret']
  const lost = Buffer.from(await ringOf('a-lost-key1').seal(Buffer.from('{}'), 'connection:app')).toString('base64')
  await table.replace({ ...row, sealed: lost, version: row.version + 1 })
  const rotation = await start(ringOf(newer, older)).rotateSecrets()
  expect(rotation).toMatchObject({
    unreadable: 1,
    unreadableNames: ['connection:app'],
    total: { connectionSecrets: 2 },
  })
  expect((await table.get('app'))?.sealed).toBe(lost)
  expect(await kindsUnder(storage, older)).toEqual([])
})

test('a key server that is away ends it, and nothing is lost', async () => {
  const { storage, start } = world()
  const { openEverything } = await sealEverything(start(ringOf(older)))
  const ring = ringOf(newer, older)
  let opens = 0
  const away: Secrets = {
    ...ring,
    async open(sealed, context) {
      // The first makes sure that the keys are right.
      if (opens++ > 1) throw Object.assign(new Error('away'), { code: 'unavailable' })
      return ring.open(sealed, context)
    },
  }
  await expect(start(away).rotateSecrets()).rejects.toThrow('away')
  await start(ring).rotateSecrets()
  expect(await kindsUnder(storage, older)).toEqual([])
  await openEverything(start(ringOf(newer)))
})

test('a port that cannot tell has everything sealed anew, each time', async () => {
  const { storage, start } = world()
  await sealEverything(start(ringOf(older)))
  const { isCurrent: _, ...silent } = ringOf(newer, older)
  const first = await start(silent).rotateSecrets()
  expect(await kindsUnder(storage, older)).toEqual([])
  expect(await start(silent).rotateSecrets()).toEqual(first)
})

test('large tables are read in pages', async () => {
  const { storage, start } = world()
  const limits: (number | undefined)[] = []
  const paged = watched(storage, 'requestKey', (table) => ({
    async find(query) {
      limits.push(query?.limit)
      return table.find(query)
    },
  }))
  const ring = ringOf(older)
  const ids = Array.from({ length: 401 }, (_, at) => `pri_${String(at).padStart(4, '0')}`)
  const rows = ids.map(async (id) => {
    const sealedKey = Buffer.from(await ring.seal(Buffer.alloc(32), `privacy-request:${id}`)).toString('base64')
    return { id, version: 1, sealedKey, sealedIdentities: '' }
  })
  await storage.table('requestKey').insertMany(await Promise.all(rows))
  await start(ring).requests.list()
  const { total } = await start(ringOf(newer, older), { storage: paged }).rotateSecrets()
  expect(total.requestKeys).toBe(401)
  expect(limits).toEqual([200, 200, 200])
  expect(await kindsUnder(storage, older)).toEqual([])
})

test('it stops when the service is closed, and goes on in another', async () => {
  const { storage, start } = world()
  await sealEverything(start(ringOf(older)))
  let both: PrivacyService
  const closing = watched(storage, 'connectionSecret', ({ find }) => ({
    async find(query) {
      void both.close()
      return find(query)
    },
  }))
  both = start(ringOf(newer, older), { storage: closing })
  await expect(both.rotateSecrets()).rejects.toMatchObject({ code: 'unavailable', message: 'The service was closed.' })
  expect(await kindsUnder(storage, older)).toEqual(expect.arrayContaining(['requestKey', 'serviceKey']))
  await start(ringOf(newer, older)).rotateSecrets()
  expect(await kindsUnder(storage, older)).toEqual([])
})

test('a run opens the data key of its request once', async () => {
  const { start } = world()
  const ring = ringOf(newer)
  const asked: string[] = []
  const counted: Secrets = {
    ...ring,
    async open(sealed, context) {
      asked.push(context)
      return ring.open(sealed, context)
    },
  }
  const service = start(counted)
  const { complete } = await sealEverything(service)
  expect(asked.filter((context) => context === `privacy-request:${complete.id}`)).toHaveLength(1)
  expect(asked.filter((context) => context === 'service-key:identity-hash')).toHaveLength(1)
})
