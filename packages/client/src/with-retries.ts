import { setTimeout as sleep } from 'node:timers/promises'
import { isPrivacyError, type PrivacyError } from '@habeas/core'

/** The longest wait of a call. For a longer one the error has `retryAfterSeconds`. */
const longestWaitSeconds = 60
const firstWaitSeconds = 0.25

export interface RetryOptions {
  readonly retries: number
  readonly signal: AbortSignal | undefined
  /** Whether `error` says that trying again is safe and may help. */
  readonly worth: (error: PrivacyError) => boolean
}

/** Tries again, each time after twice as long, or after as long as the service asks. */
export async function withRetries<Result>(
  work: () => Promise<Result>,
  { retries, signal, worth }: RetryOptions,
): Promise<Result> {
  for (let tried = 0; ; tried++) {
    try {
      return await work()
    } catch (error) {
      if (signal?.aborted || tried >= retries || !isPrivacyError(error) || !worth(error)) throw error
      const seconds = secondsUntilNext(error, tried)
      if (seconds > longestWaitSeconds) throw error
      await pause(seconds, signal)
    }
  }
}

function secondsUntilNext(error: PrivacyError, tried: number): number {
  const asked = 'retryAfterSeconds' in error.details ? error.details.retryAfterSeconds : undefined
  // Clients that failed at the same time must not all try again at the same time.
  return asked ?? Math.min(longestWaitSeconds, firstWaitSeconds * 2 ** tried) * (1 - Math.random() / 2)
}

async function pause(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(seconds * 1000, undefined, signal && { signal }).catch((error) => {
    throw signal?.reason ?? error
  })
}
