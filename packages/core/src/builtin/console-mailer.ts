import { parseMail } from '../model/mail.js'
import type { Mailer } from '../ports/mailer.js'

/** Where mails are printed: `process.stdout`, or anything with a `write` for text. */
export interface MailStream {
  write(text: string): unknown
}

// A terminal would obey control characters. Line breaks and tabs are harmless.
const controls = /(?![\n\t])\p{Cc}/gu

/**
 * Prints kind, recipient, subject and text of each mail instead of sending it. For examples only: codes and links of
 * real people do not belong on a screen or in a log.
 */
export const consoleMailer = (stream: MailStream = process.stdout): Mailer => ({
  async send(mail) {
    const { kind, to, subject, text } = parseMail(mail)
    const lines = [`Mail (${kind}) to ${to}: ${subject}`, '', ...text.trimEnd().split(/\r?\n/)]
    stream.write(`${lines.map((line) => `| ${line}`.trimEnd().replace(controls, '')).join('\n')}\n`)
  },
})
