import * as z from 'zod'
import { always } from './document.js'
import { identitiesSchema, identitySchema } from './identity.js'
import { keySchema } from './key.js'
import { languageSchema } from './mail-texts.js'
import { type Parsed, parseInput } from './parse-input.js'
import type { PackageFormat, Policy } from './policy.js'
import type { RequestMail } from './request-mail.js'
import { timestampSchema } from './timestamp.js'
import { wellFormedTextSchema } from './well-formed-text.js'

export const requestStatuses = [
  'identity_unverified',
  'pending',
  'approved',
  'denied',
  'in_processing',
  'requires_input',
  'paused',
  'complete',
  'error',
  'canceled',
] as const
export type RequestStatus = (typeof requestStatuses)[number]

export type ActionType = 'access' | 'erasure'

const bytes = (text: string) => new TextEncoder().encode(text).length

const encryptionKey = z
  .string()
  .refine((key) => bytes(key) === 16 && !/\p{Surrogate}/u.test(key), 'must be exactly 16 bytes long as UTF-8')
  .exactOptional()

const encryptionKey256 = z
  .string()
  .refine((key) => /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/.test(key), 'must be 32 bytes as base64')
  .exactOptional()

/** What a caller submits. One `identity` is the same as `identities` with one element. */
export const submissionSchema = z
  .object({
    externalId: wellFormedTextSchema.min(1).max(255).exactOptional(),
    /** Default: when the request is created. */
    requestedAt: timestampSchema.exactOptional(),
    policyKey: keySchema,
    /** Of the mails to the person. */
    language: languageSchema.exactOptional(),
    identities: identitiesSchema.exactOptional(),
    identity: identitySchema.exactOptional(),
    encryptionKey,
    encryptionKey256,
    /** True: an erasure may go on although described collections are not searched. */
    acceptUnsearched: z.boolean().default(false),
  })
  .superRefine((submission, context) => {
    if (typeof submission !== 'object' || submission === null) return
    const { identity, identities, encryptionKey, encryptionKey256 } = submission
    const fault = (path: string, message: string, type = 'invalid_value') =>
      context.addIssue({ code: 'custom', path: [path], message, params: { type } })
    if (identity === undefined && identities === undefined) fault('identities', 'is required', 'missing')
    if (identity !== undefined && identities !== undefined) fault('identity', 'must not stand beside identities')
    if (encryptionKey !== undefined && encryptionKey256 !== undefined) {
      fault('encryptionKey256', 'must not stand beside encryptionKey')
    }
  }, always)
  .transform(({ identity, identities, ...rest }) => ({
    ...rest,
    identities: identity ? [identity] : (identities ?? []),
  }))

export interface Submission extends z.output<typeof submissionSchema> {}

/** Reads a submission. No message repeats an identity or a key. */
export function parseSubmission(input: unknown): Parsed<Submission> {
  return parseInput('privacy request', submissionSchema, input)
}

const reasonSchema = z.strictObject({ reason: wellFormedTextSchema.max(1_000).exactOptional() })

/** Reads the reason that comes with a decision, which messages call `what`. A blank one is none. */
export function parseReason(what: string, input: unknown): z.output<typeof reasonSchema> {
  const { reason } = parseInput(what, reasonSchema, input).value
  return reason?.trim() ? { reason } : {}
}

const approvalSchema = z.strictObject({
  planHash: z
    .string()
    .regex(/^[A-Za-z0-9_-]{43}$/, 'must be the hash that came with a plan')
    .exactOptional(),
})

/** Reads what comes with an approval. */
export function parseApproval(input: unknown): z.output<typeof approvalSchema> {
  return parseInput('approval', approvalSchema, input).value
}

const codeSchema = z.strictObject({
  code: z
    .union([z.string().trim(), z.int().min(0)], { error: 'must be the six digits that were mailed' })
    .transform((code) => (typeof code === 'number' ? String(code).padStart(6, '0') : code))
    .refine((code) => /^[0-9]{6}$/.test(code), 'must be the six digits that were mailed'),
})

/** Reads a code that was mailed; a number stands for its text with the zeros in front. */
export function parseCode(input: unknown): string {
  return parseInput('verification', codeSchema, input).value.code
}

/** What became of rows of one collection (the honest ends of a search or an erasure). */
export const outcomes = [
  'delivered',
  'masked',
  'erased',
  'retained',
  'unchanged',
  'gone',
  'changed',
  'nothing_found',
  'skipped',
  'unsupported',
  'failed',
] as const
export type Outcome = (typeof outcomes)[number]

