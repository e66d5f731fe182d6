import { setTimeout as delay } from 'node:timers/promises'
import type { Connector } from '@habeas/core'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { crashWorlds } from './crash-world.js'

const email = 'ann@example.com'
const submission = { policyKey: 'forget', identities: [{ email }] }
/** Who is in the database before anything happens. */
export const people = [
  { id: 1, email, name: 'Ann' },
  { id: 2, email: 'ben@example.com', name: 'Ben' },
]

/** A database with a table or collection `customer`, and the application that works on it. */
export interface SharedShop {
  readonly secrets: Readonly<Record<string, unknown>>
  /** Begins a transaction of the application that holds the row of the first person. */
  hold(): Promise<void>
  /** Ends it, and leaves the row as it was. */
  letGo(): Promise<void>
  /** Whether a write of the erasure has come to the server that the application keeps waiting. */
  waits(): Promise<boolean>
  /** Resolves when nothing runs at the server that a worker has sent, and no transaction of one is open. */
  idle(): Promise<void>
  /** Changes the name of the first person, as the application does by itself. */
  rename(name: string): Promise<void>
  /** Puts a first person there again. */
  signUp(name: string): Promise<void>
  /** Names, in the order of the keys. */
  names(): Promise<readonly string[]>
  close(): Promise<void>
}

export interface OvertakenOptions {
  readonly connector: Connector
  /** The program of a worker: it takes what its order says as options of its connector. */
  readonly program: URL
  /** The column or member that is the key. */
  readonly key: string
  /** Options of the worker's connector by which its transactions soon count as abandoned. */
  readonly connectorOptions: object
  /** Opens a database with the people above. */
  readonly openShop: () => Promise<SharedShop>
}

const policy = {
  service_key: 'forget',
  rules: [{ service_key: 'all', action_type: 'erasure', data_categories: { matches: 'ANY', values: ['user'] } }],
}
const user = { data_categories: ['user'] }
const datasetWith = (key: string) => ({
  service_key: 'shop',
  collections: [
    {
      name: 'customer',
      service_meta: { erase: 'delete' },
      fields: [
        { name: key, service_meta: { primary_key: true } },
        { name: 'email', ...user, service_meta: { identity: 'email' } },
        { name: 'name', ...user },
      ],
    },
  ],
})

