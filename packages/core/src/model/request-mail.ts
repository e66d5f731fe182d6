import type { MailKind } from './mail.js'

/** `failed`: the service gave up. `not_sent`: it never tried, and `lastError` says why. */
export type RequestMailStatus = 'waiting' | 'sent' | 'failed' | 'not_sent'

/** The state of a mail to the person of a request. It holds neither the content nor the address. */
export interface RequestMail {
  readonly kind: MailKind
  readonly status: RequestMailStatus
  readonly attempts: number
  readonly createdAt: string
  /** One sentence: why the mail is not sent, or not sent yet. */
  readonly lastError?: string
}
