import type { PrivacyRequestRow } from '../../ports/rows.js'
import type { MailContent } from '../../rules/mail/mail-values.js'

type Dated = Pick<PrivacyRequestRow, 'id' | 'dueDate'>

interface Calendar {
  readonly timeZone?: string | undefined
}

/** The mail about a request that was received. */
export function receiptOf({ id, dueDate }: Dated, { timeZone }: Calendar): MailContent {
  return {
    kind: 'request_receipt',
    requestId: id,
    ...(dueDate !== undefined && { dueAt: dueDate }),
    ...(timeZone !== undefined && { timeZone }),
  }
}

/** The mail about an extended deadline. */
export function extensionOf({ id, dueDate = '' }: Dated, reason: string, { timeZone }: Calendar): MailContent {
  const about = { kind: 'request_extension', requestId: id } as const
  return { ...about, reason, dueAt: dueDate, ...(timeZone !== undefined && { timeZone }) }
}

export type Decision =
  | { readonly decision: 'approved' }
  | { readonly decision: 'denied'; readonly reason?: string | undefined }

/** The mail about a decision. */
export function reviewOf(requestId: string, made: Decision): MailContent {
  const about = { kind: 'request_review', requestId } as const
  if (made.decision === 'approved') return { ...about, decision: made.decision }
  return { ...about, decision: made.decision, ...(made.reason !== undefined && { reason: made.reason }) }
}
