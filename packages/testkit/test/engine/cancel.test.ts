import { type Blobs, memoryBlobs, memoryStorage, type Storage } from '@habeas/core'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { collection, field, id, refer, type ShopOptions, shopOf, table } from './described.js'
import { openService, type ServiceOptions } from './service-run.js'

const ann = { email: 'ann@example.com' }

/** customer → orders → line. By default the rows of orders are more than a spool keeps in memory. */
function shop({ orders = 6_000, ...options }: ShopOptions & { orders?: number } = {}) {
  const note = 'x'.repeat(150)
  return shopOf(
    [
      collection('customer', [id, field('email', { identity: 'email' })]),
      collection('orders', [id, refer('customer_id', 'customer.id'), field('note')]),
      collection('line', [id, refer('order_id', 'orders.id'), field('title')]),
    ],
    {
      customer: table({ id: 'integer', email: 'string' }, [
        [1, 'ann@example.com'],
        [2, 'ben@example.com'],
      ]),
      orders: table(
        { id: 'integer', customer_id: 'integer', note: 'string' },
        Array.from({ length: orders }, (_, at) => [at, 1, note]),
      ),
      line: table({ id: 'integer', order_id: 'integer', title: 'string' }, [[1, 1, 'a line']]),
    },
    { batchSize: 500, ...options },
  )
}

/** Blobs that tell what they keep, and all they ever kept. */
function listedBlobs() {
  const inner = memoryBlobs()
  const [kept, ever] = [new Set<string>(), new Set<string>()]
  const blobs: Blobs = {
    ...inner,
    async write(key, bytes) {
      await inner.write(key, bytes)
      kept.add(key)
      ever.add(key)
    },
    async delete(prefix) {
      for (const key of kept) if (key.startsWith(`${prefix}/`)) kept.delete(key)
      await inner.delete(prefix)
    },
  }
  return { blobs, kept, ever }
}

async function open(options: ServiceOptions = {}, given = shop()) {
  const { blobs, kept, ever } = listedBlobs()
  const service = await openService([given], { blobs, ...options })
  const statuses = () => service.events.flatMap((event) => (event.type === 'request' ? [`${event.status}`] : []))
  /** What a canceled request must leave behind: its row, and nothing to hand over or to go on with. */
  const expectNothingLeft = async (requestId: string) => {
    await expect.poll(() => [...kept]).toEqual([])
    await expect.poll(() => service.storage.table('checkpoint').count()).toBe(0)
    expect(given.connector.openReads).toBe(0)
    expect(await service.privacy.requests.get(requestId)).toMatchObject({ status: 'canceled' })
    expect(await service.privacy.requests.packages(requestId)).toEqual([])
  }
  return { ...service, ...given, kept, ever, statuses, expectNothingLeft }
}

afterEach(() => {
  vi.useRealTimers()
})

