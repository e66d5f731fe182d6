import { afterEach, beforeEach, expect, test } from 'vitest'
import { createPrivacyService, memoryBlobs, memoryStorage, type PrivacyService, type Storage } from '../../src/index.js'
import { email, kindsUnder, policyKey, ringOf } from '../fixtures/sealed-world.js'
import { smallShop } from './small-shop.js'

const [older, newer] = ['an-old-key1', 'a-newer-key']
const blobs = memoryBlobs()
let storage: Storage
const opened: PrivacyService[] = []

beforeEach(() => {
  storage = memoryStorage()
})
afterEach(async () => {
  for (const service of opened.splice(0)) await service.close()
})

/** A process with these keys, the first of which seals. */
function start(...ids: readonly [string, ...string[]]): PrivacyService {
  const execution = { immediate: false }
  const options = { storage, blobs, secrets: ringOf(...ids), connectors: [smallShop().connector], execution }
  const service = createPrivacyService(options) as PrivacyService
  opened.push(service)
  return service
}

const submit = async (service: PrivacyService) =>
  (await service.requests.submit({ policyKey, identities: [{ email }] })).id

const refused = { code: 'misconfigured', details: { option: 'secrets' } }

test('a process without a key that others have begun to seal with is refused, and runs nothing of theirs', async () => {
  const behind = start(older)
  await behind.requests.list()
  const ahead = start(newer, older)
  const id = await submit(ahead)

  await expect(behind.requests.run()).rejects.toMatchObject(refused)
  expect(await behind.health()).toMatchObject({ secrets: 'unhealthy' })
  // Calls look again after a moment.
  await expect
    .poll(() =>
      behind.requests.list().then(
        () => 'answered',
        (error) => error.code,
      ),
    )
    .toBe('misconfigured')
  expect((await ahead.requests.get(id)).status).toBe('pending')
  await ahead.requests.run(id)
  expect((await ahead.requests.get(id)).status).not.toBe('pending')
})

test('a key is needed while something may lie under it, whichever key the storage was begun with', async () => {
  await submit(start(older))
  await submit(start(newer, older))
  await expect(start(newer).requests.list()).rejects.toMatchObject(refused)
  await expect(start(older).requests.list()).rejects.toMatchObject(refused)
  await start(newer, older).rotateSecrets()
  await start(newer).requests.list()
  expect(await storage.table('serviceKey').count({ id: { startsWith: 'key-check' } })).toBe(1)
})

test('a process that still seals with the old key says so after a rotation', async () => {
  const behind = start(older, newer)
  await submit(behind)
  await start(newer, older).rotateSecrets()
  await behind.requests.run()
  await submit(behind)
  await expect(start(newer).requests.list()).rejects.toMatchObject(refused)
  expect(await start(newer, older).rotateSecrets()).toMatchObject({ resealed: expect.any(Number) })
  expect(await kindsUnder(storage, older)).toEqual([])
})

test('many processes that begin at once need one row', async () => {
  await Promise.all(Array.from({ length: 10 }, () => start(older).requests.list()))
  await Promise.all(Array.from({ length: 10 }, () => start(newer, older).requests.list()))
  const rows = await storage.table('serviceKey').find({ where: { id: { startsWith: 'key-check' } } })
  expect(rows.map(({ id }) => id)).toEqual(['key-check', 'key-check/2'])
})
