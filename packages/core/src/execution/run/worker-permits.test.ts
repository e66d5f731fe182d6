import { describe, expect, it } from 'vitest'
import { workerPermits } from './worker-permits.js'

const never = new AbortController().signal

describe('workerPermits', () => {
  it('leaves one permit to small requests, if there is more than one', async () => {
    for (const [concurrency, large] of [
      [1, 1],
      [2, 1],
      [4, 3],
    ] as const) {
      const permits = workerPermits(concurrency)
      const taken = await Promise.all(Array.from({ length: concurrency }, () => permits.acquire(never)))
      expect(taken.filter((permit) => permit.becomeLarge())).toHaveLength(large)
      expect(taken.filter(({ isRefused }) => isRefused)).toHaveLength(concurrency - large)
      expect(permits.takesLarge).toBe(false)
      for (const permit of taken) permit[Symbol.dispose]()
      expect(permits.takesLarge).toBe(true)
    }
  })

  it('leaves one place of each connection to small requests as well', async () => {
    const permits = workerPermits(8, 2)
    expect((await permits.acquire(never)).becomeLarge()).toBe(true)
    expect((await permits.acquire(never)).becomeLarge()).toBe(false)
  })

  it('says to each run whether small requests run or wait beside it', async () => {
    const permits = workerPermits(2)
    const first = await permits.acquire(never)
    expect(first.isAmongSmall).toBe(false)
    const second = await permits.acquire(never)
    first.becomeLarge()
    expect([first.isAmongSmall, second.isAmongSmall]).toEqual([true, false])
    const stop = new AbortController()
    const waiting = permits.acquire(stop.signal)
    second[Symbol.dispose]()
    const third = await waiting
    expect(first.isAmongSmall).toBe(true)
    expect(third.isWaitedFor).toBe(false)
    const given = permits.acquire(stop.signal)
    expect(third.isWaitedFor).toBe(true)
    stop.abort(new Error('ended'))
    await expect(given).rejects.toThrow('ended')
    expect(third.isWaitedFor).toBe(false)
    third[Symbol.dispose]()
    expect(first.isAmongSmall).toBe(false)
  })

  it('counts small requests that wait in the queue among those that wait', async () => {
    let waits = true
    const permit = await workerPermits(2, 2, () => waits).acquire(never)
    permit.becomeLarge()
    expect([permit.isWaitedFor, permit.isAmongSmall]).toEqual([true, true])
    waits = false
    expect([permit.isWaitedFor, permit.isAmongSmall]).toEqual([false, false])
  })
})
