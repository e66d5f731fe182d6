/** Resolves as `work` does. When `signal` aborts first, rejects with its reason and stops waiting for `work`. */
export function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (!signal) return work
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason)
    signal.addEventListener('abort', giveUp, { once: true })
    if (signal.aborted) giveUp()
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp))
  })
}