describe('canceling a request that runs in this process', () => {
  it('stops reads in flight at once, and removes what was spooled', async () => {
    const service = await open()
    const { connector, privacy, kept } = service
    const gate = connector.hold({ operation: 'read', collection: 'line' })
    const requestId = await service.submit(ann)
    await gate.reached
    await expect.poll(() => [...kept].filter((key) => key.includes('orders')).length).toBeGreaterThan(0)
    expect(connector.openReads).toBe(1)
    const settled = privacy.requests.settled(requestId)
    const canceled = await privacy.requests.cancel(requestId, { reason: 'withdrawn' })
    expect(canceled).toMatchObject({ status: 'canceled', cancelReason: 'withdrawn', canceledAt: expect.any(String) })
    expect(await settled).toStrictEqual(canceled)
    // The gate is still closed: nothing waited for the database.
    await expect.poll(() => connector.openReads).toBe(0)
    await service.expectNothingLeft(requestId)
    gate.open()
    await privacy.close()
    expect(await service.storage.table('privacyRequest').get(requestId)).toMatchObject({ status: 'canceled' })
    expect(service.statuses()).toEqual(['in_processing', 'canceled'])
  })

  it('stops a read between two of its batches', async () => {
    const service = await open()
    const { connector, privacy } = service
    const requestId = await service.submit(ann)
    const batches = new Promise<void>((resolve) => {
      privacy.on((event) => event.type === 'rows' && event.collection === 'orders' && resolve())
    })
    await batches
    const gate = connector.hold({ operation: 'read', collection: 'orders' })
    await privacy.requests.cancel(requestId)
    await service.expectNothingLeft(requestId)
    expect(connector.calls.some(({ read }) => read?.collection === 'line')).toBe(false)
    gate.open()
    await privacy.close()
  })

  it.each([{ operation: 'describe' }, { operation: 'connect' }, { operation: 'read' }] as const)(
    'ends the run although %j never answers, and leaves other requests alone',
    async (held) => {
      const service = await open({ execution: { immediate: false }, catalogueSeconds: 0 })
      const { connector, privacy } = service
      const [requestId, other] = [await service.submit(ann), await service.submit({ email: 'ben@example.com' })]
      if (held.operation === 'connect') await privacy.connections.setSecrets('shop', { host: 'i' }, { verify: false })
      const gate = connector.hold(held)
      const run = privacy.requests.run(requestId)
      await gate.reached
      await privacy.requests.cancel(requestId)
      await run
      await service.expectNothingLeft(requestId)
      gate.open()
      await privacy.requests.run(other)
      expect(await privacy.requests.get(other)).toMatchObject({ status: 'complete' })
      await privacy.close()
    },
  )

  it('ends a run that waits for a place of a busy connection, and leaves the busy one alone', async () => {
    const service = await open({ execution: { immediate: false } }, shop({ concurrency: 1 }))
    const { connector, privacy } = service
    const [busy, waiting] = [await service.submit(ann), await service.submit(ann)]
    const gate = connector.hold({ operation: 'read' })
    const running = privacy.requests.run(busy)
    await gate.reached
    const run = privacy.requests.run(waiting)
    await expect
      .poll(() => service.events.filter((event) => event.requestId === waiting).map(({ type }) => type))
      .toContain('collection')
    await privacy.requests.cancel(waiting)
    await run
    gate.open()
    await running
    expect(await privacy.requests.get(waiting)).toMatchObject({ status: 'canceled' })
    expect(Object.keys(await service.read(busy))).toHaveLength(3)
    await privacy.close()
  })

  it('in the middle of writing its package leaves no package', async () => {
    const { blobs, kept, ever } = listedBlobs()
    let reached = () => {}
    const writing = new Promise<void>((resolve) => {
      reached = resolve
    })
    let go = () => {}
    const gate = new Promise<void>((resolve) => {
      go = resolve
    })
    const slow: Blobs = {
      ...blobs,
      async write(key, bytes) {
        const slowly = async function* () {
          for await (const part of bytes) {
            yield part
            reached()
            await gate
          }
        }
        await blobs.write(key, key.includes('/package/') ? slowly() : bytes)
      },
    }
    const service = await open({ blobs: slow, execution: { immediate: false } }, shop({ orders: 3 }))
    const requestId = await service.submit(ann)
    const run = service.privacy.requests.run(requestId)
    await writing
    await service.privacy.requests.cancel(requestId)
    go()
    await run
    expect([...kept]).toEqual([])
    expect([...ever].filter((key) => key.includes('/package/'))).toEqual([])
    await service.expectNothingLeft(requestId)
    await expect(service.privacy.requests.package(requestId)).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining("is in status 'canceled' and has no package"),
    })
    await service.privacy.close()
  })

  it('has one winner of fifty, is told once, and the rest are told the status', async () => {
    const service = await open()
    const gate = service.connector.hold({ operation: 'read' })
    const requestId = await service.submit(ann)
    await gate.reached
    const attempts = await Promise.allSettled(
      Array.from({ length: 50 }, () => service.privacy.requests.cancel(requestId)),
    )
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const each of attempts) {
      if (each.status === 'rejected') {
        expect(each.reason).toMatchObject({ code: 'invalid_state', details: { status: 'canceled', event: 'cancel' } })
      }
    }
    await service.expectNothingLeft(requestId)
    expect(service.statuses()).toEqual(['in_processing', 'canceled'])
    gate.open()
    await service.privacy.close()
  })

  it('at whatever event either ends it with nothing left, or comes too late for a complete one', async () => {
    let late = 0
    for (let at = 1; late < 2; at++) {
      const service = await open({}, shop({ batchSize: 3_000 }))
      let seen = 0
      let outcome: Promise<unknown> | undefined
      service.privacy.on((event) => {
        if (event.type === 'rows' || ++seen !== at) return
        outcome = service.privacy.requests.cancel(event.requestId).catch((error) => error)
      })
      const requestId = await service.submit(ann)
      const { status } = await service.privacy.requests.settled(requestId)
      if (status === 'canceled') await service.expectNothingLeft(requestId)
      else {
        late++
        expect(status).toBe('complete')
        expect(await outcome).toMatchObject(outcome ? { code: 'invalid_state' } : {})
        expect(Object.keys(await service.read(requestId))).toHaveLength(3)
      }
      await service.privacy.close()
    }
  })

  it('between the claim and the run is not missed', async () => {
    const inner = memoryStorage()
    let afterClaim = async () => {}
    const storage: Storage = {
      ...inner,
      async transaction(work) {
        const result = await inner.transaction(work)
        await afterClaim()
        return result
      },
    }
    const service = await open({ storage, execution: { immediate: false } })
    const requestId = await service.submit(ann)
    afterClaim = async () => {
      afterClaim = async () => {}
      await service.privacy.requests.cancel(requestId)
    }
    await service.privacy.requests.run(requestId)
    expect(service.connector.calls.filter(({ operation }) => operation === 'read')).toEqual([])
    await service.expectNothingLeft(requestId)
    await service.privacy.close()
  })
})

