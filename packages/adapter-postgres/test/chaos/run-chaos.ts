import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { memoryQueue, type Queue } from '@habeas/core'
import { startPostgres } from '@habeas/testkit'
import pg from 'pg'
import { expect } from 'vitest'
import { buildChild } from '../built-child.js'
import { cuttingProxy } from '../cutting-proxy.js'
import { type Attack, type AttackPlan, attackedWorkers, attackUntil } from './attacks.js'
import { chaosRequests, describeChaos, halts, kindOf, rowsWithout } from './chaos-requests.js'
import { openChaosService } from './chaos-service.js'
import { type ChaosShop, crash, emailOf, ordersEach, postgresShop } from './chaos-shop.js'
import { insist } from './insist.js'
import { type Halted, openOutside } from './outside.js'
import { seededRandom } from './seeded-random.js'

export interface ChaosSettings {
  /** The program of a worker. Its first argument is its order, as JSON. */
  readonly worker: string
  /** The queue of the process that takes the requests. It is given the address of the state. */
  readonly queue: (state: string) => Queue & { close?(): Promise<void> }
  /** What the order of a worker has besides. */
  readonly order?: object
  /** Opens the database of so many people. Absent: a PostgreSQL. */
  readonly shop?: (people: number) => Promise<ChaosShop>
  /** Further attacks, by name, and those that happen so many times. */
  readonly attacks?: Readonly<Record<string, Attack>>
  readonly certain?: AttackPlan['certain']
}

const requests = Number(process.env['HABEAS_CHAOS'] ?? 24)
const seed = Number(process.env['HABEAS_SEED'] ?? Date.now() % 1_000_000)
/** One for each kind of request: nothing happens to them. */
const calm = [1, 2, 3].map((at) => 2 * requests + at)
const people = 2 * requests + calm.length

/**
 * Many requests, three workers, and no rest: every second a worker is killed or frozen beyond its leases, others are told to
 * end. Lines to both databases break off, both servers start again, mail server and receivers of webhooks are away, holds are made and
 * released. Every request has to end as one to which nothing happened. HABEAS_CHAOS is the number of requests, HABEAS_SEED
 * repeats what was done to them.
 */
