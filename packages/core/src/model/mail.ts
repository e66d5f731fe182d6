import * as z from 'zod'
import { parseInput } from './parse-input.js'

export const mailKinds = [
  'request_receipt',
  'identity_verification',
  'request_completion',
  'request_review',
  'request_extension',
] as const
export type MailKind = (typeof mailKinds)[number]

// Neither part may hold a character with a meaning in a header or an SMTP command: blanks, brackets, commas, quotes,
// controls.
const addressPattern = /^[^\s\p{Cc}\p{Cs}<>()[\]\\,;:"@]+@[^\s\p{Cc}\p{Cs}<>()[\]\\,;:"@]+$/u
const messageIdPattern = /^<[!#-;=?A-~]+@[!#-;=?A-~]+>$/

/** Whether a text is exactly one address without a name, and cannot become another recipient or a header. */
export const isMailAddress = (text: string): boolean => text.length <= 254 && addressPattern.test(text)

const mailSchema = z.strictObject({
  kind: z.enum(mailKinds),
  messageId: z.string().max(250).regex(messageIdPattern, 'must look like <id@host>, in ASCII'),
  to: z.string().refine(isMailAddress, 'must be one address such as jane@example.org, without a name'),
  subject: z
    .string()
    .min(1)
    .regex(/^[^\p{Cc}\p{Cs}\u2028\u2029]*$/u, 'must be one line, without control characters'),
  text: z.string().min(1),
  html: z.string().min(1).exactOptional(),
})

/** One rendered mail to one person. `kind` says what it is about, for hosts that treat kinds differently. */
export interface Mail extends Readonly<z.output<typeof mailSchema>> {}

/**
 * Checks a mail before it leaves. Every `Mailer` calls it. Throws `invalid_input` when the mail does not have exactly
 * one address, or when a line break in its head would become a header. No message repeats an address or the content.
 */
export function parseMail(mail: unknown): Mail {
  return parseInput('mail', mailSchema, mail, { readOnly: [] }).value
}
