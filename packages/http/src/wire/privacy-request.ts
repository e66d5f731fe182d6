import { type ExecutionLog, type Identity, type PrivacyRequest, schemas } from '@habeas/core'
import * as z from 'zod'
import { namedSchema, sentJsonSchema, zodSchema } from '../schema.js'
import { acceptanceNames, acceptanceToWire, acceptedSchema, acceptToWire, type SentAcceptance } from './acceptance.js'
import { coverageSchema, coverageToWire } from './coverage.js'
import { lookedForSchema, lookedForToWire } from './looked-for.js'
import { warningSchema } from './notices.js'
import { residualHitsSchema, residualHitsToWire } from './residual-hit.js'
import { undecidedSchema, undecidedToWire } from './undecided.js'

/** Names that differ on the wire. */
export const submissionNames = {
  external_id: 'externalId',
  requested_at: 'requestedAt',
  policy_key: 'policyKey',
  encryption_key: 'encryptionKey',
  encryption_key_256: 'encryptionKey256',
  ...acceptanceNames,
  residual_search: 'residualSearch',
} as const

/** A request as it is submitted. One `identity` is the same as `identities` with one element. */
export interface SubmissionInput extends SentAcceptance {
  external_id?: string | null
  requested_at?: string | null
  policy_key: string
  language?: string | null
  identities?: readonly Identity[]
  identity?: Identity
  encryption_key?: string | null
  encryption_key_256?: string | null
  residual_search?: boolean | null
}

const wireName = new Map<string, string>(Object.entries(submissionNames).map(([wire, model]) => [model, wire]))

export const submissionInput = namedSchema<SubmissionInput>('PrivacyRequestInput', () => {
  const { properties, ...rest } = sentJsonSchema(schemas.submission) as { properties: Record<string, unknown> }
  const renamed = Object.entries(properties).map(([name, member]) => [wireName.get(name) ?? name, member])
  return { ...rest, properties: Object.fromEntries(renamed), required: ['policy_key'] }
})

const time = z.iso.datetime().nullable()

const resultSchema = z.object({
  dataset: z.string(),
  collection: z.string(),
  action_type: z.enum(['access', 'erasure']),
  outcomes: z.array(z.object({ outcome: z.string(), row_count: z.int(), reason: z.string().nullable() })),
  elements_left: z.int(),
  near_matches: z.int(),
  undecided: undecidedSchema,
})

const mailSchema = z.object({
  kind: z.string(),
  status: z.enum(['waiting', 'sent', 'failed', 'not_sent']),
  attempts: z.int(),
  last_error: z.string().nullable(),
  created_at: z.iso.datetime(),
})

const recordShape = {
  id: z.string(),
  privacy_request_id: z.string(),
  status: z.string(),
  created_at: z.iso.datetime(),
  requested_at: z.iso.datetime(),
  external_id: z.string().nullable(),
  policy_key: z.string(),
  identity_verified_at: time,
  started_processing_at: time,
  finished_processing_at: time,
  reviewed_at: time,
  reviewed_by: z.string().nullable(),
  denial_reason: z.string().nullable(),
  /** Names of properties that the person claims and nobody has checked. */
  unproven_identities: z.array(z.string()),
  approved_plan_hash: z.string().nullable(),
  erasing_since: time,
  paused_at: time,
  resume_by: time,
  missing_manual_webhooks: z.array(z.string()),
  /** Ids of the legal holds that a paused erasure waits for. */
  legal_holds: z.array(z.string()),
  canceled_at: time,
  due_date: time,
  days_left: z.int().nullable(),
  extended_at: time,
  extension_reason: z.string().nullable(),
  failure: z.string().nullable(),
  mails: z.array(mailSchema),
  destroyed_at: time,
  /** True where rows were left out of which nobody has said whose they are. */
  incomplete: z.boolean(),
  /** `nothing`: an erasure found no row. */
  found: z.enum(['nothing']).nullable(),
  /** By what, where it found none. */
  looked_for: lookedForSchema,
  /** Fields in which an identity of the request is left in rows of the person. */
  identity_remains: z.array(z.string()),
  /** Names of properties that found nothing by themselves, since no row confirmed them. */
  unconfirmed: z.array(z.string()),
  /** What nobody has decided on, once that is known. */
  coverage: coverageSchema.nullable(),
  /** What somebody has accepted to be left out. */
  accepted: acceptedSchema.nullable(),
  results: z.array(resultSchema).nullable(),
  residual_hits: residualHitsSchema,
  action_required_details: z
    .object({
      step: z.string(),
      collection: z.string().nullable(),
      action_needed: z.array(z.unknown()).nullable(),
      /** What nobody has decided, and the answers there are. */
      message: z.string().nullable(),
      /** What may be accepted instead, as the resume takes it. */
      accept: acceptedSchema.nullable(),
    })
    .nullable(),
  resume_endpoint: z.string().nullable(),
  download_url: z.string().nullable(),
  packages: z.array(z.object({ rule: z.string(), format: z.string(), name: z.string() })),
  identities: z.array(z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))).nullable(),
}

