import type { StoredRow } from './stored-row.js'

/** Which process does the upkeep of all. There is one such row. */
export interface UpkeepRow extends StoredRow {
  readonly leaseHolder?: string
  readonly leaseExpiresAt?: string
  /** Whether that process, or the one that has left it, runs requests as well. */
  readonly works?: boolean
  /** When a pass has ended last, as far as the row knows, and what it could not do. It is written with the lease. */
  readonly passedAt?: string
  readonly failed?: readonly string[]
}
