import type { ListOptions, Page } from '../actions/paging.js'
import type { ReplayOptions } from '../actions/proof/erasure-replay.js'
import type { AppliedManifest } from '../actions/resources/manifest-actions.js'
import type { PrivacyEvent } from '../execution/run/request-progress.js'
import type { AuditEntry } from '../model/audit-entry.js'
import type { ErasureReplay } from '../model/erasure-replay.js'
import type { Identity } from '../model/identity.js'
import type { Manifest } from '../model/manifest.js'
import type { Organization, OrganizationInput } from '../model/organization.js'
import type { Policy, PolicyInput } from '../model/policy.js'
import type { Registry, RegistryInput } from '../model/registry.js'
import type { System, SystemInput } from '../model/system.js'
import type {
  DataCategory,
  DataCategoryInput,
  DataQualifier,
  DataQualifierInput,
  DataSubject,
  DataSubjectInput,
  DataUse,
  DataUseInput,
} from '../model/taxonomy.js'
import type { Clients, Tokens } from './clients.js'
import type { Connections } from './connections.js'
import type { Datasets } from './datasets.js'
import type { LegalHolds } from './legal-holds.js'
import type { Requests } from './requests.js'
import type { Resource } from './resource.js'
import type { ManualWebhooks, PolicyWebhooks } from './webhooks.js'

/**
 * Everything the library does. Options and methods are written in camelCase, documents as the specification writes them. A
 * bad input rejects with a `PrivacyError` whose `code` says what is wrong and whose message says what to do.
 */
export interface PrivacyService<CustomType extends string = never> {
  /** Links to databases, their secrets, and the datasets behind them. */
  readonly connections: Connections<CustomType>
  /** Described schemas. */
  readonly datasets: Datasets
  /** What processes data, and what for. */
  readonly systems: Resource<SystemInput, System>
  /** What requests ask for. Two default policies exist from the start and may be edited. */
  readonly policies: Resource<PolicyInput, Policy>
  /** Who owns the other resources. */
  readonly organizations: Resource<OrganizationInput, Organization>
  /** Groups of systems. */
  readonly registries: Resource<RegistryInput, Registry>
  /** The taxonomy: what kinds of data there are. */
  readonly dataCategories: Resource<DataCategoryInput, DataCategory>
  /** The taxonomy: what data is used for. */
  readonly dataUses: Resource<DataUseInput, DataUse>
  /** The taxonomy: whom data is about. */
  readonly dataSubjects: Resource<DataSubjectInput, DataSubject>
  /** The taxonomy: how closely data is linked to a person. */
  readonly dataQualifiers: Resource<DataQualifierInput, DataQualifier>
  /** Many documents in one text. */
  readonly manifests: Manifests
  /** Programs that a run calls. */
  readonly policyWebhooks: PolicyWebhooks
  /** What people look up where no connector can. */
  readonly manualWebhooks: ManualWebhooks
  /** Privacy requests. */
  readonly requests: Requests
  /** People whose data must not be erased for now. */
  readonly holds: LegalHolds
  /** OAuth clients. */
  readonly clients: Clients
  /** Access tokens of clients. */
  readonly tokens: Tokens
  /** Who did what. */
  readonly audit: {
    /** One page, oldest first. `subject`: the entries about one thing, such as `client:ID`. */
    list(options?: Omit<ListOptions, 'search'> & { readonly subject?: string | undefined }): Promise<Page<AuditEntry>>
  }
  /** Every scope there is, the specification's other words for one included. */
  readonly scopes: readonly string[]

  /**
   * Whether data was erased for this person, for importers to leave out who was. Values are compared exactly, numbers as their
   * text. Rejects with `invalid_input` for what is no identity, and for more than eight properties.
   */
  isErased(identity: Identity): Promise<boolean>
  /**
   * Runs again every erasure completed since the time of a backup whose people are in the database that was restored from it:
   * a new request for each, under its policy and with the person's values as they were found, once all candidates were read.
   * Rejects with `invalid_input`; may be called again after any other rejection.
   */
  replayErasures(options: ReplayOptions): Promise<ErasureReplay>
  /** Calls the listener for every change of a request while it runs here. Returns the function that ends it. */
  on(listener: (event: PrivacyEvent) => void): () => void
  /** Whether what the service stands on works now. */
  health(): Promise<{ readonly storage: 'healthy' | 'unhealthy' }>
  /**
   * Stops running requests, closes every connection, and what this service opened itself: storage and blobs. Every later call
   * rejects with `unavailable`.
   */
  close(): Promise<void>
}

/** Many documents in one text, or in one object with a list for each kind. */
export interface Manifests {
  /**
   * Reads a manifest, from text (YAML 1.2 or JSON) or from an object, to look at its `kinds` and to hand it to `apply`. Throws
   * `invalid_input` for a text that cannot be read, an unknown name at the top, and more than 1,000 items.
   */
  read(input: string | object): Manifest
  /**
   * Creates or replaces every item; what others refer to comes first. An item that cannot be written is named under `failed`
   * and does not stop the others.
   */
  apply(input: string | object): Promise<AppliedManifest>
}
