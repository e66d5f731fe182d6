import type { HintOptions, Lane, Queue } from '../ports/queue.js'

/** The longest delay that a Node timer takes. A hint that has to wait longer is checked again after it. */
const longestTimer = 2_147_483_647
/** How many hints of a lane wait at most. The sweep of a worker finds the requests of the others. */
const mostWaiting = 10_000

interface Listener {
  readonly handler: (requestId: string) => Promise<void>
  free: number
  /** Called when the last running call of a listener that has stopped ends. */
  drained(): void
}

/**
 * Creates a queue inside this process. Hints are lost when it ends, and the worker's sweep then finds the requests again.
 * Waiting hints do not keep the process alive. Equal hints that wait together in a lane are delivered once.
 */
export const memoryQueue = (): Queue => {
  const lanes: Readonly<Record<Lane, Set<string>>> = { small: new Set(), large: new Set() }
  const listeners = new Set<Listener>()

  const handle = async (listener: Listener, requestId: string): Promise<void> => {
    listener.free -= 1
    try {
      await listener.handler(requestId)
    } catch {
      // The request's row says what went wrong. A hint has no caller to report to.
    }
    listener.free += 1
    listener.drained()
    deliver()
  }

  const deliver = (): void => {
    for (const listener of listeners) {
      for (const ready of [lanes.small, lanes.large]) {
        for (const requestId of ready) {
          if (listener.free < 1) break
          ready.delete(requestId)
          void handle(listener, requestId)
        }
      }
    }
  }

  const add = (requestId: string, options: HintOptions): void => {
    const { notBefore, lane = 'small' } = options
    const wait = (notBefore?.getTime() ?? 0) - Date.now()
    // A timer may end a millisecond early, so the time is measured again.
    if (wait > 0) setTimeout(add, Math.min(wait, longestTimer), requestId, options).unref()
    else {
      if (lanes[lane].size < mostWaiting) lanes[lane].add(requestId)
      deliver()
    }
  }

  return {
    async send(requestId, options = {}) {
      // The hint is added later, so that a handler never runs inside the action that sends it.
      setImmediate(add, requestId, options)
    },
    smallWaits: () => lanes.small.size > 0,
    async listen(handler, { concurrency, signal }) {
      if (signal.aborted) return
      await new Promise<void>((resolve) => {
        const listener: Listener = {
          handler,
          free: concurrency,
          drained() {
            if (signal.aborted && listener.free === concurrency) resolve()
          },
        }
        const stop = () => {
          listeners.delete(listener)
          listener.drained()
        }
        signal.addEventListener('abort', stop, { once: true })
        listeners.add(listener)
        deliver()
      })
    },
  }
}
