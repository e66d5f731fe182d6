import {
  aesSecrets,
  createPrivacyService,
  memoryStorage,
  type PrivacyService,
  type PrivacyServiceOptions,
  type Storage,
} from '@habeas/core'
import { memoryConnector } from '@habeas/testkit'
import { afterEach, beforeEach, expect, test } from 'vitest'

const key = (byte: number) => Buffer.alloc(32, byte).toString('base64')
const [first, another] = [key(1), key(2)]
const password = { url: 'postgresql://ann:hunter2@localhost/shop' }

let storage: Storage
let services: PrivacyService[]

beforeEach(() => {
  storage = memoryStorage()
  services = []
})
afterEach(async () => {
  for (const service of services) await service.close()
})

function start(options: Omit<PrivacyServiceOptions, 'connectors'>): PrivacyService {
  const connector = memoryConnector({ database: {} })
  const service = createPrivacyService({ storage, connectors: [connector], ...options }) as PrivacyService
  services.push(service)
  return service
}

/** A service that has stored a secret and a request that waits. */
async function begun() {
  const service = start({ encryptionKey: first, execution: { immediate: false } })
  await service.connections.put({ key: 'shop', connectionType: 'postgres' })
  await service.connections.setSecrets('shop', password, { verify: false })
  const policyKey = 'default_access_policy'
  const { id } = await service.requests.submit({ policyKey, identities: [{ email: 'ann@example.com' }] })
  return { service, id }
}

/** Everything stored, as it is. */
const stored = async () =>
  JSON.stringify([await storage.table('connection').find(), await storage.table('serviceKey').find()])

test('another key than the first is refused, and overwrites nothing', async () => {
  await begun()
  const before = await stored()
  const other = start({ encryptionKey: another, execution: { immediate: false } })
  const refused = {
    code: 'misconfigured',
    details: { option: 'encryptionKey' },
    message: expect.stringContaining('must be the key that this storage was begun with'),
  }
  await expect(other.connections.list()).rejects.toMatchObject(refused)
  await expect(other.connections.setSecrets('shop', password, { verify: false })).rejects.toMatchObject(refused)
  await expect(other.requests.run()).rejects.toMatchObject(refused)
  expect(await other.health()).toMatchObject({ secrets: 'unhealthy' })
  expect(await stored()).toBe(before)
})

test('the right key under another id is told by its id', async () => {
  await begun()
  const renamed = start({ secrets: aesSecrets({ keys: { 'key-2': first } }), execution: { immediate: false } })
  const message =
    "It is sealed under the key id 'default', and aesSecrets keys has 'key-2': where the key is there under"
  await expect(renamed.connections.list()).rejects.toMatchObject({
    code: 'misconfigured',
    message: expect.stringContaining(message),
  })
})

test('a process with another key runs nothing', async () => {
  const { service, id } = await begun()
  let asked = 0
  const table = ((name: never) => {
    const known = storage.table(name)
    const find = async (query: never) => {
      if (name === 'serviceKey') asked++
      return known.find(query)
    }
    return { ...known, find }
  }) as Storage['table']
  const execution = { sweepSeconds: 0.01 }
  start({ storage: { ...storage, table }, encryptionKey: another, execution: execution as never })
  await expect.poll(() => asked, { timeout: 60_000 }).toBeGreaterThan(5)
  expect((await service.requests.get(id)).status).toBe('pending')
  await service.requests.run(id)
  expect((await service.requests.get(id)).status).toBe('complete')
})

test('a ring that holds the first key goes on, and one without it is refused', async () => {
  await begun()
  const keys = { default: first, 'key-2': another }
  expect(await start({ secrets: aesSecrets({ keys, current: 'key-2' }) }).connections.list()).toMatchObject({
    total: 1,
  })
  const alone = start({ secrets: aesSecrets({ keys: { 'key-2': another } }) })
  await expect(alone.connections.list()).rejects.toMatchObject({
    code: 'misconfigured',
    details: { option: 'secrets' },
  })
})

test('a storage that was away is asked again', async () => {
  let isAway = true
  const table = ((name: never) => {
    const known = storage.table(name)
    const find = async (query: never) => {
      if (isAway) throw new Error('away')
      return known.find(query)
    }
    return { ...known, find }
  }) as Storage['table']
  const service = start({ storage: { ...storage, table }, encryptionKey: first, execution: { immediate: false } })
  await expect(service.connections.list()).rejects.toThrow('away')
  isAway = false
  // Upkeep may have asked just before.
  const list = () => service.connections.list().catch(() => undefined)
  await expect.poll(list, { timeout: 60_000 }).toMatchObject({ total: 0 })
})
