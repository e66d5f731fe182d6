import type { AuditEntry } from '../model/audit-entry.js'
import type { Catalogue } from '../model/catalogue.js'
import type { Client } from '../model/client.js'
import type { Connection } from '../model/connection.js'
import type { Dataset } from '../model/dataset.js'
import type { Organization } from '../model/organization.js'
import type { Policy } from '../model/policy.js'
import type { ExecutionLog, PrivacyRequest } from '../model/privacy-request.js'
import type { Registry } from '../model/registry.js'
import type { System } from '../model/system.js'
import type { DataCategory, DataQualifier, DataSubject, DataUse } from '../model/taxonomy.js'
import type { StoredRow } from './storage.js'

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
}

export interface ConnectionRow extends StoredRow, Connection {
  readonly searchText: string
}

/** Sealed by the Secrets port under the context `connection:KEY`; base64. */
export interface ConnectionSecretRow extends StoredRow {
  readonly sealed: string
}

export interface PrivacyRequestRow extends StoredRow, PrivacyRequest {
  /** Who runs the request. */
  readonly leaseHolder?: string
  /** Until then nobody else may run it. */
  readonly leaseExpiresAt?: string
}

/** One value that identifies the person of a request, by a keyed hash: requests are found by it, nothing is read back. */
export interface RequestIdentityRow extends StoredRow {
  readonly requestId: string
  readonly identityHash: string
}

/** What is personal about a request. Deleting this row deletes the data: nothing else opens it. */
export interface RequestKeyRow extends StoredRow {
  /** The request's data key, sealed by the Secrets port under `privacy-request:ID`; base64. */
  readonly sealedKey: string
  /** The identities as JSON, sealed under the data key; base64. */
  readonly sealedIdentities: string
}

/** The plan of the last run, without values. */
export interface RequestPlanRow extends StoredRow {
  readonly plan: unknown
  /** By connection, the id of the catalogue row the plan was made with. */
  readonly catalogues: Readonly<Record<string, string>>
}

/** A live catalogue that plans were made with. `id` is its hash, so that equal ones are kept once. */
export interface CatalogueRow extends StoredRow {
  readonly catalogue: Catalogue
}

/** What a finished component of a run left behind. `id` is `REQUEST/COMPONENT`. */
export interface CheckpointRow extends StoredRow {
  readonly requestId: string
  /** Hash of all that the component's result rests on; another signature means: run it again. */
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

/** A key the service made for itself, sealed by the Secrets port under `service-key:ID`; base64. */
export interface ServiceKeyRow extends StoredRow {
  readonly sealed: string
}

export interface AuditEntryRow extends StoredRow, AuditEntry {}

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
  readonly connection: ConnectionRow
  readonly connectionSecret: ConnectionSecretRow
  readonly privacyRequest: PrivacyRequestRow
  readonly requestKey: RequestKeyRow
  readonly requestIdentity: RequestIdentityRow
  readonly requestPlan: RequestPlanRow
  readonly catalogue: CatalogueRow
  readonly checkpoint: CheckpointRow
  readonly executionLog: ExecutionLogRow
  readonly client: ClientRow
  readonly revokedToken: RevokedTokenRow
  readonly serviceKey: ServiceKeyRow
  readonly auditEntry: AuditEntryRow
}

export type RowKind = keyof Rows

const resource = ['id', 'searchText', 'createdAt', 'updatedAt'] as const

/** The fields of each row kind that may be searched and sorted by. Searching another is a type error. */
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
  connection: ['id', 'name', 'connectionType', 'disabled', 'lastTestSucceeded', 'searchText'],
  connectionSecret: ['id'],
  privacyRequest: [
    ...['id', 'status', 'externalId', 'policyKey', 'createdAt', 'requestedAt', 'startedProcessingAt'],
    ...['finishedProcessingAt', 'identityVerifiedAt', 'reviewedAt', 'dueDate'],
  ],
  requestKey: ['id'],
  requestIdentity: ['id', 'requestId', 'identityHash'],
  requestPlan: ['id'],
  catalogue: ['id'],
  checkpoint: ['id', 'requestId'],
  executionLog: ['id', 'requestId', 'createdAt'],
  client: ['id', 'searchText'],
  revokedToken: ['id', 'expiresAt'],
  serviceKey: ['id'],
  auditEntry: ['id', 'subject', 'createdAt'],
} as const satisfies { readonly [Kind in RowKind]: readonly (keyof Rows[Kind])[] }

export type Searchable<Kind extends RowKind> = (typeof searchable)[Kind][number] & keyof Rows[Kind]
