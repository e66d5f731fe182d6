/**
 * Tells of the first Ctrl-C, or of the first wish of the system that this process ends. The second one ends it at once, as does
 * any after the disposal.
 */
export function interruption(): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController()
  const stop = () => controller.abort()
  const signals = ['SIGINT', 'SIGTERM'] as const
  for (const each of signals) process.once(each, stop)
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      for (const each of signals) process.removeListener(each, stop)
    },
  }
}
