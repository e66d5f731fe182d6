import { type ExecutionLog, type Identity, type PrivacyRequest, type SubmissionInput, schemas } from '@habeas/core'
import * as z from 'zod'
import { namedSchema, sentJsonSchema, zodSchema } from '../schema.js'
import { acceptanceNames, accepted } from './acceptance-shape.js'
import { collectionResult, lookedFor, residualHit } from './collection-result.js'
import { coverage } from './coverage.js'
import { warningSchema } from './finding-schema.js'
import { identitySchema } from './identity-schema.js'
import { type NamesOf, type Sent, sentUnder } from './sent.js'
import { notShown, wireRecord } from './wire-record.js'

/** Members of a submission whose names differ on the wire. */
export const submissionNames = {
  external_id: 'externalId',
  requested_at: 'requestedAt',
  policy_key: 'policyKey',
  encryption_key: 'encryptionKey',
  encryption_key_256: 'encryptionKey256',
  ...acceptanceNames,
  residual_search: 'residualSearch',
} as const satisfies Readonly<Record<string, keyof SubmissionInput>>

/** A request as it is submitted. One `identity` is the same as `identities` with one element. */
export interface SentSubmission extends Sent<SubmissionInput, NamesOf<typeof submissionNames>> {}

export const submissionInput = namedSchema<SentSubmission>('PrivacyRequestInput', () =>
  sentUnder(submissionNames, sentJsonSchema(schemas.submission)),
)

const time = z.iso.datetime().nullable()

const mail = wireRecord<NonNullable<PrivacyRequest['mails']>[number]>()({
  kind: z.string(),
  status: z.enum(['waiting', 'sent', 'failed', 'not_sent']),
  attempts: z.int(),
  last_error: z.string().nullable(),
  created_at: z.iso.datetime(),
})

const packageFile = wireRecord<NonNullable<PrivacyRequest['packages']>[number]>()(
  { rule: z.string(), format: z.string(), name: z.string() },
  { elsewhere: { mediaType: 'the download', size: 'the download' } },
)

const actionRequired = wireRecord<NonNullable<PrivacyRequest['actionRequired']>>()({
  step: z.string(),
  collection: z.string().nullable(),
  action_needed: z.array(z.unknown()).nullable(),
  /** What is undecided, and the possible answers. */
  message: z.string().nullable(),
  /** What may be accepted instead, as the resume takes it. */
  accept: accepted.schema.nullable(),
})

const retry = wireRecord<NonNullable<PrivacyRequest['retry']>>()(
  {
    /** The first of the failures in a row. */
    since: z.iso.datetime(),
    /** How many failures in a row there were. */
    attempts: z.int(),
    at: z.iso.datetime(),
    /** Why the last attempt failed. */
    reason: z.string(),
  },
  { elsewhere: { changed: 'the execution log' } },
)

export interface RequestDetails {
  /** Per collection outcomes and counts, which lists show only when asked. Default: shown. */
  readonly results?: boolean
  readonly identities?: readonly Identity[]
  /** What people have to look up, by the person's own values. Default: without these. */
  readonly actionNeeded?: NonNullable<PrivacyRequest['actionRequired']>['actionNeeded']
}

