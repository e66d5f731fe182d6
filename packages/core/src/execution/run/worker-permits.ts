import { semaphore } from '../../async/semaphore.js'

/** The right of one run to be among the runs of a worker. Disposing gives it back. */
export interface RunPermit extends Disposable {
  /** Takes a permit for large requests where one is free. Returns whether the run has one now. */
  becomeLarge(): boolean
  /** Whether small requests run, or wait, in the worker of this run. */
  readonly isAmongSmall: boolean
  /** Whether another request waits for a permit of the worker. */
  readonly isWaitedFor: boolean
  /** True when the run asked for a permit for large requests and got none. */
  readonly isRefused: boolean
}

/**
 * How many runs a worker has at once, and how many of them may be large. One permit is left to small requests. `smallWaits` tells of
 * small requests that wait elsewhere for a permit of this worker.
 */
export function workerPermits(
  concurrency: number,
  maxConcurrentPerConnection = concurrency,
  smallWaits: () => boolean = () => false,
) {
  const permits = semaphore(concurrency)
  /** Runs of small requests that have a permit, or wait for one. */
  let small = 0
  let waiting = 0
  let freeForLarge = Math.max(1, Math.min(concurrency, maxConcurrentPerConnection) - 1)
  return {
    /** Whether a large request could begin, as far as large ones are concerned. */
    get takesLarge(): boolean {
      return freeForLarge > 0
    },
    /** Waits for a permit, first come, first served, until `signal` aborts. */
    async acquire(signal: AbortSignal): Promise<RunPermit> {
      small++
      waiting++
      const permit = await permits
        .acquire(signal)
        .catch((error: unknown) => {
          small--
          throw error
        })
        .finally(() => waiting--)
      let isLarge = false
      let isRefused = false
      return {
        becomeLarge() {
          if (isLarge) return true
          isRefused = freeForLarge === 0
          if (isRefused) return false
          freeForLarge--
          small--
          isLarge = true
          return true
        },
        get isAmongSmall() {
          return small > (isLarge ? 0 : 1) || smallWaits()
        },
        get isWaitedFor() {
          return waiting > 0 || smallWaits()
        },
        get isRefused() {
          return isRefused
        },
        [Symbol.dispose]() {
          if (isLarge) freeForLarge++
          else small--
          permit[Symbol.dispose]()
        },
      }
    },
  }
}
