/** Limits how many callers hold a permit at once. */
export interface Semaphore {
  /** Waits for a permit, first come, first served, until `signal` aborts. Disposing gives the permit back. */
  acquire(signal?: AbortSignal): Promise<Disposable>
  /** Resolves when every permit is free. */
  empty(): Promise<void>
}

export function semaphore(width: number): Semaphore {
  const permits = Math.max(1, width)
  let free = permits
  let waiting: (() => void)[] = []
  let waitingForEmpty: (() => void)[] = []
  const release = () => {
    const next = waiting.shift()
    if (next) return next()
    free++
    if (free < permits) return
    for (const resolve of waitingForEmpty) resolve()
    waitingForEmpty = []
  }
  const turn = (signal: AbortSignal | undefined) =>
    new Promise<void>((resolve, reject) => {
      const enter = () => {
        signal?.removeEventListener('abort', giveUp)
        resolve()
      }
      const giveUp = () => {
        waiting = waiting.filter((other) => other !== enter)
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', giveUp, { once: true })
      waiting.push(enter)
    })
  return {
    async acquire(signal) {
      signal?.throwIfAborted()
      if (free > 0) free--
      else await turn(signal)
      let isReleased = false
      return {
        [Symbol.dispose]() {
          if (!isReleased) release()
          isReleased = true
        },
      }
    },
    async empty() {
      if (free < permits) await new Promise<void>((resolve) => waitingForEmpty.push(resolve))
    },
  }
}
