import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Queue, verifyEvidence } from '@habeas/core'
import { startPostgres } from '@habeas/testkit'
import pg from 'pg'
import { expect } from 'vitest'
import { buildChild } from '../built-child.js'
import { cuttingProxy } from '../cutting-proxy.js'
import { openChaosService } from './chaos-service.js'

/** What carries the hints in the processes of the chaos, and what else is done to them. */
export interface ChaosHints {
  /** The program of a worker. Its first argument is its order, as JSON. */
  readonly worker: string
  /** The queue of the process that takes the requests. It is given the address of the state. */
  readonly queue: (state: string) => Queue & { close(): Promise<void> }
  /** What the order of a worker has besides the address of the state. */
  readonly order?: object
  /** Further attacks, by name, and the one that comes first. */
  readonly attacks?: Readonly<Record<string, () => Promise<void>>>
  readonly first?: string
}

const requests = Number(process.env['HABEAS_CHAOS'] ?? 24)
const seed = Number(process.env['HABEAS_SEED'] ?? Date.now() % 1_000_000)
const ordersEach = 50
const leaseMs = 5_000

const random = randomOf(seed)
const oneOf = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item

const user = { data_categories: ['user'] }
const key = { name: 'id', service_meta: { primary_key: true } }
const ofCustomer = { references: [{ dataset: 'shop', field: 'customer.id', direction: 'from' as const }] }
const dataset = {
  service_key: 'shop',
  collections: [
    {
      name: 'customer',
      fields: [key, { name: 'email', service_meta: { identity: 'email' } }, { name: 'name', ...user }],
    },
    { name: 'orders', fields: [key, { name: 'customer_id', service_meta: ofCustomer }, { name: 'note', ...user }] },
  ],
}
const kinds = ['access', 'erasure', 'both'] as const
const kindOf = (person: number) => kinds[person % kinds.length] as (typeof kinds)[number]
const emailOf = (person: number) => `person${person}@example.com`

/**
 * Many requests, three workers, and no rest: workers are killed, frozen beyond their leases and told to end, lines to both
 * databases break off for seconds, the server crashes, holds are made and released. Every request has to end as if nothing
 * had happened. HABEAS_CHAOS is the number of requests, HABEAS_SEED repeats what was done to them.
 */
