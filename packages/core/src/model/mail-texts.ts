import * as z from 'zod'

/** The kinds of mail texts: one for each event. */
export const mailTextKinds = [
  'request_receipt',
  'identity_verification',
  'request_completion_access',
  'request_completion_erasure',
  'request_review_approved',
  'request_review_denied',
  'request_extension',
] as const
export type MailTextKind = (typeof mailTextKinds)[number]

/** A language tag in its usual spelling (`de-AT`), or undefined where it is invalid. It also takes `de_at`. */
export function languageTag(text: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(text.replaceAll('_', '-'))[0]
  } catch {
    return undefined
  }
}

export const languageSchema = z
  .string()
  .refine((text) => languageTag(text) !== undefined, 'must be a language tag such as en or de-AT')

const templateSchema = z.strictObject({
  /** One line. */
  subject: z
    .string()
    .trim()
    .min(1)
    .regex(/^[^\p{Cc}\u2028\u2029]*$/u, 'must be one line'),
  text: z.string().trim().min(1),
  /** Default: made from `text`. A fragment is put into a whole document. */
  html: z.string().trim().min(1).exactOptional(),
})

/**
 * The host's own mails, by language and kind. `{name}` stands for a value. `{#name}…{/name}` is left out when there is
 * no value. Compiling the texts checks which names a kind knows.
 */
export const mailTextsSchema = z.record(
  languageSchema,
  z.strictObject({
    request_receipt: templateSchema.exactOptional(),
    identity_verification: templateSchema.exactOptional(),
    request_completion_access: templateSchema.exactOptional(),
    request_completion_erasure: templateSchema.exactOptional(),
    request_review_approved: templateSchema.exactOptional(),
    request_review_denied: templateSchema.exactOptional(),
    request_extension: templateSchema.exactOptional(),
  } satisfies Record<MailTextKind, unknown>),
)

export type MailTemplate = z.output<typeof templateSchema>
export type MailTexts = z.output<typeof mailTextsSchema>
