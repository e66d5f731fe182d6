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
import { invalidInput, type Parsed, parseInput, type Warning } from './parse-input.js'
import type { PackageFormat, Policy } from './policy.js'
import type { RequestMail } from './request-mail.js'
import type { RequestRetry } from './request-retry.js'
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

/** A submission. One `identity` is the same as `identities` with one element. Several name one and the same person. */
export const submissionSchema = z
  .object({
    externalId: z.string('must be text').min(1).max(255).exactOptional(),
    /** Default: the time when the request is created. */
    requestedAt: timestampSchema.exactOptional(),
    policyKey: keySchema,
    /** Language of the mails to the person. */
    language: languageSchema.exactOptional(),
    ...identitiesShape,
    encryptionKey,
    encryptionKey256,
    ...acceptanceShape,
    /** When true, an erasure ends with a search of every text column for the identities. The search scans tables. */
    residualSearch: z.boolean().default(false),
  })
  .superRefine((submission, context) => {
    if (typeof submission !== 'object' || submission === null) return
    const { encryptionKey, encryptionKey256 } = submission
    const fault = (path: string, message: string, type = 'invalid_value') =>
      context.addIssue({ code: 'custom', path: [path], message, params: { type } })
    for (const { path, message, type } of identityFaults(submission)) fault(path, message, type)
    if (encryptionKey !== undefined && encryptionKey256 !== undefined) {
      fault('encryptionKey256', 'must not be given together with encryptionKey')
    }
  }, always)
  .transform(({ identity, identities, ...rest }) => ({
    ...rest,
    identities: identitiesOf({ ...(identity && { identity }), ...(identities && { identities }) }),
  }))

/** A privacy request as a caller submits it. */
export interface SubmissionInput extends InputOf<typeof submissionSchema> {}
export interface Submission extends z.output<typeof submissionSchema> {}

/** What becomes of members of a submission that are not known. */
export interface UnknownMembers {
  /**
   * True: they are ignored and named in `warnings`, as over HTTP. A name that is nearly that of a key or of
   * `residualSearch` is refused all the same. Default: all are refused.
   */
  readonly ignoreUnknown?: boolean | undefined
}

/** Without these a package would not be encrypted, and rows would not be looked for. */
const neverMissed = ['encryptionKey', 'encryptionKey256', 'residualSearch']

/** Reads a submission. No message repeats an identity or a key. */
export function parseSubmission(input: unknown, { ignoreUnknown = false }: UnknownMembers = {}): Parsed<Submission> {
  const parsed = parseInput('privacy request', submissionSchema, input)
  const isRefused = ({ msg }: Warning) => !ignoreUnknown || neverMissed.some((name) => msg.endsWith(` '${name}'`))
  const refused = parsed.warnings.filter(isRefused)
  if (refused.length === 0) return parsed
  const issues = refused.map(({ loc, msg }) => ({
    loc,
    msg: msg.replace(' and was ignored', ''),
    type: 'unknown_member',
  }))
  throw invalidInput('privacy request', issues)
}

const reasonSchema = z.strictObject({ reason: z.string('must be text').max(1_000).exactOptional() })

/** Reads the optional reason of a decision. `what` names the decision in messages. A blank reason counts as absent. */
export function parseReason(what: string, input: unknown): z.output<typeof reasonSchema> {
  const { reason } = parseInput(what, reasonSchema, input).value
  return reason?.trim() ? { reason } : {}
}

const approvalSchema = z.strictObject({
  planHash: z
    .string()
    .regex(/^[A-Za-z0-9_-]{43}$/, 'must be the hash that was returned with a plan')
    .exactOptional(),
  ...acceptanceShape,
})

/** Reads the input of an approval. */
export function parseApproval(input: unknown): z.output<typeof approvalSchema> {
  return parseInput('approval', approvalSchema, input).value
}

/** Reads the acceptance that comes with a retry, or with the resume of a request that waits for a decision. */
export function parseAcceptance(input: unknown): Acceptance {
  return acceptanceOf(parseInput('acceptance', acceptanceSchema, input).value)
}

const codeSchema = z.strictObject({
  code: z
    .union([z.string().trim(), z.int().min(0)], { error: 'must be the six digits from the mail' })
    .transform((code) => (typeof code === 'number' ? String(code).padStart(6, '0') : code))
    .refine((code) => /^[0-9]{6}$/.test(code), 'must be the six digits from the mail'),
})

/** Reads a code from a mail. A number gets its leading zeros back. */
export function parseCode(input: unknown): string {
  return parseInput('verification', codeSchema, input).value.code
}

/** A task for a person: look up or erase the rows that hold one value of each locator. */
export interface ActionNeeded {
  /** Values by field, in dotted form. Null where the caller may not see the person's data. */
  readonly locators: Readonly<Record<string, readonly unknown[]>> | null
  /** The columns to look up in each row. Null where the rows are to be erased. */
  readonly get: readonly string[] | null
  /**
   * The new value of each field in dotted form, where rows are to be masked: null, a text, or `{masking_strategy}`
   * where any text of that kind will do. Where both `get` and `update` are null, the rows are to be deleted.
   */
  readonly update: Readonly<Record<string, unknown>> | null
}

