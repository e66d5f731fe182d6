import type { Mail } from '../model/mail.js'

/** Hands mails to a delivery service. */
export interface Mailer {
  /**
   * MUST resolve only when the mail was accepted for delivery, and reject otherwise. MUST reject with `unavailable`
   * when the mail may be sent again, and with `permanent` in the details when this mail was refused for good. MUST
   * reject with `invalid_input`, and hand over nothing, when the mail does not pass `parseMail`. MUST send `messageId`
   * as the Message-ID, so that a mail sent twice is recognised as one. MUST NOT log the content or the recipient of a
   * mail.
   */
  send(mail: Mail): Promise<void>
}
