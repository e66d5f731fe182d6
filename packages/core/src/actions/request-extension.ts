import { PrivacyError } from '../errors.js'
import { type PrivacyRequest, parseReason } from '../model/privacy-request.js'
import type { PrivacyRequestRow } from '../ports/rows.js'
import { extend } from '../rules/deadlines.js'
import { isEnd, wayOut } from '../rules/request-lifecycle.js'
import { noteAudit } from './audit.js'
import { tookEffect, untilWritten } from './compare-and-set.js'
import type { RequestCaller, RequestContext } from './request-context.js'
import { deadlineFacts, dueDate } from './request-deadlines.js'
import { requestRow, requestSubject } from './request-rows.js'
import { showWritten } from './shown-requests.js'

export interface ExtendOptions extends RequestCaller {
  /** Told to the person, as the law demands. */
  readonly reason: string
}

export function extensionActions(context: RequestContext) {
  const { storage, runtime } = context
  const { timeZone } = context.options

  function extended(row: PrivacyRequestRow, reason: string): PrivacyRequestRow {
    if (isEnd(row.status)) {
      const message = `Request '${row.id}' is in status '${row.status}', so its deadline cannot be extended: ${wayOut[row.status]}.`
      throw new PrivacyError('invalid_state', message, { status: row.status, event: 'extend' })
    }
    const facts = deadlineFacts(row, timeZone)
    if (!facts) {
      const message = `Request '${row.id}' has no deadline: the policy '${row.policyKey}' had no execution_timeframe.`
      throw new PrivacyError('unsupported', message, { feature: 'extension' })
    }
    const { at } = extend(facts, { at: runtime.now(), reason })
    const next = { ...row, extendedAt: at, extensionReason: reason }
    return { ...next, ...dueDate(next, timeZone), version: row.version + 1 }
  }

  return {
    /**
     * Extends the deadline of a request, once, as far as the law of its policy goes. Rejects with `unsupported` where there
     * is no extension, with `invalid_state` when it is too late or there was one, with `invalid_input` without a reason.
     */
    async extendDeadline(id: string, { caller, ...input }: ExtendOptions): Promise<PrivacyRequest> {
      const { reason = '' } = parseReason('extension', input)
      const row = await untilWritten('privacy request', id, async () => {
        const before = await requestRow(storage, id)
        const after = extended(before, reason)
        const write = (): Promise<boolean> =>
          storage.transaction(async (within) => {
            if (!(await within.table('privacyRequest').replace(after))) return false
            const entry = { actor: context.actorOf(caller), action: 'deadline_extended', subject: requestSubject(id) }
            const detail = { from: before.dueDate ?? '', to: after.dueDate ?? '', reason }
            await noteAudit(context, within, { ...entry, detail })
            return true
          })
        return (await tookEffect(write)) ? after : undefined
      })
      return showWritten(context, row)
    },
  }
}
