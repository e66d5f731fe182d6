import { setTimeout } from 'node:timers/promises'

/** Resolves after a while, or at once when `signal` aborts. It does not keep the process alive. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await setTimeout(milliseconds, undefined, { signal, ref: false }).catch(() => {})
}
