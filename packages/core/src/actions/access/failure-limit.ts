import { PrivacyError } from '../../errors.js'
import type { Runtime } from '../../ports/runtime.js'
import { counted } from '../../rules/value/counted-rows.js'

export interface FailureLimitOptions {
  /** Failures allowed in one window; further ones are refused. */
  readonly failures: number
  readonly windowSeconds: number
  /** Names remembered at once. Beyond that the oldest is forgotten, so that made-up names cannot fill the memory. */
  readonly names?: number
  /** The refusal, as a message begins. */
  readonly refusal?: string
}

/**
 * Counts failures by name in fixed windows, in this process. Only failures are ever refused: a caller with the right
 * secret is never locked out by someone who guesses.
 */
export function failureLimit(runtime: Pick<Runtime, 'now'>, options: FailureLimitOptions) {
  const { failures, windowSeconds, names = 10_000, refusal = 'Too many failed attempts' } = options
  const windows = new Map<string, { count: number; readonly endsAt: number }>()

  function count(name: string): { count: number; secondsLeft: number } {
    const now = runtime.now().getTime()
    let window = windows.get(name)
    if (!window || window.endsAt <= now) {
      windows.delete(name)
      if (windows.size >= names) windows.delete(windows.keys().next().value as string)
      window = { count: 0, endsAt: now + windowSeconds * 1_000 }
      windows.set(name, window)
    }
    window.count++
    return { count: window.count, secondsLeft: Math.ceil((window.endsAt - now) / 1_000) }
  }

  return {
    /** Counts one failure under each name; throws `rate_limited` when one of them has had too many. */
    failed(...under: readonly string[]): void {
      const over = under.map(count).filter((window) => window.count > failures)
      if (over.length === 0) return
      const retryAfterSeconds = Math.max(...over.map(({ secondsLeft }) => secondsLeft))
      const message = `${refusal}: wait ${counted(retryAfterSeconds, 'second')} before the next one.`
      throw new PrivacyError('rate_limited', message, { retryAfterSeconds })
    },
  }
}