/** A worker is killed or stands still while it writes to the person's database, and others go on. */
export function overtakenSuite({ connector, program, key, connectorOptions, openShop }: OvertakenOptions): void {
  const openWorld = crashWorlds({ connector, program, dataset: datasetWith(key), policy })

  describe(`a worker that stops while it writes, on ${connector.type}`, () => {
    let shop: SharedShop
    let world: Awaited<ReturnType<typeof openWorld>>
    let child: Awaited<ReturnType<typeof world.startChild>>
    let state: pg.Client
    let id: string
    const names = () => shop.names()

    beforeEach(async () => {
      shop = await openShop()
      world = await openWorld(shop.secrets)
      state = new pg.Client({ connectionString: world.place.url })
      await state.connect()
      await state.query('select pg_advisory_lock(42)')
    })
    afterEach(async () => {
      child.signal('SIGKILL')
      await state.end()
      await world.close()
      await shop.close()
    })

    /** Starts a worker that comes to a step and waits there. */
    async function startUpTo(step: string, options = {}): Promise<void> {
      child = await world.startChild({ submission, pause: step, connectorOptions: options })
      const paused = `select from pg_locks where locktype = 'advisory' and not granted and objid = 42`
      await reached(async () => (await state.query(paused)).rowCount === 1)
      id = (await world.requests())[0] as string
    }

    /** The application holds Ann's row, and the write of the worker waits for it. */
    async function startUpToTheLock(): Promise<void> {
      await startUpTo('customer: before it is erased')
      await shop.hold()
      await goOn()
      await reached(() => shop.waits())
    }

    const goOn = () => state.query('select pg_advisory_unlock(42)')

    /** Fails when the worker has ended before. */
    async function reached(isThere: () => Promise<boolean>): Promise<void> {
      let early: object | undefined
      void child.ended.then(
        (end) => (early = end),
        (error) => (early = error),
      )
      while (!(await isThere())) {
        if (early) throw new Error(`The worker ended early: ${early instanceof Error ? early : JSON.stringify(early)}`)
        await delay(20)
      }
    }

    it('killed at a lock, it writes nothing more: a legal hold that was made since keeps the rows', async () => {
      await startUpToTheLock()
      child.signal('SIGKILL')
      await child.ended
      const successor = world.openSuccessor()
      await successor.holds.create({ identities: [{ email }], reason: 'a claim' })
      await expect.poll(async () => (await successor.requests.get(id)).status).toBe('paused')
      expect((await successor.requests.get(id)).results).toMatchObject([
        { collection: 'customer', outcomes: [{ outcome: 'skipped', rowCount: 1, reason: 'waits for a legal hold' }] },
      ])
      await shop.letGo()
      await shop.idle()
      expect(await names()).toEqual(['Ann', 'Ben'])
      await successor.close()
    })

    it('frozen before it writes, it writes nothing more: who came after its successor had ended stays', async () => {
      await startUpTo('customer: before it is erased')
      child.signal('SIGSTOP')
      const { request } = await world.endingOf(id)
      expect(request.failure ?? request.status).toBe('complete')
      await shop.signUp('Ann again')
      await goOn()
      child.signal('SIGCONT')
      await child.ended.catch(() => {})
      await shop.idle()
      expect(await names()).toEqual(['Ann again', 'Ben'])
    })

    it('frozen at a lock, it writes nothing more: who came after its successor had ended stays', async () => {
      await startUpToTheLock()
      child.signal('SIGSTOP')
      await shop.letGo()
      const { request } = await world.endingOf(id)
      expect(request.failure ?? request.status).toBe('complete')
      expect(await names()).toEqual(['Ben'])
      await shop.signUp('Ann again')
      child.signal('SIGCONT')
      await child.ended.catch(() => {})
      await shop.idle()
      expect(await names()).toEqual(['Ann again', 'Ben'])
    })

    it('frozen at a lock, it writes nothing more: rows that its successor has called left stay', async () => {
      await startUpToTheLock()
      child.signal('SIGSTOP')
      const successor = world.openSuccessor()
      const { id: held } = await successor.holds.create({ identities: [{ email }], reason: 'a claim' })
      await expect.poll(async () => (await successor.requests.get(id)).status).toBe('paused')
      await shop.letGo()
      await successor.requests.cancel(id)
      await successor.holds.release(held)
      await expect.poll(async () => (await successor.requests.get(id)).status).toBe('error')
      const { totals, collections } = await successor.requests.receipt(id)
      expect([totals, collections]).toMatchObject([{ failed: 1 }, [{ found: 1, after: 1 }]])
      child.signal('SIGCONT')
      await child.ended
      await shop.idle()
      expect(await names()).toEqual(['Ann', 'Ben'])
      await successor.close()
    })

    it('frozen before it commits, it commits no more: a legal hold that was made since keeps the rows', async () => {
      await startUpTo('customer: before the commit of what is erased')
      child.signal('SIGSTOP')
      const successor = world.openSuccessor()
      await successor.holds.create({ identities: [{ email }], reason: 'a claim' })
      await expect.poll(async () => (await successor.requests.get(id)).status).toBe('paused')
      await goOn()
      child.signal('SIGCONT')
      await shop.idle()
      // It waits for its request as long as that waits for the hold.
      child.signal('SIGTERM')
      await child.ended
      expect(await names()).toEqual(['Ann', 'Ben'])
      await successor.close()
    })

    it('frozen before it commits, it keeps no row from the application for long', async () => {
      await startUpTo('customer: before the commit of what is erased', connectorOptions)
      child.signal('SIGSTOP')
      await shop.rename('Ann Bee')
      expect(await names()).toEqual(['Ann Bee', 'Ben'])
      await goOn()
      child.signal('SIGCONT')
      await child.ended
      const { request } = await world.endingOf(id)
      expect(request.failure ?? request.status).toBe('complete')
      expect(await names()).toEqual(['Ben'])
    })
  })
}
