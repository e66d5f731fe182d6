import type { Catalogue } from '../model/catalogue.js'
import type { Connector } from '../ports/connector.js'
import type { Runtime } from '../ports/runtime.js'
import type { Secrets } from '../ports/secrets.js'
import type { Storage } from '../ports/storage.js'
import type { RetentionPeriods } from '../rules/request/destroy-at.js'
import type { FailureWatch } from './failure-watch.js'

/** The context of every action. */
export interface ActionContext {
  readonly storage: Storage
  readonly secrets: Secrets
  readonly runtime: Runtime
  /** By connection type. */
  readonly connectors: ReadonlyMap<string, Connector>
  readonly options: {
    /** `strict`: a write refuses an unknown taxonomy key instead of returning a finding. */
    readonly taxonomy: 'open' | 'strict'
    /** Whether writes of systems, policies and datasets are evaluated. `strict` refuses violations. Default: `off`. */
    readonly evaluateWrites?: 'off' | 'findings' | 'strict'
    readonly connectionTestSeconds: number
    /** Default true. */
    readonly inferIdentities?: boolean
    readonly inferOwners?: boolean
    /** IANA name of the time zone whose calendar counts for deadlines. Default: UTC. */
    readonly timeZone?: string
    /** Absent: the personal data of requests is kept for good. */
    readonly retention?: RetentionPeriods
  }
  /** Tells listeners of failures that end nothing. Absent: nobody listens. */
  readonly failures?: FailureWatch
  /** Called after a connection's row or secrets were changed or deleted. */
  readonly connectionChanged: (key: string) => void
  /** The live schema behind a connection, for findings; undefined where it cannot be known. */
  readonly catalogue?: (connectionKey: string, options?: { readonly fresh?: boolean }) => Promise<Catalogue | undefined>
}
