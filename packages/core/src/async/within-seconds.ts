import { PrivacyError } from '../errors.js'
import { counted } from '../rules/value/counted-rows.js'
import { untilAborted } from './until-aborted.js'

/** Whoever asked may lose interest. */
export interface Abortable {
  readonly signal?: AbortSignal | undefined
}

/**
 * What `work` gives, if it does so in time; else throws `connection_failed` with the reason `timeout`, aborts the signal
 * and waits no longer, whether or not `work` heeds it. Throws the reason of `signal` as soon as that aborts.
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
      const message = `The database did not answer within ${counted(seconds, 'second')}: check that host and port are right and can be reached from here.`
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
