import { type PrivacyRequest, parseReason } from '../../model/privacy-request.js'
import type { PrivacyRequestRow } from '../../ports/rows.js'
import { nextStatus } from '../../rules/request/request-lifecycle.js'
import { auditedTransaction, noteAudit } from '../proof/audit-actions.js'
import { tookEffect, untilWritten } from '../until-written.js'
import { dataGone, invalidState, moveRequest, requestRow, requestSubject } from './move-request.js'
import type { RequestCaller, RequestContext } from './request-context.js'
import { showWritten } from './show-requests.js'

export interface CancelOptions extends RequestCaller {
  /** Free text for people, at most 1,000 characters. */
  readonly reason?: string | undefined
}

/** Ends requests that are no longer wanted. */
export function cancellationActions(context: RequestContext) {
  const { storage, runtime } = context

  /** An erasure stops, and takes back the batch that is being written. Rows it has written stay erased. */
  async function askToStop(row: PrivacyRequestRow, actor: string): Promise<PrivacyRequestRow | undefined> {
    const asked = { ...row, cancelRequestedBy: actor, version: row.version + 1 }
    const write = async () =>
      auditedTransaction(storage, async (within) => {
        if (!(await within.table('privacyRequest').replace(asked))) return false
        const subject = requestSubject(row.id)
        await noteAudit(context, within, { actor, action: 'request_cancel_asked', subject, detail: {} })
        return true
      })
    return (await tookEffect(write)) ? asked : undefined
  }

  return {
    async cancel(id: string, { caller, ...options }: CancelOptions = {}): Promise<PrivacyRequest> {
      const { reason } = parseReason('cancellation', options)
      const actor = context.actorOf(caller)
      const changes = { canceledAt: runtime.now().toISOString(), ...(reason !== undefined && { cancelReason: reason }) }
      const written = await untilWritten('privacy request', id, async () => {
        const row = await requestRow(storage, id)
        if (nextStatus(row.status, 'cancel') === undefined) throw invalidState(row, 'cancel')
        if (row.expiringAt !== undefined || row.destroyedAt !== undefined) throw dataGone(id)
        if (row.erasingSince !== undefined) {
          if (row.status === 'in_processing') return askToStop(row, actor)
          // A paused erasure may have written rows already: its next run stops, and reports them.
          if (row.status === 'paused')
            return moveRequest(context, row, { event: 'resume', actor, changes: { cancelRequestedBy: actor } })
        }
        return moveRequest(context, row, { event: 'cancel', actor, changes })
      })
      if (written.status === 'canceled') context.changed?.(id, written.status)
      else await context.tell(id)
      return showWritten(context, written)
    },
  }
}
