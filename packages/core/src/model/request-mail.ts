import type { MailKind } from './mail.js'

/** `failed`: given up; `not_sent`: never tried, `lastError` says why. */
export type RequestMailStatus = 'waiting' | 'sent' | 'failed' | 'not_sent'

/** What became of a mail to the person of a request. Never what it says, nor to whom. */
export interface RequestMail {
  readonly kind: MailKind
  readonly status: RequestMailStatus
  readonly attempts: number
  readonly createdAt: string
  /** One sentence: why it is not sent, or not yet. */
  readonly lastError?: string
}
