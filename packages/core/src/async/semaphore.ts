/** A bound on how many are inside at once. */
export interface Semaphore {
  /** Waits for a place, in the order of arrival, and no longer once `signal` aborts. Disposing gives it back. */
  enter(signal: AbortSignal): Promise<Disposable>
  /** Resolves when nobody is inside. */
  empty(): Promise<void>
}

export function semaphore(width: number): Semaphore {
  const places = Math.max(1, width)
  let free = places
  let waiting: (() => void)[] = []
  let emptied: (() => void)[] = []
  const leave = () => {
    const next = waiting.shift()
    if (next) return next()
    free++
    if (free < places) return
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
    async enter(signal) {
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
      if (free < places) await new Promise<void>((resolve) => emptied.push(resolve))
    },
  }
}
