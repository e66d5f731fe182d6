import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { createPrivacyService } from '@habeas/core'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { postgresBlobs, postgresConnector, postgresStorage } from '../../src/index.js'
import { buildChild } from '../built-child.js'
import { sharedServer } from '../shared-server.js'
import { customers } from './customers.js'

/* Processes on one state whose clocks differ by more than a lease lasts, and by more than a package is kept. */

const server = sharedServer()
let program: string
beforeAll(async () => {
  program = await buildChild(fileURLToPath(new URL('./wrong-clock-child.ts', import.meta.url)))
})
afterAll(() => rm(dirname(program), { recursive: true }))

const dataset = { service_key: 'shop', collections: [customers] }
const submission = { policyKey: 'default_access_policy', identities: [{ email: 'ann@example.com' }] }
let databases = 0

/** A state of its own, with a service whose clock is right, and a person in a table that can be locked. */
async function world() {
  const name = `clocks_${++databases}`
  const admin = new pg.Client(server.url)
  await admin.connect()
  await admin.query(`create database ${name}`)
  await admin.end()
  const url = Object.assign(new URL(server.url), { pathname: name }).href
  const test = new pg.Client(url)
  await test.connect()
  await test.query(
    `create schema shop; create table shop.customer (id int primary key, email text, name text);
    insert into shop.customer values (1, 'ann@example.com', 'Ann')`,
  )
  const storage = postgresStorage({ connectionString: url })
  const blobs = postgresBlobs({ connectionString: url })
  const privacy = createPrivacyService({
    encryptionKey: Buffer.alloc(32, 5).toString('base64'),
    storage,
    blobs,
    connectors: [postgresConnector()],
    execution: { sweepSeconds: 0.1 },
  })
  onTestFinished(async () => {
    await privacy.close()
    await Promise.all([storage.close(), blobs.close(), test.end()])
  })
  await privacy.connections.put({ key: 'shop', connectionType: 'postgres' })
  await privacy.connections.setSecrets('shop', { url, db_schema: 'shop' }, { verify: false })
  await privacy.connections.attachDataset('shop', dataset)

  return {
    privacy,
    /** Keeps every run at its first read, until that is called which it returns. */
    async lock() {
      await test.query('begin; lock table shop.customer')
      return () => test.query('commit')
    },
    async isWaiting() {
      const waiting = `select from pg_locks where relation = 'shop.customer'::regclass and not granted`
      await expect.poll(async () => (await test.query(waiting)).rowCount).toBe(1)
    },
    async runsOf(id: string): Promise<unknown> {
      const runs = `select document -> 'fencingToken' as runs from habeas.record_privacy_request where id = $1`
      return (await test.query(runs, [id])).rows[0]?.runs
    },
    rowsOf: async (statement: string) => (await test.query(statement)).rowCount,
    /** Another process, whose clock is so many hours ahead. */
    start(hours: number) {
      const child = spawn(process.execPath, [program, url, String(hours)], { stdio: ['pipe', 'pipe', 'inherit'] })
      const ended = once(child, 'close')
      onTestFinished(async () => {
        child.stdin.end()
        await ended
      })
      const lines: string[] = []
      let looks = 0
      createInterface(child.stdout).on('line', (line) => (line === 'looks' ? looks++ : lines.push(line)))
      return {
        async tell(line: string): Promise<string> {
          child.stdin.write(`${line}\n`)
          await expect.poll(() => lines.length).toBeGreaterThan(0)
          return lines.shift() as string
        },
        /** Until it has looked for requests several times more. */
        async looks() {
          const before = looks
          await expect.poll(() => looks).toBeGreaterThan(before + 5)
        },
      }
    },
  }
}

describe('processes whose clocks differ', { timeout: 60_000 }, () => {
  it('one that is ahead takes no request over, and destroys no package', async () => {
    const { privacy, lock, isWaiting, runsOf, rowsOf, start } = await world()
    const unlock = await lock()
    const { id } = await privacy.requests.submit(submission)
    await isWaiting()
    const ahead = start(1_000)
    await ahead.looks()
    await unlock()
    expect(await privacy.requests.settled(id)).toMatchObject({ status: 'complete' })
    expect(await runsOf(id)).toBe(1)
    await privacy.close()
    // One process at a time does the upkeep.
    const upkeep = async () => JSON.parse(await ahead.tell('upkeep'))
    await expect.poll(upkeep, { timeout: 20_000 }).toMatchObject({ done: true, requestsDestroyed: 0 })
    const kept = `select from habeas.record_privacy_request where document ? 'destroyedAt'`
    expect(await rowsOf(kept)).toBe(0)
  })

  it('one that is behind keeps its requests', async () => {
    const { privacy, lock, isWaiting, runsOf, start } = await world()
    const unlock = await lock()
    await privacy.close()
    const behind = start(-1_000)
    const other = start(0)
    const id = await behind.tell('submit')
    await isWaiting()
    await other.looks()
    await unlock()
    await expect.poll(() => runsOf(id)).toBe(1)
    await other.looks()
    expect(await runsOf(id)).toBe(1)
  })
})