describe('canceling a request that runs in another process', () => {
  /** Two services on one storage, of which the first runs the requests and keeps blobs of its own. */
  async function two() {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const first = await open()
    const second = await open({ storage: first.storage, execution: { immediate: false } })
    const close = () => Promise.all([first.privacy.close(), second.privacy.close()])
    return { first, second, close }
  }

  it('is noticed at the next renewal of the lease', async () => {
    const { first, second, close } = await two()
    const gate = first.connector.hold({ operation: 'read', collection: 'line' })
    const requestId = await first.submit(ann)
    await gate.reached
    await expect.poll(() => [...first.kept].length).toBeGreaterThan(0)
    await second.privacy.requests.cancel(requestId)
    expect(second.statuses()).toEqual(['canceled'])
    expect(first.connector.openReads).toBe(1)
    await vi.advanceTimersByTimeAsync(20_000)
    await expect.poll(() => first.connector.openReads).toBe(0)
    await first.expectNothingLeft(requestId)
    expect(first.statuses()).toEqual(['in_processing', 'canceled'])
    expect(await first.privacy.requests.settled(requestId)).toMatchObject({ status: 'canceled' })
    gate.open()
    await close()
  })

  it('keeps the run from writing a package, also when all was read before the renewal', async () => {
    const { first, second, close } = await two()
    const gate = first.connector.hold({ operation: 'read', collection: 'line' })
    const requestId = await first.submit(ann)
    await gate.reached
    await second.privacy.requests.cancel(requestId)
    gate.open()
    await expect.poll(() => first.statuses()).toEqual(['in_processing', 'canceled'])
    await first.expectNothingLeft(requestId)
    expect([...first.ever].filter((key) => key.includes('/package/'))).toEqual([])
    await close()
  })

  it('while the package is written keeps the run from moving the status, and the package is removed', async () => {
    const { blobs, kept, ever } = listedBlobs()
    let whileWriting = async () => {}
    const first = await open({
      blobs: {
        ...blobs,
        async write(key, bytes) {
          if (key.includes('/package/')) await whileWriting()
          await blobs.write(key, bytes)
        },
      },
    })
    const second = await open({ storage: first.storage, execution: { immediate: false } })
    const gate = first.connector.hold({ operation: 'read', collection: 'line' })
    const requestId = await first.submit(ann)
    await gate.reached
    whileWriting = async () => void (await second.privacy.requests.cancel(requestId))
    gate.open()
    await expect.poll(() => first.statuses()).toEqual(['in_processing', 'canceled'])
    await expect.poll(() => [...kept]).toEqual([])
    expect([...ever].filter((key) => key.includes('/package/'))).toHaveLength(1)
    await first.expectNothingLeft(requestId)
    await Promise.all([first.privacy.close(), second.privacy.close()])
  })
})

describe('canceling a request that does not run', () => {
  it('keeps it from running, whoever hears of it', async () => {
    const service = await open({ execution: { immediate: false } })
    const requestId = await service.submit(ann)
    await service.privacy.requests.cancel(requestId)
    await service.privacy.requests.run()
    await expect(service.privacy.requests.run(requestId)).rejects.toMatchObject({
      code: 'invalid_state',
      details: { status: 'canceled', event: 'run' },
    })
    expect(service.connector.calls.filter(({ operation }) => operation === 'read')).toEqual([])
    await service.privacy.close()
  })

  it('after it has failed removes what was kept for a retry, which is refused from then on', async () => {
    const service = await open()
    service.connector.failNext({ operation: 'read', collection: 'line' })
    const requestId = await service.submit(ann)
    expect(await service.privacy.requests.settled(requestId)).toMatchObject({ status: 'error' })
    expect(service.kept.size).toBeGreaterThan(0)
    const canceled = await service.privacy.requests.cancel(requestId)
    expect(canceled).not.toHaveProperty('failure')
    await service.expectNothingLeft(requestId)
    await expect(service.privacy.requests.retry(requestId)).rejects.toMatchObject({
      code: 'invalid_state',
      message: expect.stringContaining('submit a new one'),
    })
    await service.privacy.close()
  })

  it('is done although the blobs are away', async () => {
    const inner = memoryBlobs()
    const blobs: Blobs = {
      ...inner,
      delete: async () => {
        throw new Error('away')
      },
    }
    const service = await openService([shop()], { blobs, execution: { immediate: false } })
    const requestId = await service.submit(ann)
    expect(await service.privacy.requests.cancel(requestId)).toMatchObject({ status: 'canceled' })
    await service.privacy.close()
  })

  it('refuses one that is complete, whose package stays', async () => {
    const service = await open()
    const { id: requestId } = await service.access(ann)
    await expect(service.privacy.requests.cancel(requestId)).rejects.toMatchObject({
      code: 'invalid_state',
      details: { status: 'complete', event: 'cancel' },
    })
    expect(Object.keys(await service.read(requestId))).toHaveLength(3)
    await service.privacy.close()
  })
})
