import { PrivacyError } from '../../errors.js'
import { type PrivacyRequest, parseReason } from '../../model/privacy-request.js'
import type { PrivacyRequestRow } from '../../ports/rows.js'
import { extend } from '../../rules/request/deadline.js'
import { isEnd, nextStep } from '../../rules/request/request-lifecycle.js'
import { extensionOf } from '../mail/request-notifications.js'
import { auditedTransaction, noteAudit } from '../proof/audit-actions.js'
import { tookEffect, untilWritten } from '../until-written.js'
import { deadlineFacts, dueDate } from './due-date.js'
import { dataGone, requestRow, requestSubject } from './move-request.js'
import type { RequestCaller, RequestContext } from './request-context.js'
import { showWritten } from './show-requests.js'

export interface ExtendOptions extends RequestCaller {
  /** Mailed to the person, as the law demands. */
  readonly reason: string
}

export function extensionActions(context: RequestContext) {
  const { storage, runtime } = context
  const { timeZone } = context.options

  function extended(row: PrivacyRequestRow, reason: string): PrivacyRequestRow {
    if (isEnd(row.status)) {
      const message = `Request '${row.id}' is in status '${row.status}', so its deadline cannot be extended: ${nextStep(row)}.`
      throw new PrivacyError('invalid_state', message, { status: row.status, event: 'extend' })
    }
    if (row.expiringAt !== undefined || row.destroyedAt !== undefined) throw dataGone(row.id)
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
    async extendDeadline(id: string, { caller, ...input }: ExtendOptions): Promise<PrivacyRequest> {
      const { reason = '' } = parseReason('extension', input)
      const row = await untilWritten('privacy request', id, async () => {
        const before = await requestRow(storage, id)
        const after = extended(before, reason)
        const mails = await context.mails.compose(after, [extensionOf(after, reason, context.options)])
        const write = (): Promise<boolean> =>
          auditedTransaction(storage, async (within) => {
            if (!(await within.table('privacyRequest').replace(after))) return false
            if (mails.length > 0) await within.table('outboxMail').insertMany(mails)
            const entry = { actor: context.actorOf(caller), action: 'deadline_extended', subject: requestSubject(id) }
            // Without the reason: it may say something about the person, and the trail outlives their data.
            const detail = { from: before.dueDate ?? '', to: after.dueDate ?? '' }
            await noteAudit(context, within, { ...entry, detail })
            return true
          })
        return (await tookEffect(write)) ? after : undefined
      })
      context.mailed?.()
      return showWritten(context, row)
    },
  }
}
