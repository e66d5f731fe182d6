import { PrivacyError } from '../errors.js'
import { counted } from '../rules/value/counted-rows.js'
import { untilAborted } from './until-aborted.js'

/** Options of a call that its caller may cancel. */
export interface Abortable {
  readonly signal?: AbortSignal | undefined
}

/**
 * Resolves as `work` does, if it ends in time. Otherwise rejects with `connection_failed` and the reason `timeout`, aborts
 * the signal of `work` and waits no longer, even if `work` ignores that. Rejects with the reason of `signal` as soon as
 * that aborts.
 */
export async function withinSeconds<Result>(
  seconds: number,
  work: (signal: AbortSignal) => Promise<Result>,
  { signal }: Abortable = {},
): Promise<Result> {
  signal?.throwIfAborted()
  const controller = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const message = `The database did not answer within ${counted(seconds, 'second')}: check that host and port are right and that this machine can reach them.`
      reject(new PrivacyError('connection_failed', message, { reason: 'timeout' }))
    }, seconds * 1000)
  })
  try {
    return await untilAborted(Promise.race([work(controller.signal), expired]), signal)
  } finally {
    clearTimeout(timer)
    controller.abort()
  }
}
