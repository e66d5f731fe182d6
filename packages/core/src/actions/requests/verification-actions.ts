import { PrivacyError } from '../../errors.js'
import { type PrivacyRequest, parseCode } from '../../model/privacy-request.js'
import type { PrivacyRequestRow, VerificationCodeRow } from '../../ports/rows.js'
import type { Storage } from '../../ports/storage.js'
import { nextStatus } from '../../rules/request/request-lifecycle.js'
import { counted } from '../../rules/value/counted-rows.js'
import { receiptOf } from '../mail/request-notifications.js'
import { auditedTransaction, noteAudit } from '../proof/audit-actions.js'
import { tookEffect, untilWritten } from '../until-written.js'
import { dueDate } from './due-date.js'
import { invalidState, requestRow, requestSubject } from './move-request.js'
import { openPersonalData } from './personal-data.js'
import type { RequestCaller, RequestContext } from './request-context.js'
import { showWritten } from './show-requests.js'
import { noCode, type VerificationCodes } from './verification-codes.js'

export interface VerifyOptions extends RequestCaller {
  /** The six digits that were mailed; a number stands for its text with leading zeros. */
  readonly code: string | number
}

/** With three attempts each, the code of a request is guessed once in some 67,000. */
const mostCodes = 5
const resendSeconds = 60

/** Verification by a mailed code (docs/requests.md). */
export function verificationActions(context: RequestContext, codes: VerificationCodes) {
  const { storage, runtime } = context
  const table = storage.table('verificationCode')

  async function needUnverified(id: string, called: 'verify' | 'resend'): Promise<PrivacyRequestRow> {
    const row = await requestRow(storage, id)
    if (nextStatus(row.status, 'verify') === undefined) throw invalidState(row, 'verify', called)
    return row
  }

  return {
    async verify(id: string, { caller, ...input }: VerifyOptions): Promise<PrivacyRequest> {
      const code = parseCode(input)
      const request = await needUnverified(id, 'verify')
      const { hash } = await codes.attempt(id, code)
      const identityVerifiedAt = runtime.now().toISOString()
      const verified = { ...request, identityVerifiedAt }
      const changes = { identityVerifiedAt, ...dueDate(verified, context.options.timeZone) }
      const mails = await context.mails.compose(request, [receiptOf({ ...verified, ...changes }, context.options)])
      const moved = await context.move(id, caller, {
        event: 'verify',
        changes,
        async also(within) {
          // The code is taken in the transaction that changes the status, so that a right code moves its request once.
          const taken = await within.table('verificationCode').take(id)
          if (taken?.hash !== hash) throw noCode()
          await within.table('outboxMail').insertMany(mails)
        },
      })
      context.mailed?.()
      return showWritten(context, await context.proceed(moved))
    },

    async resend(id: string, { caller }: RequestCaller = {}): Promise<PrivacyRequest> {
      const row = await untilWritten('verification code', id, async () => {
        const request = await needUnverified(id, 'resend')
        const before = await table.get(id)
        refuseSoon(before, runtime.now())
        const issued = await codes.issue(request, await openPersonalData(context, id), before)
        if (!issued) throw invalidState(request, 'verify', 'resend')
        const write = async (within: Storage) => {
          const own = within.table('verificationCode')
          if (before ? !(await own.replace(issued.code)) : await own.insert(issued.code)) return false
          await recall(within, id)
          await within.table('outboxMail').insertMany(issued.mails)
          const entry = { actor: context.actorOf(caller), action: 'code_resent', subject: requestSubject(id) }
          await noteAudit(context, within, { ...entry, detail: {} })
          return true
        }
        return (await tookEffect(() => auditedTransaction(storage, write))) ? request : undefined
      })
      context.mailed?.()
      return showWritten(context, row)
    },
  }
}

/** Codes that are still on their way no longer count. */
async function recall(within: Storage, requestId: string): Promise<void> {
  const table = within.table('outboxMail')
  const waiting = await table.find({ where: { requestId: { equals: requestId }, status: { equals: 'waiting' } } })
  for (const { sealed, nextAttemptAt, ...mail } of waiting) {
    if (mail.kind !== 'identity_verification') continue
    const lastError = 'A newer code was asked for.'
    await table.replace({ ...mail, status: 'not_sent', lastError, version: mail.version + 1 })
  }
}

function refuseSoon(before: VerificationCodeRow | undefined, now: Date): void {
  if (!before) return
  if (before.issued >= mostCodes) {
    const message = `The request has had ${mostCodes} codes and gets no more: submit a new one.`
    throw new PrivacyError('rate_limited', message)
  }
  const retryAfterSeconds = Math.ceil((Date.parse(before.issuedAt) - now.getTime()) / 1_000) + resendSeconds
  if (retryAfterSeconds <= 0) return
  const message = `A code was mailed a moment ago: wait ${counted(retryAfterSeconds, 'second')} before you ask for another one.`
  throw new PrivacyError('rate_limited', message, { retryAfterSeconds })
}
