import { type Mail, parseMail } from '../model/mail.js'
import type { Mailer } from '../ports/mailer.js'

/** Keeps mails instead of sending them, one per Message-ID, oldest first in `outbox`. For tests and trials. */
export const memoryMailer = (): Mailer & { readonly outbox: readonly Mail[] } => {
  const mails = new Map<string, Mail>()
  return {
    get outbox() {
      return [...mails.values()]
    },
    async send(mail) {
      const checked = parseMail(mail)
      mails.set(checked.messageId, checked)
    },
  }
}
