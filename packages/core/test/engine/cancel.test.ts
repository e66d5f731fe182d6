import { type Blobs, memoryStorage, type Storage } from '@habeas/core'
import { describe, expect, it } from 'vitest'
import { ann, listedBlobs, open, shop } from './cancel-world.js'

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

  it('ends a run that waits for a busy connection, and leaves the other run alone', async () => {
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

  it('succeeds for one of fifty callers, is reported once, and the others get the status', async () => {
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

  it('at any event either ends it with nothing left, or comes too late for a complete one', async () => {
    let late = 0
    for (let at = 1; late < 2; at++) {
      const service = await open({}, shop({ batchSize: 3_000 }))
      let seen = 0
      let outcome: Promise<unknown> | undefined
      service.privacy.on((event) => {
        if (event.type === 'rows' || event.type === 'service' || ++seen !== at) return
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
