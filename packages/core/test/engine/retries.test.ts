import {
  type Identity,
  memoryBlobs,
  memoryStorage,
  PrivacyError,
  type PrivacyService,
  type Storage,
  systemRuntime,
} from '@habeas/core'
import { memoryConnector } from '@habeas/testkit'
import { describe, expect, it } from 'vitest'
import { erasureWorld } from '../erasure/erasure-world.js'
import { collection, field, id, refer, shopOf, table } from './described.js'
import { openService } from './service-run.js'

const ann: Identity = { email: 'ann@example.com' }
const away = new PrivacyError('connection_failed', 'The server is starting up.', { reason: 'other', transient: true })

function shop() {
  return shopOf(
    [
      collection('customer', [id, field('email', { identity: 'email' })]),
      collection('orders', [id, refer('customer_id', 'customer.id'), field('note')]),
      collection('visits', [id, refer('customer_id', 'customer.id'), field('place')]),
    ],
    {
      customer: table({ id: 'integer', email: 'string' }, [[1, 'ann@example.com']]),
      orders: table({ id: 'integer', customer_id: 'integer', note: 'string' }, [
        [1, 1, 'a'],
        [2, 1, 'b'],
      ]),
      visits: table({ id: 'integer', customer_id: 'integer', place: 'string' }, [[1, 1, 'here']]),
    },
  )
}

const quickly = { retryMinutes: 5, retryDelaySeconds: 0.01, sweepSeconds: 0.01 }

describe('a failure that may pass by itself', () => {
  it('is tried again until it has passed, and nothing that was read is read again', async () => {
    const given = shop()
    given.connector.failNext({ operation: 'read', collection: 'orders', error: away, times: 3 })
    const { privacy, submit, events, read } = await openService([given], { execution: quickly })
    const requestId = await submit(ann)
    const request = await privacy.requests.settled(requestId)
    expect(request.status).toBe('complete')
    expect(request).not.toHaveProperty('retry')
    expect((await read(requestId))['shop:orders']).toHaveLength(2)
    const reads = given.connector.calls.flatMap(({ operation, read }) => (operation === 'read' ? read?.collection : []))
    expect(reads.filter((name) => name !== 'orders').sort()).toEqual(['customer', 'visits'])
    const { items: log } = await privacy.requests.log(requestId)
    expect(log.filter((entry) => entry.collection === 'orders').map(({ status }) => status)).toEqual([
      'in_processing',
      ...Array.from({ length: 3 }, () => ['error', 'retrying']).flat(),
      'complete',
    ])
    const told = events.flatMap((event) => (event.type === 'request' ? (event.message ?? []) : []))
    expect(told.map((message) => /failures in a row: (\d).*The server is starting up/.exec(message)?.[1])).toEqual([
      '1',
      '2',
      '3',
    ])
    await privacy.close()
  })

  it('is shown while it lasts, and a call of `run` does not wait for the next attempt', async () => {
    const given = shop()
    given.connector.failNext({ operation: 'read', collection: 'orders', error: away })
    const execution = { immediate: false, retryMinutes: 5, retryDelaySeconds: 60 }
    const { privacy, submit } = await openService([given], { execution })
    const requestId = await submit(ann)
    await privacy.requests.run(requestId)
    const { status, retry } = await privacy.requests.get(requestId)
    expect(status).toBe('in_processing')
    expect(retry).toMatchObject({ attempts: 1, reason: expect.stringContaining('The server is starting up.') })
    expect(Date.parse(retry?.at ?? '') - Date.now()).toBeGreaterThan(20_000)
    // What waits is not due yet.
    await privacy.requests.run()
    expect((await privacy.requests.get(requestId)).retry).toEqual(retry)
    await privacy.requests.run(requestId)
    expect((await privacy.requests.get(requestId)).status).toBe('complete')
    await privacy.close()
  })

  it('ends in error when its time is over, and a retry begins anew', async () => {
    const given = shop()
    given.connector.failNext({ operation: 'read', collection: 'visits', error: away, times: 1_000 })
    let aheadMs = 0
    const runtime = { ...systemRuntime, now: () => new Date(Date.now() + aheadMs) }
    const execution = { ...quickly, immediate: false }
    const { privacy, submit } = await openService([given], { execution, runtime })
    const requestId = await submit(ann)
    await privacy.requests.run(requestId)
    aheadMs = 4.9 * 60_000
    await privacy.requests.run(requestId)
    expect((await privacy.requests.get(requestId)).retry?.attempts).toBe(2)
    aheadMs = 5.1 * 60_000
    await privacy.requests.run(requestId)
    const request = await privacy.requests.get(requestId)
    expect(request.status).toBe('error')
    expect(request.failure).toMatch(/shop:visits.*The server is starting up/)
    expect(request).not.toHaveProperty('retry')
    await privacy.requests.retry(requestId)
    await privacy.requests.run(requestId)
    expect((await privacy.requests.get(requestId)).retry?.attempts).toBe(1)
    await privacy.close()
  })

  it('can be canceled while it waits', async () => {
    const given = shop()
    given.connector.failNext({ operation: 'read', error: away, times: 1_000 })
    const execution = { ...quickly, retryDelaySeconds: 60 }
    const { privacy, submit } = await openService([given], { execution })
    const requestId = await submit(ann)
    await expect.poll(async () => (await privacy.requests.get(requestId)).retry?.attempts).toBe(1)
    await privacy.requests.cancel(requestId)
    const request = await privacy.requests.get(requestId)
    expect(request.status).toBe('canceled')
    expect(request).not.toHaveProperty('retry')
    await privacy.close()
  })

  it('beside one that needs a person ends in error at once', async () => {
    const given = shop()
    given.connector.failNext({ operation: 'read', collection: 'orders', error: away })
    const denied = new PrivacyError('connection_failed', 'The user may not read it.', { reason: 'permission' })
    given.connector.failNext({ operation: 'read', collection: 'visits', error: denied })
    const { privacy, submit } = await openService([given], { execution: quickly })
    expect((await privacy.requests.settled(await submit(ann))).status).toBe('error')
    await privacy.close()
  })

  it('may be the storage of the service itself', async () => {
    const given = shop()
    let isAway = false
    const inner = memoryStorage()
    const answer = () => {
      if (isAway) throw new PrivacyError('unavailable', 'The storage is away.')
    }
    const storage: Storage = {
      ...inner,
      transaction: async (work) => {
        answer()
        return inner.transaction(work)
      },
    }
    const service = await openService([given], { execution: quickly, storage })
    const gate = given.connector.hold({ operation: 'read', collection: 'orders' })
    const requestId = await service.submit(ann)
    await gate.reached
    isAway = true
    gate.open()
    // Longer than the run asks for by itself.
    await new Promise((resolve) => setTimeout(resolve, 300))
    isAway = false
    expect((await service.privacy.requests.settled(requestId)).status).toBe('complete')
    await service.privacy.close()
  })

  it('of an erasure is tried again as well, and everything is erased once', async () => {
    const given = shop()
    const connector = memoryConnector({ database: given.connector.database, capabilities: { maxErased: 1 } })
    connector.failNext({ operation: 'erase', collection: 'orders', error: away, times: 2 })
    await using world = await erasureWorld(connector, [given.document], { execution: quickly })
    const request = await world.erase(ann)
    expect(request.status).toBe('complete')
    const orders = request.results?.find((each) => each.collection === 'orders' && each.actionType === 'erasure')
    expect(orders?.outcomes).toEqual([{ outcome: 'masked', rowCount: 2 }])
    expect(given.connector.database['orders']?.rows.map((row) => row['note'])).toEqual([null, null])
  })
})