const request = wireRecord<PrivacyRequest, RequestDetails>()(
  {
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
    /** Names of properties that the person claims and that are not verified. */
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
    /** Where the last attempt failed because of something that may pass: when the next one is made. */
    retry: retry.schema.nullable(),
    mails: z.array(mail.schema),
    destroyed_at: time,
    /** True where rows were left out since their owner is undecided. */
    incomplete: z.boolean(),
    /** `nothing`: an erasure found no row. */
    found: z.enum(['nothing']).nullable(),
    /** By what, where it found none. */
    looked_for: z.array(lookedFor.schema),
    /** Fields in which an identity of the request is left in rows of the person. */
    identity_remains: z.array(z.string()),
    /** Names of properties that found nothing by themselves, since no row confirmed them. */
    unconfirmed: z.array(z.string()),
    /** What the descriptions leave undecided, once that is known. */
    coverage: coverage.schema.nullable(),
    /** What a person has accepted to be left out. */
    accepted: accepted.schema.nullable(),
    results: z.array(collectionResult.schema).nullable(),
    residual_hits: z.array(residualHit).nullable(),
    action_required_details: actionRequired.schema.nullable(),
    resume_endpoint: z.string().nullable(),
    download_url: z.string().nullable(),
    packages: z.array(packageFile.schema),
    identities: z.array(identitySchema).nullable(),
  },
  {
    made: {
      privacy_request_id: ({ id }) => id,
      unproven_identities: ({ unproven, reviewedAt }) => (reviewedAt === undefined ? unproven : []),
      missing_manual_webhooks: ({ missingInput }) => missingInput,
      accepted: ({ accepted: { unsearched, undecided, unconfirmed } = {}, accepted }) =>
        accepted && { acceptUnsearched: unsearched, acceptUndecided: undecided, acceptUnconfirmed: unconfirmed },
      results: ({ results }, { results: shown = true }) => (shown ? results : null),
      action_required_details: ({ actionRequired }, { actionNeeded }) =>
        actionRequired && { ...actionRequired, ...(actionNeeded !== undefined && { actionNeeded }) },
      resume_endpoint: resumeEndpoint,
      download_url: ({ id, packages = [], destroyedAt }) =>
        packages.length > 0 && destroyedAt === undefined ? `/api/v1/privacy-request/${id}/download` : null,
      identities: (_, { identities }) => identities,
    },
    elsewhere: {
      unproven: 'unproven_identities',
      missingInput: 'missing_manual_webhooks',
      actionRequired: 'action_required_details',
      ...notShown('language', 'timeframe', 'residualSearch', 'encrypted', 'cancelReason'),
    },
  },
)

export const requestRecord = zodSchema(request.schema, { name: 'PrivacyRequest' })
export const submittedRecord = zodSchema(request.schema.extend({ warnings: z.array(warningSchema) }), {
  name: 'PrivacyRequestSubmitted',
})

export function requestToWire(from: PrivacyRequest, details: RequestDetails = {}) {
  const { download_url, identities, ...others } = request.toWire(from, details)
  return { ...others, download_url, identities }
}

/** The path to which the missing decision or data of a waiting request is sent. */
function resumeEndpoint({ id, status, actionRequired, legalHolds }: PrivacyRequest): string | null {
  // The person who releases the last hold need not know the request.
  if (legalHolds) return null
  const byHand = actionRequired?.step === 'erasure' ? 'erasure_confirm' : 'manual_input'
  const last = {
    error: 'retry',
    requires_input: 'resume_from_requires_input',
    paused: actionRequired && !actionRequired.accept ? byHand : 'resume',
  }
  return Object.hasOwn(last, status) ? `/privacy-request/${id}/${last[status as keyof typeof last]}` : null
}

/** What callers without a token see. It does not tell whether data was found. */
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

const affected = wireRecord<ExecutionLog['fieldsAffected'][number]>()({
  path: z.string(),
  field_name: z.string(),
  data_categories: z.array(z.string()),
})

const log = wireRecord<ExecutionLog>()(
  {
    dataset_name: z.string(),
    collection_name: z.string(),
    fields_affected: z.array(affected.schema),
    message: z.string(),
    action_type: z.string(),
    status: z.string(),
    row_count: z.int().nullable(),
    duration_ms: z.number().nullable(),
    updated_at: z.iso.datetime(),
  },
  {
    made: {
      dataset_name: ({ dataset }) => dataset,
      collection_name: ({ collection }) => collection,
      updated_at: ({ createdAt }) => createdAt,
    },
    elsewhere: {
      dataset: 'dataset_name',
      collection: 'collection_name',
      createdAt: 'updated_at',
      requestId: 'the path',
      ...notShown('id', 'connectionKey'),
    },
  },
)

export const logRecord = zodSchema(log.schema, { name: 'ExecutionLog' })
export const logToWire = log.toWire
