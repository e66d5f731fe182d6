import type { Client } from '../model/client.js'
import type { Connection } from '../model/connection.js'
import type { Dataset } from '../model/dataset.js'
import type { MailKind } from '../model/mail.js'
import type { Organization } from '../model/organization.js'
import type { Policy } from '../model/policy.js'
import type { ExecutionLog, PackageFile, PrivacyRequest } from '../model/privacy-request.js'
import type { Registry } from '../model/registry.js'
import type { RequestMailStatus } from '../model/request-mail.js'
import type { SilentEnds } from '../model/request-retry.js'
import type { System } from '../model/system.js'
import type { DataCategory, DataQualifier, DataSubject, DataUse } from '../model/taxonomy.js'
import type { ErasureLockRow, ErasureProgressRow, LeftPointerRow, ReleasedLockRow } from './erasure-rows.js'
import type { EvaluationDetailRow, EvaluationRow } from './evaluation-rows.js'
import type { ManualInputRow, ManualUploadRow, ManualWebhookRow } from './manual-rows.js'
import type { AuditEntryRow, ErasureReceiptRow, HeldIdentityRow, LegalHoldRow, TombstoneRow } from './proof-rows.js'
import type { StoredRow } from './stored-row.js'
import type { UpkeepRow } from './upkeep-row.js'
import type { PolicyWebhooksRow, WebhookCallRow } from './webhook-rows.js'

/** A resource of the data model. `id` is its key. Times are ISO 8601 in UTC with milliseconds, so that text order is time order. */
export interface ResourceRow<Document> extends StoredRow {
  readonly document: Document
  /** Key, name and description, lower-cased. */
  readonly searchText: string
  readonly createdAt: string
  readonly updatedAt: string
}

export interface DatasetRow extends ResourceRow<Dataset> {
  readonly connectionKey: string | null
  /** Hash of the document and its open references when a write last reported them. */
  readonly shownOpen?: string
}

export interface ConnectionRow extends StoredRow, Connection {
  readonly searchText: string
}

/** Sealed by the Secrets port under the context `connection:KEY`; base64. */
export interface ConnectionSecretRow extends StoredRow {
  readonly sealed: string
  /** Names the secrets since they were sealed anew by a rotation, so that nobody takes them for others. */
  readonly revision?: string
}

export interface PrivacyRequestRow extends StoredRow, Omit<PrivacyRequest, 'daysLeft' | 'mails'> {
  /** The worker that runs the request. */
  readonly leaseHolder?: string
  /** No other worker may run the request before this time. */
  readonly leaseExpiresAt?: string
  /** Set once a run has found that the request is large. Large requests leave room for small ones. */
  readonly lane?: 'large'
  /** How many steps of its runs were stored, such as collections that were searched and batches that were written. */
  readonly steps?: number
  /** `steps` when a run claimed the request. */
  readonly stepsAtClaim?: number
  readonly deaths?: SilentEnds
  /**
   * How often a run has claimed the request. The blobs of a run lie under this number, so that a run that was overtaken
   * without noticing touches none of its successor's blobs.
   */
  readonly fencingToken?: number
  /** The request does not run before a person has looked at its plan, whatever the options of a process say. */
  readonly needsReview?: boolean
  /** When its personal data has to be deleted. */
  readonly destroyAt?: string
  /** When the destruction of its data began. Nothing else happens to the request any more. */
  readonly expiringAt?: string
  /** The blob that says which rows were shared before the erasure began. */
  readonly erasureNotes?: string
  /** Keyed hashes of the identities in the rows that an erasure has found, made like those of legal holds. */
  readonly ownIdentityHashes?: readonly string[]
  /**
   * The last entry of its audit trail as the last move of the request has written it, so that the next one need not read it.
   * Others may have added entries since.
   */
  readonly auditHead?: { readonly sequence: number; readonly hash: string | null }
  /** A person asked the erasure to stop. */
  readonly cancelRequestedBy?: string
  /**
   * A legal hold has covered the person since the erasure began. The erasure stops and waits.
   */
  readonly stopsForHold?: boolean
  /** Packages that were made before its erasure began, and the run that made them. */
  readonly preparedPackages?: { readonly fencingToken: number; readonly files: readonly PackageFile[] }
  /** The service submitted the request itself. The person did not ask for it, and gets no mail. */
  readonly mailsSuppressed?: true
  /** Id of the manual input that a request paused at a manual collection waits for. */
  readonly awaitedInput?: string
}

