import { setMaxListeners } from 'node:events'
import type { ActionContext } from '../actions/context.js'
import { leaseSeconds, leaseUntil } from '../actions/requests.js'
import { PrivacyError } from '../errors.js'
import type { PrivacyRequestRow } from '../ports/rows.js'

/**
 * Keeps a claimed request while it runs, so that nobody takes it for abandoned. `signal` aborts when `stop` does, and
 * when the lease was lost all the same: the run must then leave the request to whoever has it.
 */
export function holdLease(context: ActionContext, row: PrivacyRequestRow, stop: AbortSignal) {
  const table = context.storage.table('privacyRequest')
  const lost = new AbortController()
  const signal = AbortSignal.any([stop, lost.signal])
  setMaxListeners(0, signal)
  let held = row
  let renewing: Promise<void> = Promise.resolve()
  const renew = async () => {
    const next = { ...held, leaseExpiresAt: leaseUntil(context.runtime), version: held.version + 1 }
    if (await table.replace(next)) held = next
    else lost.abort(new PrivacyError('unavailable', `The run of request '${row.id}' was taken over.`))
  }
  const timer = setInterval(
    () => {
      // A storage that is away for a moment is asked again before the lease ends.
      renewing = renewing.then(renew).catch(() => {})
    },
    (leaseSeconds * 1_000) / 3,
  ).unref()
  return {
    signal,
    /** Stops renewing. Resolves with the row as it is now, or undefined when the lease was lost. */
    async end(): Promise<PrivacyRequestRow | undefined> {
      clearInterval(timer)
      await renewing
      return lost.signal.aborted ? undefined : held
    },
  }
}