export async function runChaos({
  worker,
  queue,
  order,
  shop: open = postgresShop,
  ...more
}: ChaosSettings): Promise<void> {
  console.log(`chaos: ${requests} requests, HABEAS_SEED=${seed}`)
  const random = seededRandom(seed)
  const program = await buildChild(worker)
  const shop = await open(people)
  // What it has confirmed has to outlive its crashes.
  const server = await startPostgres({ durable: true })
  const admin = new pg.Pool({ connectionString: server.url, max: 1 })
  admin.on('error', () => {})
  const line = await cuttingProxy(server.url)
  const halted: Halted[] = []
  const outside = await openOutside({ halts, onHalted: (request) => void halted.push(request) })
  const place = { outside: outside.url, state: server.url }
  const service = openChaosService(place, { queue: queue(server.url), connector: shop.connector })
  const { privacy, pool } = service
  const { ask, resume, endingOf } = chaosRequests(privacy, outside)
  let resuming = true
  const receiver = (async () => {
    const answers: Promise<void>[] = []
    for (; resuming; await delay(50)) answers.push(...halted.splice(0).map(resume))
    await Promise.all(answers)
  })()

  await describeChaos(privacy, shop, outside.url)
  const calmEndings = await runCalmly()
  const {
    deploy,
    close: endWorkers,
    ...worst
  } = attackedWorkers(program, { ...order, ...place, state: line.url }, random)
  const ids = new Map<number, string>()
  // They come while everything else happens.
  const asking = (async () => {
    const all: Promise<unknown>[] = []
    for (let person = 1; person <= requests; person++) {
      all.push(ask(person).then((id) => ids.set(person, id)))
      await delay(Math.random() * 2_000)
    }
    await Promise.all(all)
  })()

  const awayFor = async (leave: () => void, comeBack: () => void) => {
    leave()
    await delay(500 + random() * 2_500)
    comeBack()
  }
  const until = Date.now() + Math.max(45_000, requests * 1_000)
  const counts = await attackUntil({
    random,
    steady: worst,
    beside: {
      ...more.attacks,
      deploy,
      'cut state': () => awayFor(line.cut, line.heal),
      'cut shop': () => awayFor(shop.cut, shop.heal),
      'no mail': () => awayFor(outside.leave, outside.comeBack),
      hold,
    },
    certain: {
      ...more.certain,
      'restart state': { times: 3, attack: () => crash(admin) },
      'restart shop': { times: 3, attack: shop.restart },
    },
    async isOver() {
      if (Date.now() > until) return true
      const status = ['identity_unverified', 'pending', 'in_processing', 'paused'] as const
      return ids.size === requests && (await insist(() => privacy.requests.list({ status, size: 1 }))).total === 0
    },
  })
  const { total: ended } = await insist(() => privacy.requests.list({ status: ['complete'], size: 1 }))
  console.log(`chaos: ${counts.join(', ')}, and ${ended - calm.length} of ${requests} had ended meanwhile`)
  await asking

  expect((await insist(() => privacy.requests.list({ size: 1 }))).total).toBe(requests + calm.length)
  for (const id of ids.values()) await insist(() => privacy.requests.settled(id))
  resuming = false
  await receiver
  // A mail whose sender was killed is sent again two minutes later.
  const later = openChaosService(place, { queue: memoryQueue(), connector: shop.connector, minutesAhead: 5 })
  await insist(() => later.privacy.upkeep())
  await later.close()
  const endings = new Map<number, unknown>()
  for (const [person, id] of ids) endings.set(person, await endingOf(person, id))
  const asCalmly = new Map([...ids.keys()].map((person) => [person, calmEndings.get(kindOf(person))]))
  expect(endings, `HABEAS_SEED=${seed}`).toEqual(asCalmly)
  const erased = new Set([...ids.keys(), ...calm].filter((person) => kindOf(person) !== 'access'))
  expect(await shop.rows()).toEqual(rowsWithout(people, erased))

  // Nobody holds anything any more, and no statement of a former holder comes late.
  const state = async (text: string) => (await pool.query(text)).rows[0].count
  expect(await state('select count(*)::int from state.record_erasure_lock')).toBe(0)
  const leased = `select count(*)::int from state.record_privacy_request where document ->> 'leaseHolder' is not null`
  expect(await state(leased)).toBe(0)
  await shop.comeAgain([...erased])
  await endWorkers()
  await service.close()
  await expect.poll(shop.others).toBe(0)
  const back = rowsWithout(people, new Set())
  expect(await shop.rows()).toMatchObject({ customer: back.customer, card: back.card })

  await Promise.all([admin.end(), outside.close(), line.close(), shop.close()])
  await server.stop()
  await rm(dirname(program), { recursive: true })

  /** Runs one request of each kind, to which nothing happens. */
  async function runCalmly() {
    const ending = new AbortController()
    const working = privacy.work({ signal: ending.signal })
    const endings = new Map<string, Awaited<ReturnType<typeof endingOf>>>()
    for (const person of calm) {
      const id = await ask(person)
      await privacy.requests.settled(id)
      await expect
        .poll(async () => (await privacy.requests.get(id)).mails?.every(({ status }) => status === 'sent'))
        .toBe(true)
      endings.set(kindOf(person), await endingOf(person, id))
    }
    ending.abort()
    await working
    for (const { end, doubts } of endings.values()) expect([end, doubts]).toEqual(['complete', []])
    const { package: delivered, told } = endings.get('both') as Awaited<ReturnType<typeof endingOf>>
    expect(told).toEqual({
      mails: { identity_verification: 1, request_receipt: 1, request_completion: 2 },
      calls: { pre: 1, post: 1 },
    })
    expect(delivered).toMatchObject({ 'shop:customer': [{}], 'shop:card': [{}] })
    expect(delivered['shop:orders']).toHaveLength(ordersEach)
    return endings
  }

  async function hold(): Promise<void> {
    const email = emailOf(1 + Math.floor(random() * requests))
    const { id } = await insist(() => privacy.holds.create({ identities: [{ email }], reason: 'a claim' }))
    await delay(random() * 3_000)
    await insist(() => privacy.holds.release(id))
  }
}