/** The code that proves an address. `id` is the request's. */
export interface VerificationCodeRow extends StoredRow {
  /** HMAC of the code under a key of the service. */
  readonly hash: string
  readonly expiresAt: string
  /** How many attempts were made against this code. */
  readonly attempts: number
  /** How many codes the request has had, this one included. */
  readonly issued: number
  readonly issuedAt: string
}

/**
 * A mail on its way. Its content and recipient are sealed under the data key of its request, and deleted when the mail
 * has ended.
 */
export interface OutboxMailRow extends StoredRow {
  readonly requestId: string
  readonly kind: MailKind
  readonly status: RequestMailStatus
  readonly messageId: string
  readonly attempts: number
  readonly createdAt: string
  /** When the mail may be tried. While a worker sends it, no other worker may try before this time. */
  readonly nextAttemptAt?: string
  /** The mail is not sent after this time. */
  readonly notAfter?: string
  /** Base64. */
  readonly sealed?: string
  readonly lastError?: string
}

/** A one-time link to a package. `id` is the SHA-256 of its token. */
export interface DownloadLinkRow extends StoredRow {
  readonly requestId: string
  /** Name of the package. */
  readonly file: string
  readonly expiresAt: string
  /** When a download began, or was last seen to go on. For a while its caller may continue it where it was cut off. */
  readonly claimedAt?: string
  /** When it ended. Where its process died before, the link is not used up. */
  readonly endedAt?: string
  /** A secret that only the caller who claimed the link knows. */
  readonly etag?: string
}

/**
 * A keyed hash of one value that identifies the person of a request. Requests are found by it; the value cannot be read
 * back.
 */
export interface RequestIdentityRow extends StoredRow {
  readonly requestId: string
  readonly identityHash: string
}

/** The personal data of a request. Deleting this row deletes the data: nothing else opens it. */
export interface RequestKeyRow extends StoredRow {
  /** The request's data key, sealed by the Secrets port under `privacy-request:ID`; base64. */
  readonly sealedKey: string
  /** The identities as JSON, sealed under the data key; base64. */
  readonly sealedIdentities: string
  /** The key with which the caller wants the package encrypted, sealed under the data key; base64. */
  readonly sealedEncryptionKey?: string
}

/** The plan of the last run, without values. */
export interface RequestPlanRow extends StoredRow {
  readonly plan: unknown
  /** Hash of the policy's document as the run applied it. */
  readonly policyHash?: string
}

/** The results of a finished component of a run. `id` is `REQUEST/COMPONENT`. */
export interface CheckpointRow extends StoredRow {
  readonly requestId: string
  /** Hash of everything that the component's result depends on. With another signature the component runs again. */
  readonly signature: string
  readonly state: unknown
}

export interface ExecutionLogRow extends StoredRow, ExecutionLog {}

export interface ClientRow extends StoredRow, Client {
  /** SHA-256 of the secret, base64. */
  readonly secretHash: string
  readonly searchText: string
}

/** A token that no longer counts although it has not expired. `id` is its `jti`. */
export interface RevokedTokenRow extends StoredRow {
  readonly expiresAt: string
}

/** A key that the service made for itself, sealed by the Secrets port under `service-key:ID`; base64. */
export interface ServiceKeyRow extends StoredRow {
  readonly sealed: string
}

