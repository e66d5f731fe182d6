import { describe, expect, it } from 'vitest'
import { memoryStorage } from '../builtin/memory-storage.js'
import { systemRuntime } from '../builtin/system-runtime.js'
import { storageClock } from './storage-clock.js'

/** A storage whose clock is so far ahead of that of the process. */
function storageAhead(milliseconds: number) {
  let asked = 0
  const now = async () => {
    asked++
    return new Date(Date.now() + milliseconds)
  }
  return { storage: { ...memoryStorage(), now }, asked: () => asked }
}

const secondsAhead = (now: Date) => Math.round((now.getTime() - Date.now()) / 1_000)

describe('the clock of a storage', () => {
  it.each([3_600, -3_600])('is followed where it is %i seconds ahead', async (seconds) => {
    const { runtime, follow } = storageClock(systemRuntime, storageAhead(seconds * 1_000).storage)
    await follow()
    expect(secondsAhead(runtime.now())).toBe(seconds)
  })

  it('is taken for the same where it differs by less than a second', async () => {
    const own = { ...systemRuntime, now: () => new Date(0) }
    const { runtime, follow } = storageClock(own, { ...memoryStorage(), now: async () => new Date(900) })
    await follow()
    expect(runtime.now()).toEqual(new Date(0))
  })

  it('is not followed over an answer that may have taken as long as they differ', async () => {
    let passed = 0
    const own = { ...systemRuntime, now: () => new Date(passed) }
    const now = async () => {
      passed = 10_000
      return new Date(10_000)
    }
    const { runtime, follow } = storageClock(own, { ...memoryStorage(), now })
    await follow()
    expect(runtime.now()).toEqual(new Date(10_000))
  })

  it('is asked once a minute at most, however many calls wait for it', async () => {
    const { storage, asked } = storageAhead(0)
    const { follow } = storageClock(systemRuntime, storage)
    await Promise.all([follow(), follow()])
    expect([follow(), asked()]).toEqual([undefined, 1])
  })

  it('is asked again where it could not be asked', async () => {
    let isAway = true
    const now = async () => {
      if (isAway) throw new Error('away')
      return new Date(Date.now() + 5_000_000)
    }
    const { runtime, follow } = storageClock(systemRuntime, { ...memoryStorage(), now })
    await expect(follow()).rejects.toThrow('away')
    isAway = false
    await follow()
    expect(secondsAhead(runtime.now())).toBe(5_000)
  })

  it('leaves a process alone whose storage tells no time', () => {
    expect(storageClock(systemRuntime, memoryStorage())).toMatchObject({ runtime: systemRuntime })
  })
})