/** The work that a paused request waits for. */
export interface ActionRequired {
  readonly step: ActionType
  /** `dataset:collection`. */
  readonly collection: string | null
  readonly actionNeeded: readonly ActionNeeded[] | null
  /** For people: everything that is known to be undecided, the possible answers, and whether more may come up. */
  readonly message?: string
  /** The names that may be accepted instead, in the form that `requests.accept` takes. */
  readonly accept?: AcceptanceInput
}

const erasureConfirmationSchema = z.object({ rowCount: z.int().min(0) })

/** The number of rows that a person erased. */
export interface ErasureConfirmationInput extends InputOf<typeof erasureConfirmationSchema> {}

/** Reads the number of rows that a person erased by hand. */
export function parseErasureConfirmation(input: unknown): z.output<typeof erasureConfirmationSchema> {
  return parseInput('confirmation', erasureConfirmationSchema, input).value
}

/** A file of a complete request. */
export interface PackageFile {
  /** Key of the access rule it belongs to. */
  readonly rule: string
  readonly format: PackageFormat
  /** Its file name. */
  readonly name: string
  readonly mediaType: string
  /** Size in bytes after decryption. */
  readonly size: number
}

/**
 * A privacy request as its callers see it. Identities, keys and plans are stored elsewhere. Times are ISO 8601 in UTC.
 * `free-text-members.ts` says which texts are destroyed together with the person's data.
 */
export interface PrivacyRequest {
  /** `pri_` and a UUIDv7. */
  readonly id: string
  readonly status: RequestStatus
  readonly policyKey: string
  readonly externalId?: string
  readonly createdAt: string
  readonly requestedAt: string
  /** Language of the mails to the person. */
  readonly language?: string
  /** The time limit of its policy when the request was submitted. */
  readonly timeframe?: NonNullable<Policy['execution_timeframe']>
  /** The last moment to answer. */
  readonly dueDate?: string
  /** Whole calendar days until the due date. Negative once the request is overdue, absent once it has ended. */
  readonly daysLeft?: number
  readonly extendedAt?: string
  /**
   * The reason that the person is given, as the law demands. Free text: it is destroyed together with the person's
   * data, as all reasons are.
   */
  readonly extensionReason?: string
  readonly identityVerifiedAt?: string
  /**
   * Names of unverified properties: the person claims them and nobody has checked them. Before an approval they find
   * nothing by themselves.
   */
  readonly unproven?: readonly string[]
  readonly reviewedAt?: string
  readonly reviewedBy?: string
  readonly denialReason?: string
  readonly startedProcessingAt?: string
  readonly finishedProcessingAt?: string
  /** The time since which rows may have been erased. From then on the erasure cannot be undone, only finished. */
  readonly erasingSince?: string
  readonly pausedAt?: string
  /** The time until which a halted request may be resumed. After it the request fails. */
  readonly resumeBy?: string
  readonly canceledAt?: string
  /** Free text from the caller who canceled it. */
  readonly cancelReason?: string
  /** What callers accepted that the request leaves out. */
  readonly accepted?: Acceptance
  /**
   * True where undecided rows were left out, where a database may have hidden rows, or where an identity was not
   * confirmed.
   */
  readonly incomplete?: true
  /** `nothing`: the erasure found no row. */
  readonly found?: 'nothing'
  /** What was searched for when an erasure found no row. */
  readonly lookedFor?: readonly LookedFor[]
  /** Fields in which rows of the person still hold an identity of the request: `dataset:collection.field`. */
  readonly identityRemains?: readonly string[]
  /** Live columns and tables without a decision, and searched collections in which the server may hide rows. */
  readonly coverage?: CoverageGaps
  /** Names of identity properties that no row confirmed and that therefore found nothing by themselves. */
  readonly unconfirmed?: readonly string[]
  /** Present where a search for left identities follows the erasure. */
  readonly residualSearch?: true
  /** True when results are encrypted with a key of the caller. */
  readonly encrypted: boolean
  /** Hash of the plan that was approved. */
  readonly approvedPlanHash?: string
  readonly actionRequired?: ActionRequired
  /** Ids of the legal holds for which a paused erasure waits. */
  readonly legalHolds?: readonly string[]
  /** Keys of the manual webhooks whose uploads were missing when the request entered `requires_input`. */
  readonly missingInput?: readonly string[]
  readonly results?: readonly CollectionResult[]
  /** Where a residual search found an identity. Absent where no search was made, empty where it found nothing. */
  readonly residualHits?: readonly ResidualHit[]
  /** The packages of a complete request, one per access rule. */
  readonly packages?: readonly PackageFile[]
  /** One sentence for people: why the request stopped. */
  readonly failure?: string
  /** Present while the request waits for its next attempt, after a failure that may pass by itself. */
  readonly retry?: RequestRetry
  /** Oldest first. */
  readonly mails?: readonly RequestMail[]
  /** When its identities, rows and packages were destroyed for good. */
  readonly destroyedAt?: string
}

export type ExecutionLogStatus = 'in_processing' | 'complete' | 'error' | 'retrying' | 'skipped' | 'paused'

/** One entry per collection and state. It holds counts and names, never a value. */
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
