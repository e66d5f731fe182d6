import type { ActionContext } from '../../actions/action-context.js'
import { requestRow } from '../../actions/requests/move-request.js'
import { showRequest } from '../../actions/requests/show-requests.js'
import { closedError } from '../../actions/while-open.js'
import type { PrivacyRequest, RequestStatus } from '../../model/privacy-request.js'
import type { PrivacyRequestRow } from '../../ports/rows.js'
import { type EventChannel, onStatus } from './event-channel.js'

const settledStatuses: readonly RequestStatus[] = ['complete', 'error', 'denied', 'canceled']

/** Another process may run the request, so its row is looked at from time to time as well. */
const lookEveryMs = 1_000

/** Returns whether a request goes on only after a decision, so that waiting for its end would not return. */
function waitsForDecision({ status, actionRequired }: PrivacyRequestRow): boolean {
  return status === 'paused' && actionRequired?.accept !== undefined
}

/**
 * Resolves with a request once it has ended, in success or failure, or waits for a decision. Rejects when `signal` aborts,
 * or the service is closed before that.
 */
export async function settledRequest(
  context: ActionContext,
  events: EventChannel,
  id: string,
  { signal, closed }: { readonly signal: AbortSignal | undefined; readonly closed: AbortSignal },
): Promise<PrivacyRequest> {
  signal?.throwIfAborted()
  let wake = () => {}
  const wakeUp = () => wake()
  const forget = onStatus(events, id, wakeUp)
  signal?.addEventListener('abort', wakeUp)
  closed.addEventListener('abort', wakeUp)
  let timer: NodeJS.Timeout | undefined
  try {
    for (;;) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve
      })
      timer = setTimeout(wake, lookEveryMs)
      const isClosed = closed.aborted
      const row = await requestRow(context.storage, id)
      if (settledStatuses.includes(row.status) || waitsForDecision(row)) return showRequest(context, row)
      if (isClosed) throw closedError()
      await woken
      clearTimeout(timer)
      signal?.throwIfAborted()
    }
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', wakeUp)
    closed.removeEventListener('abort', wakeUp)
    forget()
  }
}
