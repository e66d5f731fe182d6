/** Resolves as `work` does. Rejects with the reason of `signal` as soon as that aborts, without waiting for `work`. */
export function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (!signal) return work
  return new Promise((resolve, reject) => {
    const give = () => reject(signal.reason)
    signal.addEventListener('abort', give, { once: true })
    if (signal.aborted) give()
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', give))
  })
}
