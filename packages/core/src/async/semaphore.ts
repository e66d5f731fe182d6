/** Limits how many callers hold a permit at once. */
export interface Semaphore {
  /** Waits for a permit, first come, first served, until `signal` aborts. Disposing gives the permit back. */
  acquire(signal: AbortSignal): Promise<Disposable>
  /** Resolves when every permit is free. */
  empty(): Promise<void>
}

export function semaphore(width: number): Semaphore {
  const permits = Math.max(1, width)
  let free = permits
  let waiting: (() => void)[] = []
  let emptied: (() => void)[] = []
  const leave = () => {
    const next = waiting.shift()
    if (next) return next()
    free++
    if (free < permits) return
    for (const tell of emptied) tell()
    emptied = []
  }
  const turn = (signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const come = () => {
        signal.removeEventListener('abort', go)
        resolve()
      }
      const go = () => {
        waiting = waiting.filter((other) => other !== come)
        reject(signal.reason)
      }
      signal.addEventListener('abort', go, { once: true })
      waiting.push(come)
    })
  return {
    async acquire(signal) {
      signal.throwIfAborted()
      if (free > 0) free--
      else await turn(signal)
      let left = false
      return {
        [Symbol.dispose]() {
          if (!left) leave()
          left = true
        },
      }
    },
    async empty() {
      if (free < permits) await new Promise<void>((resolve) => emptied.push(resolve))
    },
  }
}
