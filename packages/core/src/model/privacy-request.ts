import * as z from 'zod'
import { type Acceptance, type AcceptanceInput, acceptanceOf, acceptanceSchema, acceptanceShape } from './acceptance.js'
import type { ActionType } from './action-type.js'
import type { CollectionResult, ResidualHit } from './collection-result.js'
import type { CoverageGaps } from './coverage-gaps.js'
import { always } from './document.js'
import { identitiesOf, identitiesShape, identityFaults } from './identity.js'
import type { InputOf } from './input-of.js'
import { keySchema } from './key.js'
import type { LookedFor } from './looked-for.js'
import { languageSchema } from './mail-texts.js'
import { type Parsed, parseInput } from './parse-input.js'
import type { PackageFormat, Policy } from './policy.js'
import type { RequestMail } from './request-mail.js'
import { timestampSchema } from './timestamp-schema.js'

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
    externalId: z.string('must be text').min(1).max(255).exactOptional(),
    /** Default: when the request is created. */
    requestedAt: timestampSchema.exactOptional(),
    policyKey: keySchema,
    /** Of the mails to the person. */
    language: languageSchema.exactOptional(),
    ...identitiesShape,
    encryptionKey,
    encryptionKey256,
    ...acceptanceShape,
    /** True: after an erasure every text column is searched for the identities once more, which scans tables. */
    residualSearch: z.boolean().default(false),
  })
  .superRefine((submission, context) => {
    if (typeof submission !== 'object' || submission === null) return
    const { encryptionKey, encryptionKey256 } = submission
    const fault = (path: string, message: string, type = 'invalid_value') =>
      context.addIssue({ code: 'custom', path: [path], message, params: { type } })
    for (const { path, message, type } of identityFaults(submission)) fault(path, message, type)
    if (encryptionKey !== undefined && encryptionKey256 !== undefined) {
      fault('encryptionKey256', 'must not stand beside encryptionKey')
    }
  }, always)
  .transform(({ identity, identities, ...rest }) => ({
    ...rest,
    identities: identitiesOf({ ...(identity && { identity }), ...(identities && { identities }) }),
  }))

/** A privacy request as a caller submits it. */
export interface SubmissionInput extends InputOf<typeof submissionSchema> {}
export interface Submission extends z.output<typeof submissionSchema> {}

/** Reads a submission. No message repeats an identity or a key. */
export function parseSubmission(input: unknown): Parsed<Submission> {
  return parseInput('privacy request', submissionSchema, input)
}

const reasonSchema = z.strictObject({ reason: z.string('must be text').max(1_000).exactOptional() })

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
  ...acceptanceShape,
})

/** Reads what comes with an approval. */
export function parseApproval(input: unknown): z.output<typeof approvalSchema> {
  return parseInput('approval', approvalSchema, input).value
}

/** Reads what comes with a retry, and with the resume of a request that waits for a decision. */
export function parseAcceptance(input: unknown): Acceptance {
  return acceptanceOf(parseInput('acceptance', acceptanceSchema, input).value)
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

/** One thing a person looks up, or erases: rows that hold one value of each locator. */
export interface ActionNeeded {
  /** By field, in dotted form. Null where whoever asks may not see the person's data. */
  readonly locators: Readonly<Record<string, readonly unknown[]>> | null
  /** The columns that are wanted of each row; null where rows are to be erased. */
  readonly get: readonly string[] | null
  /**
   * Of rows that are to be erased, by field in dotted form, what it becomes: null, a text, or `{masking_strategy}` where
   * any text of that kind will do. Null where `get` is null as well: the row goes.
   */
  readonly update: Readonly<Record<string, unknown>> | null
}

/** What has to be done before a paused request can go on. */
export interface ActionRequired {
  readonly step: ActionType
  /** `dataset:collection`. */
  readonly collection: string | null
  readonly actionNeeded: readonly ActionNeeded[] | null
  /** One sentence for people: what nobody has decided, and the answers there are. */
  readonly message?: string
  /** What may be accepted instead, each by name, as `requests.accept` takes it. */
  readonly accept?: AcceptanceInput
}

const erasureConfirmationSchema = z.object({ rowCount: z.int().min(0) })

/** How many rows a person has erased. */
export interface ErasureConfirmationInput extends InputOf<typeof erasureConfirmationSchema> {}

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
  /** Told to the person, as the law demands. Free text: gone when their data is destroyed, as all reasons are. */
  readonly extensionReason?: string
  readonly identityVerifiedAt?: string
  /** Names of properties that the person claims and nobody has checked: before an approval they find nothing by themselves. */
  readonly unproven?: readonly string[]
  readonly reviewedAt?: string
  readonly reviewedBy?: string
  readonly denialReason?: string
  readonly startedProcessingAt?: string
  readonly finishedProcessingAt?: string
  /** Since when rows may have been erased: from then on nothing can be taken back, only finished. */
  readonly erasingSince?: string
  readonly pausedAt?: string
  /** Until then a request that a webhook halted may be resumed; then it fails. */
  readonly resumeBy?: string
  readonly canceledAt?: string
  /** Free text of whoever canceled it. */
  readonly cancelReason?: string
  /** What somebody has accepted to be left out. */
  readonly accepted?: Acceptance
  /**
   * True where rows were left out of which nobody has said whose they are, where a database may have hidden rows, or where
   * an identity was not confirmed.
   */
  readonly incomplete?: true
  /** `nothing`: an erasure found no row. */
  readonly found?: 'nothing'
  /** By what, where an erasure found no row. */
  readonly lookedFor?: readonly LookedFor[]
  /** Fields in which an identity of the request is left in rows of the person: `dataset:collection.field`. */
  readonly identityRemains?: readonly string[]
  /** Live columns and tables that nobody has decided on, and searched collections of which rows may be hidden. */
  readonly coverage?: CoverageGaps
  /** Names of identity properties that found nothing by themselves, since no row confirmed them. */
  readonly unconfirmed?: readonly string[]
  /** Present where an erasure is to be followed by a search for what it has left. */
  readonly residualSearch?: true
  /** True when results are encrypted with a key of the caller's. */
  readonly encrypted: boolean
  /** Hash of the plan that was approved. */
  readonly approvedPlanHash?: string
  readonly actionRequired?: ActionRequired
  /** Ids of the legal holds that a paused erasure waits for. */
  readonly legalHolds?: readonly string[]
  /** Keys of the manual webhooks whose uploads a request in `requires_input` waited for when it came there. */
  readonly missingInput?: readonly string[]
  readonly results?: readonly CollectionResult[]
  /** Where a residual search has found an identity; absent where none was made, empty where nothing was found. */
  readonly residualHits?: readonly ResidualHit[]
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
