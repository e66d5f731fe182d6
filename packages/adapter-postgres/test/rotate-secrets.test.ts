import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, URL } from 'node:url'
import { createPrivacyService, type PrivacyService } from '@habeas/core'
import { build } from 'esbuild'
import pg from 'pg'
import { afterAll, afterEach, expect, it } from 'vitest'
import {
  email,
  keptCalls,
  kindsUnder,
  policyKey,
  ringOf,
  sealEverything,
} from '../../core/test/fixtures/sealed-world.js'
import { smallShop } from '../../core/test/spec/small-shop.js'
import { postgresBlobs, postgresStorage } from '../src/index.js'
import { sharedServer } from './shared-server.js'

const server = sharedServer()
const [older, newer] = ['an-old-key1', 'a-newer-key']
let databases = 0
const closing: (() => Promise<void>)[] = []
const folders: string[] = []

afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true })
})

/** An empty database, and processes on it. Each has connections of its own. */
async function world() {
  const name = `rotated_${++databases}`
  const admin = new pg.Client(server.url)
  await admin.connect()
  await admin.query(`create database ${name}`)
  await admin.end()
  const connectionString = server.url.replace(/\/[^/]*$/, `/${name}`)
  const { sender: webhookSender } = keptCalls()

  function start(ids: readonly [string, ...string[]], { immediate = false } = {}): PrivacyService {
    const storage = postgresStorage({ connectionString })
    const blobs = postgresBlobs({ connectionString })
    const options = { storage, blobs, webhookSender, secrets: ringOf(...ids), execution: { immediate } }
    const service = createPrivacyService({ ...options, connectors: [smallShop().connector] }) as PrivacyService
    closing.push(async () => {
      await service.close()
      await storage.close()
      await blobs.close()
    })
    return service
  }
  const storage = postgresStorage({ connectionString })
  closing.push(() => storage.close())
  return { connectionString, storage, start }
}

const submit = (service: PrivacyService) => service.requests.submit({ policyKey, identities: [{ email }] })

it('seals everything anew while other processes run requests, and the old key can be taken out', async () => {
  const { storage, start } = await world()
  const { openEverything } = await sealEverything(start([older]))
  const [worker, taker] = [start([newer, older], { immediate: true }), start([newer, older])]
  const statuses: Promise<string>[] = []
  const takeAndRun = async () => {
    const { id } = await submit(taker)
    return (await worker.requests.settled(id)).status
  }
  for (let count = 0; count < 5; count++) statuses.push(takeAndRun())
  const rotating = start([newer, older]).rotateSecrets()
  for (let count = 0; count < 5; count++) {
    statuses.push(takeAndRun())
    await taker.connections.setSecrets('app', { host: `host-${count}` }, { merge: true, verify: false })
  }
  const { resealed, unreadable } = await rotating
  expect([...new Set(await Promise.all(statuses))]).toEqual(['complete'])
  expect([resealed > 5, unreadable]).toEqual([true, 0])
  expect(await kindsUnder(storage, older)).toEqual([])

  const after = start([newer])
  expect(await after.health()).toMatchObject({ secrets: 'healthy' })
  await openEverything(after)
  expect(await start([newer, older]).rotateSecrets()).toMatchObject({ resealed: 0, unreadable: 0 })
})

it('goes on where a process was killed, as often as that happens', async () => {
  const { connectionString, storage, start } = await world()
  const before = start([older])
  const { openEverything } = await sealEverything(before)
  for (let count = 0; count < 5; count++) await submit(before)
  const folder = await mkdtemp(join(tmpdir(), 'habeas-rotation-'))
  folders.push(folder)
  const program = join(folder, 'program.mjs')
  await build({
    entryPoints: [fileURLToPath(new URL('./rotate-and-die.ts', import.meta.url))],
    ...{ outfile: program, bundle: true, platform: 'node', format: 'esm', target: 'node20' },
    conditions: ['@habeas/source'],
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    external: ['pg-native'],
  })
  const counts: number[] = []
  for (let ended = false; !ended; ) {
    const child = spawn(process.execPath, [program, connectionString, '2'], { stdio: ['ignore', 'pipe', 'inherit'] })
    let said = ''
    child.stdout.on('data', (chunk) => {
      said += chunk
    })
    const [code, signal] = await once(child, 'close')
    ended = code === 0
    if (ended) expect(Number(said)).toBeLessThan(2)
    else expect(signal).toBe('SIGKILL')
    counts.push((await kindsUnder(storage, older)).length)
    // Until the last row was sealed anew, a process without the old key is refused.
    const health = (await start([newer]).health()).secrets
    expect(health).toBe(counts.at(-1) === 0 ? 'healthy' : 'unhealthy')
  }
  expect(counts.length).toBeGreaterThan(3)
  expect(counts.toSorted((one, two) => two - one)).toEqual(counts)
  expect(counts.at(-1)).toBe(0)
  expect(await start([newer, older]).rotateSecrets()).toMatchObject({ resealed: 0, unreadable: 0 })
  await openEverything(start([newer]))
})

it('makes the keys anew that docs/keys.md deletes after a theft, and every token ends', async () => {
  const { connectionString, start } = await world()
  const before = start([newer])
  const client = await before.clients.create(['policy:read'])
  const { accessToken } = await before.tokens.issue(client)
  const evidenceKey = await before.requests.evidenceKey()
  const page = await readFile(new URL('../../../docs/keys.md', import.meta.url), 'utf8')
  const [, statement = ''] = /```sql\n([^`]*)```/.exec(page) ?? []
  const admin = new pg.Client(connectionString)
  await admin.connect()
  expect((await admin.query(statement)).rowCount).toBe(2)
  await admin.end()

  const after = start([newer])
  await expect(after.tokens.verify(accessToken)).rejects.toMatchObject({ code: 'unauthenticated' })
  expect(await after.tokens.verify((await after.tokens.issue(client)).accessToken)).toMatchObject({
    clientId: client.clientId,
  })
  expect(await after.requests.evidenceKey()).not.toBe(evidenceKey)
})
