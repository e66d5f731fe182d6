import { memoryQueue } from '@habeas/core'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const listen = (queue: ReturnType<typeof memoryQueue>, received: string[]) => {
  const stop = new AbortController()
  const handler = async (id: string) => void received.push(id)
  return { stop, ended: queue.listen(handler, { concurrency: 1, signal: stop.signal }) }
}

describe('memoryQueue', () => {
  it('delivers equal hints that wait together once', async () => {
    const queue = memoryQueue()
    for (const id of ['pri_1', 'pri_2', 'pri_1']) await queue.send(id)
    await vi.advanceTimersByTimeAsync(1)
    const received: string[] = []
    const { stop, ended } = listen(queue, received)
    await vi.advanceTimersByTimeAsync(1)
    expect(received).toEqual(['pri_1', 'pri_2'])
    stop.abort()
    await ended
  })

  it('waits longer than one timer can', async () => {
    const queue = memoryQueue()
    const received: string[] = []
    const { stop, ended } = listen(queue, received)
    const day = 24 * 60 * 60 * 1000
    await queue.send('pri_1', { notBefore: new Date(Date.now() + 40 * day) })
    await vi.advanceTimersByTimeAsync(39 * day)
    expect(received).toEqual([])
    await vi.advanceTimersByTimeAsync(day + 1)
    expect(received).toEqual(['pri_1'])
    stop.abort()
    await ended
  })

  it('keeps no process alive for a hint that waits', async () => {
    vi.useRealTimers()
    const before = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    await memoryQueue().send('pri_1', { notBefore: new Date(Date.now() + 60_000) })
    await new Promise((resolve) => setImmediate(resolve))
    expect(process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length).toBeLessThanOrEqual(before)
  })
})
