import { type Blobs, memoryBlobs } from '@habeas/core'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ann, listedBlobs, open, shop } from './cancel-world.js'
import { openService } from './service-run.js'

afterEach(() => {
  vi.useRealTimers()
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

  it('keeps the run from writing a package, even when everything was read before the renewal', async () => {
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
  it('keeps every process from running it', async () => {
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

  it('succeeds although the blobs cannot be reached', async () => {
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
