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

// Neither part may hold what a header or an SMTP command gives a meaning to: blanks, brackets, commas, quotes, controls.
const addressPattern = /^[^\s\p{Cc}\p{Cs}<>()[\]\\,;:"@]+@[^\s\p{Cc}\p{Cs}<>()[\]\\,;:"@]+$/u
const messageIdPattern = /^<[!#-;=?A-~]+@[!#-;=?A-~]+>$/

/** Whether a text is one address, without a name: never a list, nor what could become another recipient or a header. */
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

/** One mail to one person, already rendered. `kind` is what it is about, for hosts that treat kinds differently. */
export interface Mail extends Readonly<z.output<typeof mailSchema>> {}

/**
 * Checks a mail before it leaves: every `Mailer` does. Throws `invalid_input` when it is not to one address, or when a
 * line break in its head would become a header. No message repeats an address or what the mail says.
 */
export function parseMail(mail: unknown): Mail {
  return parseInput('mail', mailSchema, mail, { readOnly: [] }).value
}
