import type { Mail, Mailer } from '../ports/mailer.js'

/** Keeps mails instead of sending them, one per Message-ID, oldest first in `outbox`. For tests and trials. */
export const memoryMailer = (): Mailer & { readonly outbox: readonly Mail[] } => {
  const mails = new Map<string, Mail>()
  return {
    get outbox() {
      return [...mails.values()]
    },
    async send(mail) {
      mails.set(mail.messageId, { ...mail })
    },
  }
}