export const requestRecord = zodSchema(z.object(recordShape), { name: 'PrivacyRequest' })
export const submittedRecord = zodSchema(z.object({ ...recordShape, warnings: z.array(warningSchema) }), {
  name: 'PrivacyRequestSubmitted',
})

/** What people see who have no token: not even that data of theirs was found. */
export const intakeRecord = zodSchema(
  z.object({ id: z.string(), privacy_request_id: z.string(), status: z.string(), created_at: z.iso.datetime() }),
  { name: 'PrivacyRequestIntake' },
)

export function intakeToWire({ id, status, createdAt }: PrivacyRequest) {
  return { id, privacy_request_id: id, status: status as string, created_at: createdAt }
}

export const verificationInput = namedSchema<{ code: string | number }>('VerificationInput', () => ({
  type: 'object',
  properties: {
    code: {
      anyOf: [
        { type: 'string', pattern: '^[0-9]{6}$' },
        { type: 'integer', minimum: 0, maximum: 999_999 },
      ],
    },
  },
  required: ['code'],
}))

export interface RequestDetails {
  /** Per collection outcomes and counts, which lists show only when asked. Default: shown. */
  readonly results?: boolean
  readonly identities?: readonly Identity[]
  /** What people have to look up, by the person's own values. Default: without these. */
  readonly actionNeeded?: NonNullable<PrivacyRequest['actionRequired']>['actionNeeded']
}