/** Counts of one collection for one action; they add up to the rows found. Never a value. */
export interface CollectionResult {
  readonly dataset: string
  readonly collection: string
  readonly actionType: ActionType
  readonly outcomes: readonly { readonly outcome: Outcome; readonly rowCount: number; readonly reason?: string }[]
  /** Array elements that were left out of own rows, since they meet nothing of the subject's. */
  readonly elementsLeft?: number
  /** Rows that hold some but not all properties of an identity object: counted, not read. */
  readonly nearMatches?: number
}

/** One thing a person looks up: rows that hold one value of each locator. */
export interface ActionNeeded {
  /** By field, in dotted form. Null where whoever asks may not see the person's data. */
  readonly locators: Readonly<Record<string, readonly unknown[]>> | null
  /** The columns that are wanted of each row. */
  readonly get: readonly string[] | null
  readonly update: Readonly<Record<string, unknown>> | null
}

/** What has to be done before a paused request can go on. */
export interface ActionRequired {
  readonly step: ActionType
  /** `dataset:collection`. */
  readonly collection: string | null
  readonly actionNeeded: readonly ActionNeeded[] | null
}

const erasureConfirmationSchema = z.object({ rowCount: z.int().min(0) })

/** Reads how many rows somebody has erased by hand. */
export function parseErasureConfirmation(input: unknown): z.output<typeof erasureConfirmationSchema> {
  return parseInput('confirmation', erasureConfirmationSchema, input).value
}

/** A file that a complete request hands over. */
export interface PackageFile {
  /** Key of the access rule it answers. */
  readonly rule: string
  readonly format: PackageFormat
  /** What to call it. */
  readonly name: string
  readonly mediaType: string
  /** Bytes, once decrypted. */
  readonly size: number
}

/** A privacy request as its callers see it. Identities, keys and plans are kept elsewhere. Times are ISO 8601 in UTC. */
export interface PrivacyRequest {
  /** `pri_` and a UUIDv7. */
  readonly id: string
  readonly status: RequestStatus
  readonly policyKey: string
  readonly externalId?: string
  readonly createdAt: string
  readonly requestedAt: string
  /** Of the mails to the person. */
  readonly language?: string
  /** Its policy's when it was submitted. */
  readonly timeframe?: NonNullable<Policy['execution_timeframe']>
  /** The last moment for an answer. */
  readonly dueDate?: string
  /** Whole days of the calendar until then; negative once it is overdue, absent once the request has ended. */
  readonly daysLeft?: number
  readonly extendedAt?: string
  /** Told to the person, as the law demands. */
  readonly extensionReason?: string
  readonly identityVerifiedAt?: string
  /** Names of properties that the person claims and nobody has checked: before an approval they find nothing by themselves. */
  readonly unproven?: readonly string[]
  readonly reviewedAt?: string
  readonly reviewedBy?: string
  readonly denialReason?: string
  readonly startedProcessingAt?: string
  readonly finishedProcessingAt?: string
  readonly pausedAt?: string
  /** Until then a request that a webhook halted may be resumed; then it fails. */
  readonly resumeBy?: string
  readonly canceledAt?: string
  /** Free text of whoever canceled it. */
  readonly cancelReason?: string
  readonly acceptUnsearched: boolean
  /** True when results are encrypted with a key of the caller's. */
  readonly encrypted: boolean
  /** Hash of the plan that was approved. */
  readonly approvedPlanHash?: string
  readonly actionRequired?: ActionRequired
  /** Keys of the manual webhooks whose uploads a request in `requires_input` waited for when it came there. */
  readonly missingInput?: readonly string[]
  readonly results?: readonly CollectionResult[]
  /** What a complete request hands over, one package per access rule. */
  readonly packages?: readonly PackageFile[]
  /** One sentence for people: why the request stopped. */
  readonly failure?: string
  /** Oldest first. */
  readonly mails?: readonly RequestMail[]
  /** When its identities, rows and packages were destroyed for good. */
  readonly destroyedAt?: string
}

export type ExecutionLogStatus = 'in_processing' | 'complete' | 'error' | 'retrying' | 'skipped' | 'paused'

/** One entry per collection and state. Counts and names, never a value. */
export interface ExecutionLog {
  readonly id: string
  readonly requestId: string
  readonly connectionKey?: string
  readonly dataset: string
  readonly collection: string
  readonly actionType: ActionType
  readonly status: ExecutionLogStatus
  readonly message: string
  readonly rowCount?: number
  /** `path` is `dataset:collection:field`, the field in dotted form. */
  readonly fieldsAffected: readonly {
    readonly path: string
    readonly fieldName: string
    readonly dataCategories: readonly string[]
  }[]
  readonly durationMs?: number
  readonly createdAt: string
}
