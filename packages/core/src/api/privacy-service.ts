import type { ListOptions, Page } from '../actions/paging.js'
import type { ReplayOptions } from '../actions/proof/erasure-replay.js'
import type { AppliedManifest } from '../actions/resources/manifest-actions.js'
import type { WorkOptions } from '../execution/run/request-runs.js'
import type { UpkeepResult } from '../execution/run/upkeep.js'
import type { AuditEntry } from '../model/audit-entry.js'
import type { ErasureReplay } from '../model/erasure-replay.js'
import type { Health } from '../model/health.js'
import type { Identity } from '../model/identity.js'
import type { Manifest, ManifestFile } from '../model/manifest.js'
import type { Organization, OrganizationInput } from '../model/organization.js'
import type { PrivacyEvent } from '../model/privacy-event.js'
import type { Registry, RegistryInput } from '../model/registry.js'
import type { SecretRotation } from '../model/secret-rotation.js'
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
import type { DataMaps } from './data-map.js'
import type { Datasets } from './datasets.js'
import type { Evaluations, Policies } from './evaluations.js'
import type { LegalHolds } from './legal-holds.js'
import type { Requests } from './requests.js'
import type { Resource } from './resource.js'
import type { ManualWebhooks, PolicyWebhooks } from './webhooks.js'

/**
 * The whole library. Options and methods are written in camelCase, documents as the specification writes them. A bad
 * input rejects with a `PrivacyError` whose `code` says what is wrong and whose message says what to do.
 */
export interface PrivacyService<CustomType extends string = never> {
  /** Links to databases, their secrets, and the datasets behind them. */
  readonly connections: Connections<CustomType>
  /** Described schemas. */
  readonly datasets: Datasets
  /** Tables of what systems and datasets declare: the data map, and the record of processing activities. */
  readonly dataMap: DataMaps
  /** The systems that process data, and their purposes. */
  readonly systems: Resource<SystemInput, System>
  /**
   * The data that requests ask for, and what happens to it. Two default policies exist from the start and may be
   * edited.
   */
  readonly policies: Policies
  /** What evaluations of policies have found. */
  readonly evaluations: Evaluations
  /** The owners of the other resources. */
  readonly organizations: Resource<OrganizationInput, Organization>
  /** Groups of systems. */
  readonly registries: Resource<RegistryInput, Registry>
  /** The taxonomy: kinds of data. */
  readonly dataCategories: Resource<DataCategoryInput, DataCategory>
  /** The taxonomy: purposes of data. */
  readonly dataUses: Resource<DataUseInput, DataUse>
  /** The taxonomy: kinds of people. */
  readonly dataSubjects: Resource<DataSubjectInput, DataSubject>
  /** The taxonomy: how closely data is linked to a person. */
  readonly dataQualifiers: Resource<DataQualifierInput, DataQualifier>
  /** Many documents in one text. */
  readonly manifests: Manifests
  /** Programs that a run calls. */
  readonly policyWebhooks: PolicyWebhooks
  /** Data that people look up where no connector can. */
  readonly manualWebhooks: ManualWebhooks
  /** Privacy requests. */
  readonly requests: Requests
  /** People whose data must not be erased for now. */
  readonly holds: LegalHolds
  /** OAuth clients. */
  readonly clients: Clients
  /** Access tokens of clients. */
  readonly tokens: Tokens
  /** The audit trail: who did what. */
  readonly audit: {
    /** One page, oldest first. `subject`: the entries about one thing, such as `client:ID`. */
    list(options?: Omit<ListOptions, 'search'> & { readonly subject?: string | undefined }): Promise<Page<AuditEntry>>
  }
  /** Every scope, including the other names that the specification has for one. */
  readonly scopes: readonly string[]

  /**
   * Whether an erasure of this identity is complete, so that an importer can leave out erased people. It looks at
   * tombstones and searches no database: data that was never described, or that came since, does not count. An `email` is compared
   * without regard to the case of ASCII letters and to blanks around it, other values exactly, numbers as their text.
   * Rejects with `invalid_input` for an invalid identity, and for more than eight properties.
   */
  isErased(identity: Identity): Promise<boolean>
  /**
   * Repeats erasures after a database was restored from a backup: every erasure completed since the time of the backup,
   * if its person is in the restored database. Each gets a new request, under its policy and with the values that were
   * found then; all candidates are read first. Rejects with `invalid_input`; may be called again after any other
   * rejection.
   */
  replayErasures(options: ReplayOptions): Promise<ErasureReplay>
  /**
   * Has this process work on requests until `signal` aborts or the service is closed. Resolves when its last run has ended;
   * what still runs then is handed back, and another process goes on with it. For processes with
   * `execution.inProcess: false`: others work on requests by themselves, and reject with `misconfigured`.
   */
  work(options?: WorkOptions): Promise<void>
  /**
   * One pass of what is done beside the runs: mails that are due, requests whose time of waiting is over, retention. Workers
   * do it every `execution.sweepSeconds`, one process for all. For hosts without a worker, such as a job that runs every
   * minute. Rejects when the storage cannot be reached.
   */
  upkeep(): Promise<UpkeepResult>
  /**
   * Calls the listener for every change of a request while the request runs in this process. Returns the function that
   * ends it.
   */
  on(listener: (event: PrivacyEvent) => void): () => void
  /**
   * Seals everything anew that lies under another key of the ring than the current one. After that no other key is needed,
   * and may be taken out (docs/keys.md). Requests go on meanwhile. Call it again after any failure: it goes on where it was.
   */
  rotateSecrets(): Promise<SecretRotation>
  /**
   * What works now, by part, and what to do about the rest. The databases of people are not asked: `connections.test` does
   * that (docs/production.md).
   */
  health(): Promise<Health>
  /** Whether calls are answered here: the storage answers, and the keys at hand open what it holds. For load balancers. */
  isReady(): Promise<boolean>
  /**
   * Stops running requests, closes every connection, and closes the storage and blobs that this service opened itself.
   * Every later call rejects with `unavailable`.
   */
  close(): Promise<void>
}

/**
 * Many documents in one text (YAML 1.2 or JSON), in several files, or in one object with a list for each kind. Where there
 * was a text, errors name the line and column, and the file where there were several.
 */
export interface Manifests {
  /**
   * Reads the outer shape of a manifest. Its `kinds` can be inspected before it goes to `apply`. Rejects with
   * `invalid_input` for a text that cannot be read, an unknown name at the top, and more than 10,000 items.
   */
  read(input: ManifestInput): Promise<Manifest>
  /** What `apply` would answer, with all that is wrong. Nothing is written. */
  validate(input: ManifestInput): Promise<AppliedManifest>
  /**
   * Creates or replaces every item, referenced items first. A dataset with a `connection_key` is linked to that connection.
   * An item that cannot be written is named under `failed` and does not stop the others.
   */
  apply(input: ManifestInput): Promise<AppliedManifest>
}

/** What manifests are read from. An object is what `read` has given, or has a list for each kind. */
export type ManifestInput = string | readonly ManifestFile[] | object