export interface Rows {
  readonly dataset: DatasetRow
  readonly system: ResourceRow<System>
  readonly policy: ResourceRow<Policy>
  readonly organization: ResourceRow<Organization>
  readonly registry: ResourceRow<Registry>
  readonly dataCategory: ResourceRow<DataCategory>
  readonly dataUse: ResourceRow<DataUse>
  readonly dataSubject: ResourceRow<DataSubject>
  readonly dataQualifier: ResourceRow<DataQualifier>
  readonly evaluation: EvaluationRow
  readonly evaluationDetail: EvaluationDetailRow
  readonly connection: ConnectionRow
  readonly connectionSecret: ConnectionSecretRow
  readonly privacyRequest: PrivacyRequestRow
  readonly requestKey: RequestKeyRow
  readonly requestIdentity: RequestIdentityRow
  readonly legalHold: LegalHoldRow
  readonly heldIdentity: HeldIdentityRow
  readonly verificationCode: VerificationCodeRow
  readonly outboxMail: OutboxMailRow
  readonly downloadLink: DownloadLinkRow
  readonly manualWebhook: ManualWebhookRow
  readonly manualUpload: ManualUploadRow
  readonly policyWebhooks: PolicyWebhooksRow
  readonly webhookCall: WebhookCallRow
  readonly manualInput: ManualInputRow
  readonly erasureReceipt: ErasureReceiptRow
  readonly tombstone: TombstoneRow
  readonly requestPlan: RequestPlanRow
  readonly checkpoint: CheckpointRow
  readonly erasureProgress: ErasureProgressRow
  readonly erasureLock: ErasureLockRow
  readonly releasedLock: ReleasedLockRow
  readonly leftPointer: LeftPointerRow
  readonly executionLog: ExecutionLogRow
  readonly client: ClientRow
  readonly revokedToken: RevokedTokenRow
  readonly serviceKey: ServiceKeyRow
  readonly auditEntry: AuditEntryRow
  readonly upkeep: UpkeepRow
}

export type RowKind = keyof Rows

const resource = ['id', 'searchText', 'createdAt', 'updatedAt'] as const

/** The fields of each row kind by which it may be searched and sorted. Searching by another field is a type error. */
export const searchable = {
  dataset: [...resource, 'connectionKey'],
  system: resource,
  policy: resource,
  organization: resource,
  registry: resource,
  dataCategory: resource,
  dataUse: resource,
  dataSubject: resource,
  dataQualifier: resource,
  evaluation: ['id', 'policyKey', 'status', 'createdAt'],
  evaluationDetail: ['id'],
  connection: ['id', 'name', 'connectionType', 'disabled', 'lastTestSucceeded', 'searchText'],
  connectionSecret: ['id'],
  privacyRequest: [
    'id',
    'status',
    'externalId',
    'policyKey',
    'createdAt',
    'requestedAt',
    'startedProcessingAt',
    'finishedProcessingAt',
    'identityVerifiedAt',
    'reviewedAt',
    'dueDate',
    'destroyAt',
  ],
  requestKey: ['id'],
  requestIdentity: ['id', 'requestId', 'identityHash'],
  legalHold: ['id', 'status', 'createdAt', 'until'],
  heldIdentity: ['id', 'holdId', 'identityHash'],
  verificationCode: ['id'],
  outboxMail: ['id', 'requestId', 'status', 'nextAttemptAt'],
  downloadLink: ['id', 'requestId', 'expiresAt'],
  manualWebhook: ['id'],
  manualUpload: ['id', 'requestId'],
  policyWebhooks: ['id'],
  webhookCall: ['id', 'requestId'],
  manualInput: ['id', 'requestId'],
  erasureReceipt: ['id'],
  tombstone: ['id', 'identityHash', 'erasedAt'],
  requestPlan: ['id'],
  checkpoint: ['id', 'requestId'],
  erasureProgress: ['id', 'requestId'],
  erasureLock: ['id', 'requestId'],
  releasedLock: ['id', 'releasedAt'],
  leftPointer: ['id', 'requestId', 'address'],
  executionLog: ['id', 'requestId', 'createdAt'],
  client: ['id', 'searchText'],
  revokedToken: ['id', 'expiresAt'],
  serviceKey: ['id'],
  auditEntry: ['id', 'subject', 'createdAt', 'order'],
  upkeep: ['id'],
} as const satisfies { readonly [Kind in RowKind]: readonly (keyof Rows[Kind])[] }

/** The kinds of which there may be many, and that are listed with the newest first. A storage MAY keep them in that order. */
export const newestFirst = { privacyRequest: 'createdAt' } as const satisfies {
  readonly [Kind in RowKind]?: (typeof searchable)[Kind][number]
}

export type Searchable<Kind extends RowKind> = (typeof searchable)[Kind][number] & keyof Rows[Kind]
