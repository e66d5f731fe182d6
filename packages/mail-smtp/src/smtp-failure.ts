import { PrivacyError } from '@habeas/core'

/** Words for programs, in `details.reason` of an `unavailable`. */
export type SmtpFailureReason =
  | 'recipient_refused'
  | 'mail_refused'
  | 'sender_refused'
  | 'deferred'
  | 'authentication'
  | 'tls'
  | 'name_not_resolved'
  | 'refused'
  | 'timeout'
  | 'closed'
  | 'other'

/** Nodemailer's facts about a failure. Its message and `response` are left out: servers repeat addresses in them. */
interface SmtpError {
  readonly code?: string
  readonly originalCode?: string
  readonly responseCode?: number
  readonly command?: string
  readonly response?: string
  readonly message?: string
}

const sentences: Readonly<Record<SmtpFailureReason, string>> = {
  recipient_refused: 'The mail server refused the recipient for good: check the address.',
  mail_refused: 'The mail server refused the mail for good: its log has the reason.',
  sender_refused: 'The mail server does not take mails from this sender: check from, user and password.',
  deferred: 'The mail server cannot take the mail at the moment: try again later.',
  authentication: 'The mail server did not accept the user and password: check both.',
  tls: 'No encrypted connection to the mail server could be agreed on: check port and secure, pass its certificate authority as tls.ca, or, on a network you trust, set tls to false.',
  name_not_resolved: 'The host name of the mail server could not be resolved: check host.',
  refused: 'Nothing listens at host and port of the mail server: check both, and that the server is running.',
  timeout: 'The mail server did not answer in time: check host, port and the firewalls between, or try again later.',
  closed: 'The mailer was closed: create a new one.',
  other: 'The connection to the mail server failed: check host, port and secure, or try again later.',
}

/** Codes that ask for a login or an encrypted connection. They mean that a setting is wrong, not the mail. */
const loginCodes = new Set([530, 534, 535, 538])
const tooLarge = 552

function refusalOf(code: number, command: string): SmtpFailureReason {
  if (code < 500) return 'deferred'
  if (loginCodes.has(code)) return 'authentication'
  if (command === 'RCPT TO') return 'recipient_refused'
  return command === 'DATA' || code === tooLarge ? 'mail_refused' : 'sender_refused'
}

const byCode: Readonly<Record<string, SmtpFailureReason>> = {
  EAUTH: 'authentication',
  ENOAUTH: 'authentication',
  ETLS: 'tls',
  EDNS: 'name_not_resolved',
  ENOTFOUND: 'name_not_resolved',
  EAI_AGAIN: 'name_not_resolved',
  ECONNREFUSED: 'refused',
  ETIMEDOUT: 'timeout',
  EABORT: 'timeout',
}

function reasonOf({ code = '', originalCode = '', responseCode, command = '' }: SmtpError): SmtpFailureReason {
  if (code === 'EAUTH' && responseCode !== undefined && responseCode < 500) return 'deferred'
  if (code === 'EENVELOPE' || code === 'EMESSAGE') {
    if (responseCode !== undefined) return refusalOf(responseCode, command)
    // the server announced its largest mail, and this one is larger
    if (code === 'EMESSAGE' && command === 'MAIL FROM') return 'mail_refused'
  }
  if (/CERT|SIGNATURE|SELF_SIGNED|UNABLE_TO|^ERR_(?:SSL|TLS)|^EPROTO$/.test(originalCode)) return 'tls'
  return byCode[originalCode] ?? byCode[code] ?? 'other'
}

/** Returns a cause of codes and the command only. They are enough to find the line in the server's log. */
function causeOf({ code, originalCode, responseCode, command, response }: SmtpError): Error {
  const enhanced = /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})\b/.exec(response ?? '')?.[1]
  const answer = responseCode === undefined ? undefined : `answered ${responseCode}${enhanced ? ` ${enhanced}` : ''}`
  return new Error(['SMTP', command, answer, originalCode ?? code].filter(Boolean).join(' '))
}

/** Returns an `unavailable` with the reason why a mail was not accepted. */
export function smtpFailure(error: unknown): PrivacyError<'unavailable'> {
  const known = error as SmtpError
  const reason = reasonOf(known)
  const permanent = reason === 'recipient_refused' || reason === 'mail_refused'
  const details = { reason, ...(permanent && { permanent }) }
  return new PrivacyError('unavailable', sentences[reason], details, { cause: causeOf(known) })
}

/** Returns the error of a `send` after `close`. */
export const closedFailure = (): PrivacyError<'unavailable'> =>
  new PrivacyError('unavailable', sentences.closed, { reason: 'closed' })
