export { type SmtpMailer, smtpMailer } from './smtp-mailer.js'
export type { SmtpMailerOptions, SmtpTlsOptions } from './smtp-options.js'
