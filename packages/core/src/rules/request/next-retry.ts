import type { RequestRetry } from '../../model/request-retry.js'

/** `away`: something could not be reached. `changed`: rows were changed while they were erased. */
export type MayPass = 'away' | 'changed'

export interface RetrySettings {
  /** How long failures in a row may last. 0: the first one ends the request. */
  readonly retryMinutes: number
  /** The wait after the first failure. Each further wait is twice as long, up to a minute. */
  readonly retryDelaySeconds: number
}

export interface FailedRun {
  readonly mayPass: MayPass
  readonly reason: string
  /** The failures in a row before this one. */
  readonly before: RequestRetry | undefined
  /** True where the run stored something that the next one builds on. */
  readonly gotFurther: boolean
}

const longestWaitSeconds = 60

/** Rows that somebody changes again and again are the matter of a person. */
const attemptsOnChangedRows = 3

/** When a failed run is repeated. Undefined where it ends the request. `random` lies from 0 to 1. */
export function nextRetry(
  { mayPass, reason, before, gotFurther }: FailedRun,
  { retryMinutes, retryDelaySeconds }: RetrySettings,
  { now, random }: { readonly now: Date; readonly random: number },
): RequestRetry | undefined {
  const isNew = before === undefined || (mayPass === 'away' && gotFurther)
  const since = isNew ? now.toISOString() : before.since
  const attempts = isNew ? 1 : before.attempts + 1
  const changed = (isNew ? 0 : (before.changed ?? 0)) + (mayPass === 'changed' ? 1 : 0)
  if (mayPass === 'changed' && changed >= attemptsOnChangedRows) return undefined
  const waitMs = Math.min(longestWaitSeconds, retryDelaySeconds * 2 ** (attempts - 1)) * 1_000
  // Requests that failed together must not come back together.
  const wanted = now.getTime() + waitMs * (0.5 + random / 2)
  const until = Date.parse(since) + retryMinutes * 60_000
  if (now.getTime() >= until) return undefined
  // The last attempt is made when the time is over.
  const at = new Date(Math.min(wanted, until))
  return { since, attempts, ...(changed > 0 && { changed }), at: at.toISOString(), reason }
}
