import type { RunProof } from '../../actions/proof/evidence-actions.js'
import type { ActionType } from '../../model/action-type.js'
import type { Identity } from '../../model/identity.js'
import type { Policy } from '../../model/policy.js'
import type { Emit } from '../../model/privacy-event.js'
import type { Blobs } from '../../ports/blobs.js'
import type { PrivacyRequestRow } from '../../ports/rows.js'
import type { Telemetry } from '../../ports/telemetry.js'
import type { PackageTextOf } from '../../rules/package/package-text.js'
import type { RetrySettings } from '../../rules/request/next-retry.js'
import type { OpenConnections } from '../connect/open-connections.js'
import type { subjectLock } from '../erase/subject-lock.js'
import type { WebhookSettings } from '../webhooks/ask-webhook.js'
import type { FinishOptions } from './finish-run.js'
import type { Lease, LeaseOptions } from './hold-lease.js'
import type { Prepared } from './prepare.js'
import type { RequestProgress } from './request-progress.js'
import type { RunPermit } from './worker-permits.js'

export interface RunOptions extends FinishOptions, RetrySettings, LeaseOptions {
  readonly blobs: Blobs
  readonly connections: OpenConnections
  readonly maxRounds: number
  /** An erasure does not begin while there is something that nobody has decided on. */
  readonly strictCoverage: boolean
  readonly emit: Emit
  readonly telemetry: Telemetry
  /** Aborts when the service closes. The request is given back, and what was found is kept. */
  readonly stop: AbortSignal
  /** Aborts when the request is canceled in this process. */
  readonly canceled: AbortSignal
  readonly policy: (key: string) => Promise<Policy>
  /** Asks the workers to look at a request, at once or not before the time of its retry. */
  readonly lookAgain: (row: PrivacyRequestRow) => void
  /** The permit of the worker. Absent where the host runs the request itself. */
  readonly permit?: RunPermit | undefined
  /** Told after that was written. */
  readonly completed: () => void
  readonly webhooks: WebhookSettings
  readonly packageText: PackageTextOf
  readonly prepare: (
    policy: Policy,
    identities: readonly Identity[],
    options: {
      readonly fresh: boolean
      readonly proven?: readonly string[] | undefined
      readonly derived?: readonly string[]
    },
  ) => Promise<Prepared>
}

/** One attempt at a request. */
export interface RequestRun {
  /** As it was claimed. */
  readonly row: PrivacyRequestRow
  readonly lease: Lease
  readonly options: RunOptions
  readonly progress: RequestProgress
  /** Told how many rows were read. Resolves when more may be. */
  readonly read: (rows: number) => Promise<void>
  readonly lock: ReturnType<typeof subjectLock>
  /** What this run, or one before it, may have stored. */
  readonly stored: { proof?: RunProof; checkpoints?: boolean; actionType?: ActionType }
}
