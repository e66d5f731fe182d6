import { semaphore } from '../../async/semaphore.js'

/** The right of one run to be among the runs of a worker. Disposing gives it back. */
export interface RunPermit extends Disposable {
  /** Takes a permit for large requests where one is free. Returns whether the run has one now. */
  becomeLarge(): boolean
  /** True when the run asked for a permit for large requests and got none. */
  readonly isRefused: boolean
}

/** How many runs a worker has at once, and how many of them may be large. One permit is left to small requests. */
export function workerPermits(concurrency: number, maxConcurrentPerConnection = concurrency) {
  const permits = semaphore(concurrency)
  let freeForLarge = Math.max(1, Math.min(concurrency, maxConcurrentPerConnection) - 1)
  return {
    /** Whether a large request could begin, as far as large ones are concerned. */
    get takesLarge(): boolean {
      return freeForLarge > 0
    },
    /** Waits for a permit, first come, first served, until `signal` aborts. */
    async acquire(signal: AbortSignal): Promise<RunPermit> {
      const permit = await permits.acquire(signal)
      let isLarge = false
      let isRefused = false
      return {
        becomeLarge() {
          if (isLarge) return true
          isRefused = freeForLarge === 0
          if (isRefused) return false
          freeForLarge--
          isLarge = true
          return true
        },
        get isRefused() {
          return isRefused
        },
        [Symbol.dispose]() {
          if (isLarge) freeForLarge++
          isLarge = false
          permit[Symbol.dispose]()
        },
      }
    },
  }
}