export async function runChaos(hints: ChaosHints): Promise<void> {
  console.log(`chaos: ${requests} requests, HABEAS_SEED=${seed}`)
  const program = await buildChild(hints.worker)
  // What it has confirmed has to outlive its crashes.
  const server = await startPostgres({ durable: true })
  const admin = new pg.Pool({ connectionString: server.url, max: 2 })
  admin.on('error', () => {})
  await admin.query('create database state')
  await admin.query('create database shop')
  const urlOf = (database: string) => server.url.replace(/postgres$/, database)
  const shop = new pg.Pool({ connectionString: urlOf('shop'), max: 2 })
  shop.on('error', () => {})
  await shop.query(`
    create table customer (id int primary key, email text unique, name text);
    create table orders (id int primary key, customer_id int not null references customer, note text);
    create index on orders (customer_id);
    insert into customer select n, 'person' || n || '@example.com', 'name ' || n from generate_series(1, ${2 * requests}) n;
    insert into orders select n * 1000 + m, n, 'note ' || m
      from generate_series(1, ${2 * requests}) n, generate_series(1, ${ordersEach}) m
  `)
  const lines = { state: await cuttingProxy(urlOf('state')), shop: await cuttingProxy(urlOf('shop')) }
  const queue = hints.queue(urlOf('state'))
  const { privacy, pool } = openChaosService({ state: urlOf('state'), queue })

  /** A caller repeats what an outage has kept from it. */
  async function insist<Result>(call: () => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        return await call()
      } catch (error) {
        if (!['unavailable', undefined].includes((error as { code?: string }).code) && !isOutage(error)) throw error
        await delay(100)
      }
    }
  }

  await privacy.connections.put({ key: 'shop', connectionType: 'postgres', access: 'write' })
  await privacy.connections.setSecrets('shop', { url: lines.shop.url }, { verify: false })
  await privacy.connections.attachDataset('shop', dataset)
  const all = { data_categories: { matches: 'ANY', values: ['user'] } } as const
  const rule = (action_type: 'access' | 'erasure') => ({ service_key: action_type, action_type, ...all })
  await privacy.policies.put({ service_key: 'access', rules: [rule('access')] })
  await privacy.policies.put({ service_key: 'erasure', rules: [rule('erasure')] })
  await privacy.policies.put({ service_key: 'both', rules: [rule('access'), rule('erasure')] })

  const start = () => {
    const child = spawn(process.execPath, [program, JSON.stringify({ ...hints.order, state: lines.state.url })], {
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    return { child, gone: once(child, 'exit') }
  }
  const workers = [start(), start(), start()]
  const frozen = new Set<ChildProcess>()
  const done = new Map<string, number>()

  const ids = new Map<number, string>()
  // They come while everything else happens.
  const submitting = (async () => {
    for (let person = 1; person <= requests; person++) {
      const email = emailOf(person)
      const submit = async () => {
        // A submission that was stored although its answer got lost is not repeated.
        const [stored] = (await privacy.requests.list({ identity: email })).items
        return stored ?? privacy.requests.submit({ policyKey: kindOf(person), identities: [{ email }] })
      }
      ids.set(person, (await insist(submit)).id)
      await delay(Math.random() * 2_000)
    }
  })()

  const outage = async (line: 'state' | 'shop') => {
    lines[line].cut()
    await delay(500 + random() * 2_500)
    lines[line].heal()
  }
  let crashes = 0
  const attacks: Readonly<Record<string, () => Promise<void>>> = {
    ...hints.attacks,
    async kill() {
      const at = Math.floor(random() * workers.length)
      workers[at]?.child.kill('SIGKILL')
      await workers[at]?.gone
      workers[at] = start()
    },
    async freeze() {
      const { child } = oneOf(workers)
      if (frozen.has(child)) return
      frozen.add(child)
      child.kill('SIGSTOP')
      void delay(leaseMs * 1.4).then(() => {
        child.kill('SIGCONT')
        frozen.delete(child)
      })
    },
    async deploy() {
      const at = workers.findIndex(({ child }) => !frozen.has(child))
      workers[at]?.child.kill('SIGTERM')
      await workers[at]?.gone
      if (at >= 0) workers[at] = start()
    },
    state: () => outage('state'),
    shop: () => outage('shop'),
    /** A session that is killed makes the server end all others and recover. */
    async crash() {
      if (crashes++ >= 3) return
      const { rows } = await insist(() => admin.query('select pg_backend_pid() as pid'))
      process.kill(rows[0].pid, 'SIGKILL')
    },
    async hold() {
      const person = 1 + Math.floor(random() * requests)
      const hold = { identities: [{ email: emailOf(person) }], reason: 'a claim' }
      const { id } = await insist(() => privacy.holds.create(hold))
      await delay(random() * 3_000)
      await insist(() => privacy.holds.release(id))
    },
  }
  const open = async () => {
    const status = ['pending', 'in_processing', 'paused'] as const
    const { total } = await insist(() => privacy.requests.list({ status, size: 1 }))
    return total + requests - ids.size
  }
  for (const until = Date.now() + Math.max(45_000, requests * 1_000); Date.now() < until && (await open()) > 0; ) {
    const name = done.size === 0 && hints.first ? hints.first : oneOf(Object.keys(attacks))
    done.set(name, (done.get(name) ?? 0) + 1)
    await Promise.all([attacks[name]?.(), delay(1_000)])
  }
  await submitting
  console.log(`chaos: ${[...done].map(([name, times]) => `${name} ${times}`).join(', ')}`)

  expect((await insist(() => privacy.requests.list({ size: 1 }))).total).toBe(requests)
  for (const [person, id] of ids) {
    const request = await insist(() => privacy.requests.settled(id))
    expect(request.failure ?? request.status, `person ${person}, HABEAS_SEED=${seed}`).toBe('complete')
    if (kindOf(person) !== 'erasure') {
      const parts: Uint8Array[] = []
      for await (const part of privacy.requests.readPackage(id)) parts.push(part)
      const rows = JSON.parse(Buffer.concat(parts).toString())
      expect(rows['shop:customer']).toEqual([{ name: `name ${person}` }])
      const notes = rows['shop:orders'].map(({ note }: { note: string }) => note)
      expect(notes.sort()).toEqual(Array.from({ length: ordersEach }, (_, at) => `note ${at + 1}`).sort())
    }
    if (kindOf(person) !== 'access') {
      const orders = request.results?.find((each) => each.collection === 'orders' && each.actionType === 'erasure')
      const masked = orders?.outcomes.reduce((sum, { rowCount }) => sum + rowCount, 0)
      expect(masked, `person ${person}`).toBe(ordersEach)
      expect(verifyEvidence(await privacy.requests.exportEvidence(id)).problems).toEqual([])
    }
  }
  const erased = [...ids.keys()].filter((person) => kindOf(person) !== 'access')
  const { rows: customers } = await shop.query('select id, name from customer order by id')
  expect(customers).toEqual(
    Array.from({ length: 2 * requests }, (_, at) => ({
      id: at + 1,
      name: erased.includes(at + 1) ? null : `name ${at + 1}`,
    })),
  )
  const changed = await shop.query(`select distinct customer_id from orders where note is null order by 1`)
  expect(changed.rows.map(({ customer_id }) => customer_id)).toEqual(erased)
  const left = await shop.query(`select from orders where note is not null and customer_id = any($1)`, [erased])
  expect(left.rowCount).toBe(0)

  // Nobody holds anything any more, and no statement of a former holder comes late.
  const state = async (text: string) => (await pool.query(text)).rows[0].count
  expect(await state('select count(*)::int from state.record_erasure_lock')).toBe(0)
  const leased = `select count(*)::int from state.record_privacy_request where document ->> 'leaseHolder' is not null`
  expect(await state(leased)).toBe(0)
  await shop.query(`update customer set name = 'again' where id = any($1)`, [erased])
  for (const child of frozen) child.kill('SIGCONT')
  await delay(2_000)
  const again = await shop.query(`select count(*)::int from customer where name = 'again'`)
  expect(again.rows[0].count).toBe(erased.length)

  for (const { child, gone } of workers) {
    child.kill('SIGKILL')
    await gone
  }
  await privacy.close()
  await queue.close()
  await Promise.all([pool.end(), shop.end(), admin.end(), lines.state.close(), lines.shop.close()])
  await server.stop()
  await rm(dirname(program), { recursive: true })
}

function isOutage(error: unknown): boolean {
  return /terminat|ECONN|recovery|starting up|closed|shutting/i.test(String((error as Error).message))
}

/** Numbers from 0 to 1 that a seed repeats (mulberry32). */
function randomOf(start: number): () => number {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
