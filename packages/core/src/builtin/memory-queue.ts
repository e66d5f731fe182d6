import type { Queue } from '../ports/queue.js'

/** The longest delay that a Node timer takes. A hint that has to wait longer is checked again after it. */
const longestTimer = 2_147_483_647

interface Listener {
  readonly handler: (requestId: string) => Promise<void>
  free: number
  /** Called when the last running call of a listener that has stopped ends. */
  drained(): void
}

/**
 * Creates a queue inside this process. Hints are lost when it ends, and the worker's sweep then finds the requests again.
 * Waiting hints do not keep the process alive. Equal hints that wait together are delivered once.
 */
export const memoryQueue = (): Queue => {
  const ready = new Set<string>()
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
      for (const requestId of ready) {
        if (listener.free < 1) break
        ready.delete(requestId)
        void handle(listener, requestId)
      }
    }
  }

  const add = (requestId: string, notBefore: number): void => {
    const wait = notBefore - Date.now()
    // A timer may end a millisecond early, so the time is measured again.
    if (wait > 0) setTimeout(add, Math.min(wait, longestTimer), requestId, notBefore).unref()
    else {
      ready.add(requestId)
      deliver()
    }
  }

  return {
    async send(requestId, { notBefore } = {}) {
      // The hint is added later, so that a handler never runs inside the action that sends it.
      setImmediate(add, requestId, notBefore?.getTime() ?? 0)
    },
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
