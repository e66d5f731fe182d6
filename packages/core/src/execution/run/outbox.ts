import type { ActionContext } from '../../actions/action-context.js'
import { type MailNotification, mailSeal } from '../../actions/mail/request-mails.js'
import { auditedTransaction, noteAudit } from '../../actions/proof/audit-actions.js'
import { requestSubject } from '../../actions/requests/move-request.js'
import { openPersonalData } from '../../actions/requests/personal-data.js'
import { tookEffect } from '../../actions/until-written.js'
import { retryWithBackOff } from '../../async/retry-with-back-off.js'
import { withinSeconds } from '../../async/within-seconds.js'
import { openText } from '../../crypto/data-key.js'
import { isPrivacyError } from '../../errors.js'
import { type ErrorTrace, errorTrace } from '../../model/error-trace.js'
import type { Emit } from '../../model/privacy-event.js'
import type { Mailer } from '../../ports/mailer.js'
import type { OutboxMailRow } from '../../ports/rows.js'

/** How long one attempt may take. After that nobody waits for the mailer. */
const attemptSeconds = 60
/** How long no other worker tries a mail that is being sent. It is longer than an attempt can take. */
const claimSeconds = 2 * attemptSeconds
const firstPauseSeconds = 5
const longestPauseSeconds = 3_600
const giveUpSeconds = 3 * 24 * 3_600
const atOnce = 8
/** After how long the others wait for the next time, so that a server that hangs keeps nothing else waiting for long. */
const roundSeconds = 60
const graceSeconds = 3

export interface OutboxOptions {
  readonly context: ActionContext
  readonly mailer: Mailer
  readonly emit: Emit
  readonly signal: AbortSignal
}

/**
 * Sends the mails in the outbox, each by one worker at a time and always under its own Message-ID. A mail that was accepted
 * just before its worker died is sent again and recognised as the same.
 */
export function outbox({ context, mailer, emit, signal }: OutboxOptions) {
  const { storage, runtime } = context
  const table = storage.table('outboxMail')
  const later = (seconds: number) => new Date(runtime.now().getTime() + seconds * 1_000).toISOString()

  // Closing the service waits a little for mails that are being accepted, and not for a server that hangs.
  const leaving = new AbortController()
  signal.addEventListener('abort', () => {
    setTimeout(() => leaving.abort(signal.reason), graceSeconds * 1_000).unref()
  })

  async function dueMails(): Promise<readonly OutboxMailRow[]> {
    const where = { status: { equals: 'waiting' as const }, nextAttemptAt: { lte: runtime.now().toISOString() } }
    return table.find({ where, orderBy: [{ field: 'nextAttemptAt' }], limit: atOnce })
  }

  /** Returns whether the mail was sent. */
  async function attempt(row: OutboxMailRow): Promise<boolean> {
    const taken = {
      ...row,
      attempts: row.attempts + 1,
      nextAttemptAt: later(claimSeconds),
      version: row.version + 1,
    }
    if (!(await tookEffect(() => table.replace(taken)))) return false
    const now = runtime.now().toISOString()
    if (row.notAfter !== undefined && row.notAfter <= now) {
      await end({ ...taken, attempts: row.attempts }, 'failed', 'It could not be sent before it expired.')
      return false
    }
    try {
      const notification = await notificationOf(taken)
      const { kind, messageId } = row
      await withinSeconds(attemptSeconds, () => mailer.send({ kind, messageId, ...notification }), {
        signal: leaving.signal,
      })
    } catch (error) {
      await refused(taken, error)
      return false
    }
    await end(taken, 'sent')
    return true
  }

  async function notificationOf(row: OutboxMailRow): Promise<MailNotification> {
    const { dataKey } = await openPersonalData(context, row.requestId)
    return JSON.parse(openText(dataKey, mailSeal(row), row.sealed ?? ''))
  }

  async function refused(row: OutboxMailRow, error: unknown): Promise<void> {
    const { lastError, isFinal, pauseSeconds } = judged(error)
    const isOver = later(-giveUpSeconds) > row.createdAt
    const trace = errorTrace(error)
    if (isFinal || isOver) return end(row, 'failed', lastError, trace)
    const pause = Math.max(pauseSeconds, Math.min(firstPauseSeconds * 4 ** (row.attempts - 1), longestPauseSeconds))
    const waiting = { ...row, lastError, nextAttemptAt: later(pause), version: row.version + 1 }
    await table.replace(waiting)
    tell(waiting, trace)
  }

  /** Ends a mail and removes its content, since nobody has to send it any more. */
  async function end(
    row: OutboxMailRow,
    status: 'sent' | 'failed',
    lastError?: string,
    trace?: ErrorTrace,
  ): Promise<void> {
    const { sealed, nextAttemptAt, notAfter, lastError: before, ...rest } = row
    const ended = { ...rest, status, version: row.version + 1, ...(lastError !== undefined && { lastError }) }
    const write = (): Promise<boolean> =>
      auditedTransaction(storage, async (within) => {
        if (!(await within.table('outboxMail').replace(ended))) return false
        const entry = { actor: 'system', action: `mail_${status}`, subject: requestSubject(row.requestId) }
        await noteAudit(context, within, { ...entry, detail: { kind: row.kind } })
        return true
      })
    // A mail whose end could not be written is sent again.
    if (await retryWithBackOff(() => tookEffect(write))) tell(ended, trace)
  }

  function tell({ requestId, kind, status, attempts, lastError }: OutboxMailRow, trace?: ErrorTrace): void {
    const message = lastError !== undefined && { message: lastError }
    emit({ type: 'mail', requestId, kind, status, attempts, ...message, ...trace })
  }

  async function sendDue(): Promise<number> {
    let sent = 0
    const until = later(roundSeconds)
    while (!signal.aborted && later(0) < until) {
      const due = await dueMails()
      if (due.length === 0) break
      sent += (await Promise.all(due.map(attempt))).filter(Boolean).length
    }
    return sent
  }

  let sending: Promise<number> | undefined
  let isAskedAgain = false
  return {
    /** Sends the mails that are due now. Resolves with the number of those sent when all of them were tried, or after a minute. */
    async send(): Promise<number> {
      isAskedAgain = true
      sending ??= (async () => {
        let sent = 0
        while (isAskedAgain) {
          isAskedAgain = false
          sent += await sendDue()
        }
        return sent
      })().finally(() => {
        sending = undefined
      })
      return sending
    },
  }
}

function judged(error: unknown) {
  const known = isPrivacyError(error)
  const isTimeout = isPrivacyError(error, 'connection_failed') && error.details.reason === 'timeout'
  const lastError = isTimeout
    ? 'The mailer did not answer in time.'
    : known
      ? error.message
      : 'The mailer failed and did not say why: the log of the service has the cause.'
  const isFinal =
    (isPrivacyError(error, 'unavailable') && error.details.permanent === true) ||
    isPrivacyError(error, 'invalid_input') ||
    isPrivacyError(error, 'gone')
  const pauseSeconds = (isPrivacyError(error, 'unavailable') && error.details.retryAfterSeconds) || 0
  return { lastError, isFinal, pauseSeconds }
}