export function requestToWire(request: PrivacyRequest, details: RequestDetails = {}) {
  const { results = true, identities, actionNeeded = request.actionRequired?.actionNeeded ?? null } = details
  const { id, packages = [], actionRequired } = request
  return {
    id,
    privacy_request_id: id,
    status: request.status as string,
    created_at: request.createdAt,
    requested_at: request.requestedAt,
    external_id: request.externalId ?? null,
    policy_key: request.policyKey,
    identity_verified_at: request.identityVerifiedAt ?? null,
    started_processing_at: request.startedProcessingAt ?? null,
    finished_processing_at: request.finishedProcessingAt ?? null,
    reviewed_at: request.reviewedAt ?? null,
    reviewed_by: request.reviewedBy ?? null,
    denial_reason: request.denialReason ?? null,
    unproven_identities: request.reviewedAt === undefined ? [...(request.unproven ?? [])] : [],
    approved_plan_hash: request.approvedPlanHash ?? null,
    erasing_since: request.erasingSince ?? null,
    paused_at: request.pausedAt ?? null,
    resume_by: request.resumeBy ?? null,
    missing_manual_webhooks: [...(request.missingInput ?? [])],
    legal_holds: [...(request.legalHolds ?? [])],
    canceled_at: request.canceledAt ?? null,
    due_date: request.dueDate ?? null,
    days_left: request.daysLeft ?? null,
    extended_at: request.extendedAt ?? null,
    extension_reason: request.extensionReason ?? null,
    failure: request.failure ?? null,
    mails: (request.mails ?? []).map(mailToWire),
    destroyed_at: request.destroyedAt ?? null,
    incomplete: request.incomplete === true,
    found: request.found ?? null,
    looked_for: lookedForToWire(request.lookedFor),
    identity_remains: [...(request.identityRemains ?? [])],
    unconfirmed: [...(request.unconfirmed ?? [])],
    coverage: request.coverage ? coverageToWire(request.coverage) : null,
    accepted: request.accepted ? acceptanceToWire(request.accepted) : null,
    results: results && request.results ? request.results.map(resultToWire) : null,
    residual_hits: residualHitsToWire(request.residualHits),
    action_required_details: actionRequired
      ? {
          step: actionRequired.step,
          collection: actionRequired.collection,
          action_needed: actionNeeded && [...actionNeeded],
          message: actionRequired.message ?? null,
          accept: actionRequired.accept ? acceptToWire(actionRequired.accept) : null,
        }
      : null,
    resume_endpoint: resumeEndpoint(request),
    packages: packages.map(({ rule, format, name }) => ({ rule, format: format as string, name })),
    download_url:
      packages.length > 0 && request.destroyedAt === undefined ? `/api/v1/privacy-request/${id}/download` : null,
    identities: identities ? identities.map((identity) => ({ ...identity })) : null,
  }
}

/** Where what a request waits for is to be sent. */
function resumeEndpoint({ id, status, actionRequired, legalHolds }: PrivacyRequest): string | null {
  // Whoever releases the last of them need not know of the request.
  if (legalHolds) return null
  const byHand = actionRequired?.step === 'erasure' ? 'erasure_confirm' : 'manual_input'
  const last = {
    error: 'retry',
    requires_input: 'resume_from_requires_input',
    paused: actionRequired && !actionRequired.accept ? byHand : 'resume',
  }
  return Object.hasOwn(last, status) ? `/privacy-request/${id}/${last[status as keyof typeof last]}` : null
}

function mailToWire({ kind, status, attempts, lastError, createdAt }: NonNullable<PrivacyRequest['mails']>[number]) {
  return { kind: kind as string, status, attempts, last_error: lastError ?? null, created_at: createdAt }
}

function resultToWire(result: NonNullable<PrivacyRequest['results']>[number]) {
  return {
    dataset: result.dataset,
    collection: result.collection,
    action_type: result.actionType,
    outcomes: result.outcomes.map(({ outcome, rowCount, reason }) => ({
      outcome: outcome as string,
      row_count: rowCount,
      reason: reason ?? null,
    })),
    elements_left: result.elementsLeft ?? 0,
    near_matches: result.nearMatches ?? 0,
    undecided: undecidedToWire(result.undecided),
  }
}

export const logRecord = zodSchema(
  z.object({
    dataset_name: z.string(),
    collection_name: z.string(),
    fields_affected: z.array(
      z.object({ path: z.string(), field_name: z.string(), data_categories: z.array(z.string()) }),
    ),
    message: z.string(),
    action_type: z.string(),
    status: z.string(),
    row_count: z.int().nullable(),
    duration_ms: z.number().nullable(),
    updated_at: z.iso.datetime(),
  }),
  { name: 'ExecutionLog' },
)

export function logToWire(entry: ExecutionLog) {
  return {
    dataset_name: entry.dataset,
    collection_name: entry.collection,
    fields_affected: entry.fieldsAffected.map(({ path, fieldName, dataCategories }) => ({
      path,
      field_name: fieldName,
      data_categories: [...dataCategories],
    })),
    message: entry.message,
    action_type: entry.actionType as string,
    status: entry.status as string,
    row_count: entry.rowCount ?? null,
    duration_ms: entry.durationMs ?? null,
    updated_at: entry.createdAt,
  }
}
