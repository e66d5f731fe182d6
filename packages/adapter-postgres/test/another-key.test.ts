import { createPrivacyService, type PrivacyService, type Storage } from '@habeas/core'
import { afterEach, expect, it } from 'vitest'
import { email, policyKey, ringOf } from '../../core/test/fixtures/sealed-world.js'
import { smallShop } from '../../core/test/spec/small-shop.js'
import { postgresBlobs, postgresStorage } from '../src/index.js'
import { sharedServer } from './shared-server.js'

const server = sharedServer()
const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

let schemas = 0
const newSchema = () => `another_key_${++schemas}`

/** A process with these keys, the first of which seals. It has a storage of its own, on the database that all share. */
function start(schema: string, ids: readonly [string, ...string[]], { immediate = false, inProcess = true } = {}) {
  const stored = postgresStorage({ connectionString: server.url, schema })
  const blobs = postgresBlobs({ connectionString: server.url, schema })
  let checks = 0
  const table = ((kind: never) => {
    const known = stored.table(kind)
    const find = async (query: never) => {
      if (kind === 'serviceKey') checks++
      return known.find(query)
    }
    return { ...known, find }
  }) as Storage['table']
  const execution = { immediate, inProcess, sweepSeconds: 0.05 }
  const options = { storage: { ...stored, table }, blobs, secrets: ringOf(...ids), execution }
  const privacy = createPrivacyService({ ...options, connectors: [smallShop().connector] }) as PrivacyService
  closing.push(async () => {
    await privacy.close()
    await stored.close()
    await blobs.close()
  })
  return { privacy, checks: () => checks }
}

const refused = { code: 'misconfigured', details: { option: 'secrets' } }

/** Every function of the service, by its path. */
function functionsOf(part: object, path = ''): [string, (...given: unknown[]) => unknown][] {
  return Object.entries(part).flatMap(([name, member]) => {
    if (typeof member === 'function') return [[`${path}${name}`, member]]
    return typeof member === 'object' && !Array.isArray(member) ? functionsOf(member, `${path}${name}.`) : []
  })
}

it('refuses another key than the one that the storage was begun with', async () => {
  const schema = newSchema()
  const call = (...ids: [string, ...string[]]) =>
    start(schema, ids).privacy.connections.put({ key: 'shop', connectionType: 'postgres' })
  // Of several first processes one makes the row, and all of them open it.
  await Promise.all([call('key-1'), call('key-1'), call('key-1')])
  await expect(call('key-2')).rejects.toMatchObject(refused)
  await call('key-2', 'key-1')
  await call('key-1', 'key-2')
})

it('answers no call in a process with another key, runs nothing there, and says so in its health', async () => {
  const schema = newSchema()
  const { privacy } = start(schema, ['key-1'])
  const { id } = await privacy.requests.submit({ policyKey, identities: [{ email }] })
  const { privacy: other, checks } = start(schema, ['key-2'], { immediate: true })
  expect(await other.health()).toMatchObject({ secrets: 'unhealthy' })
  // They ask nothing of the storage.
  const harmless = ['on', 'close', 'health', 'isReady', 'connections.kinds', 'manifests.read']
  // A process that runs requests by itself is no worker, whatever its key is.
  const calls = functionsOf(other).filter(([name]) => ![...harmless, 'work'].includes(name))
  expect(calls.length).toBeGreaterThan(80)
  for (const [name, call] of calls) {
    const answer = call(id) as Promise<unknown> | AsyncIterable<unknown>
    const first = Symbol.asyncIterator in answer ? answer[Symbol.asyncIterator]().next() : answer
    const error = await first.then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    expect.soft({ name, error }).toMatchObject({ name, error: refused })
  }
  const { privacy: worker } = start(schema, ['key-2'], { inProcess: false })
  await expect(worker.work()).rejects.toMatchObject(refused)
  const before = checks()
  await expect.poll(checks).toBeGreaterThan(before + 5)
  expect((await privacy.requests.get(id)).status).toBe('pending')
  await privacy.requests.run(id)
  expect((await privacy.requests.get(id)).status).not.toBe('pending')
})

it('runs nothing in a process that began before others sealed with a key it lacks', async () => {
  const schema = newSchema()
  const { privacy: behind, checks } = start(schema, ['key-1'], { immediate: true })
  await behind.requests.list()
  expect(await behind.health()).toMatchObject({ secrets: 'healthy' })
  const { privacy: ahead } = start(schema, ['key-2', 'key-1'])
  const { id } = await ahead.requests.submit({ policyKey, identities: [{ email }] })
  expect(await behind.health()).toMatchObject({ secrets: 'unhealthy' })
  const before = checks()
  await expect.poll(checks).toBeGreaterThan(before + 5)
  await expect.poll(() => behind.requests.get(id).catch((error) => error)).toMatchObject(refused)
  expect((await ahead.requests.get(id)).status).toBe('pending')
})
