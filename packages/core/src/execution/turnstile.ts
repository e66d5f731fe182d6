/** A bound on how many are inside at once. */
export interface Turnstile {
  /** Waits for a place, in the order of arrival; who is let in after an abort is sent away. Disposing gives it back. */
  enter(signal: AbortSignal): Promise<Disposable>
  /** Resolves when nobody is inside. */
  empty(): Promise<void>
}

export function turnstile(width: number): Turnstile {
  const places = Math.max(1, width)
  let free = places
  const waiting: (() => void)[] = []
  let emptied: (() => void)[] = []
  const leave = () => {
    const next = waiting.shift()
    if (next) return next()
    free++
    if (free < places) return
    for (const tell of emptied) tell()
    emptied = []
  }
  return {
    async enter(signal) {
      if (free > 0) free--
      else await new Promise<void>((resolve) => waiting.push(resolve))
      if (signal.aborted) {
        leave()
        throw signal.reason
      }
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
