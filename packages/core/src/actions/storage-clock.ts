import { oneAtATime } from '../async/one-at-a-time.js'
import type { Runtime } from '../ports/runtime.js'
import type { Storage } from '../ports/storage.js'
import type { Ready } from './while-open.js'

/** Clocks that differ by less go for the same: the way to the server and back takes time as well. */
const noticedMs = 1_000

const askAgainMs = 60_000

/** A runtime that goes by the clock of the storage. */
export interface StorageClock {
  readonly runtime: Runtime
  /** Asks for the time of the storage unless that was done within the last minute. */
  readonly follow: Ready
}

/**
 * Has all processes on one storage go by its clock, so that none takes a lease for ended, or destroys a package, because
 * its own clock is wrong. A storage that tells no time leaves the runtime as it is.
 */
export function storageClock(own: Runtime, storage: Storage): StorageClock {
  if (!storage.now) return { runtime: own, follow: () => undefined }
  let aheadMs = 0
  let askedAt = Number.NEGATIVE_INFINITY

  const ask = oneAtATime(async () => {
    const before = own.now().getTime()
    const there = await storage.now?.()
    const after = own.now().getTime()
    if (there === undefined) return
    const apart = there.getTime() - (before + after) / 2
    if (Math.abs(apart - aheadMs) > noticedMs + (after - before) / 2) aheadMs = Math.round(apart)
    askedAt = performance.now()
  })

  return {
    runtime: { ...own, now: () => new Date(own.now().getTime() + aheadMs) },
    follow: () => (performance.now() - askedAt < askAgainMs ? undefined : ask()),
  }
}