describe('a request whose process ends without a word', () => {
  /** Its runs hang in a read, and the clock of each next process is ahead of the lease of the one before. */
  async function dyingOnce(given: ReturnType<typeof shop>, ports: object, at: number, leaseSeconds = 60) {
    const now = () => new Date(Date.now() + at * 2_000 * leaseSeconds)
    const gate = given.connector.hold({ operation: 'read', collection: 'orders' })
    const execution = { ...quickly, leaseSeconds }
    const service = await openService([given], { ...ports, runtime: { ...systemRuntime, now }, execution })
    return { gate, service }
  }

  /** Resolves when the log says for the `times`th time that the orders are read. */
  async function logged({ privacy }: { privacy: PrivacyService }, requestId: string, times = 1) {
    const begun = async () =>
      (await privacy.requests.log(requestId, { size: 100 })).items.filter(
        (entry) => entry.collection === 'orders' && entry.status === 'in_processing',
      ).length
    await expect.poll(begun).toBe(times)
  }

  /** Three processes that have ended, and a request that each of them had in hand. */
  async function diedThrice(leaseSeconds?: number) {
    const ports = { storage: memoryStorage(), blobs: memoryBlobs() }
    const first = await dyingOnce(shop(), ports, 0, leaseSeconds)
    const requestId = await first.service.submit(ann)
    await logged(first.service, requestId)
    const hanging = [first]
    for (const at of [1, 2]) {
      const next = await dyingOnce(shop(), ports, at, leaseSeconds)
      await logged(next.service, requestId, at + 1)
      hanging.push(next)
    }
    return { requestId, hanging, ports }
  }

  it('ends in error after three such ends in a row, which names the collection', async () => {
    const { requestId, hanging, ports } = await diedThrice()
    const last = await dyingOnce(shop(), ports, 3)
    const request = await last.service.privacy.requests.settled(requestId)
    expect(request.status).toBe('error')
    expect(request.failure).toMatch(/ended 3 times while it worked on 'shop:orders'.*retry/)
    last.gate.open()
    await last.service.privacy.requests.retry(requestId)
    expect((await last.service.privacy.requests.settled(requestId)).status).toBe('complete')
    for (const { gate, service } of [...hanging, last]) {
      gate.open()
      await service.privacy.close()
    }
  })

  it('goes on after three such ends within two minutes, as where somebody kills all workers', async () => {
    const leaseSeconds = 1
    const { requestId, hanging, ports } = await diedThrice(leaseSeconds)
    const last = await dyingOnce(shop(), ports, 3, leaseSeconds)
    last.gate.open()
    const { status, failure } = await last.service.privacy.requests.settled(requestId)
    expect(failure ?? status).toBe('complete')
    for (const { gate, service } of [...hanging, last]) {
      gate.open()
      await service.privacy.close()
    }
  })
})

describe('close', () => {
  it('does not wait longer than its option says for a run that does not stop', async () => {
    const given = shop()
    const storage = memoryStorage()
    const connector = {
      ...given.connector,
      async connect() {
        const connection = await given.connector.connect({})
        return {
          ...connection,
          async *read() {
            await new Promise(() => {})
          },
        }
      },
    }
    const { privacy, submit } = await openService([{ ...given, connector: connector as never }], {
      storage,
      execution: { closeSeconds: 0.05 },
    })
    const requestId = await submit(ann)
    await expect.poll(async () => (await privacy.requests.log(requestId)).items.length).toBeGreaterThan(0)
    await privacy.close()
    expect(await storage.table('privacyRequest').get(requestId)).toMatchObject({ status: 'in_processing' })
  })
})
