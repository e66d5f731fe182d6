/** Resolves after a while, or at once when `signal` aborts. Keeps no process alive. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const wake = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', wake)
      resolve()
    }
    const timer = setTimeout(wake, milliseconds).unref()
    signal.addEventListener('abort', wake, { once: true })
  })
}
