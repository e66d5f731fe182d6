import { PrivacyError } from '@habeas/core'

/** Words for programs, in `details.reason` of a `connection_failed`. */
export type FailureReason =
  | 'name_not_resolved'
  | 'refused'
  | 'authentication'
  | 'database_missing'
  | 'tls'
  | 'timeout'
  | 'statement_timeout'
  | 'missing_collection'
  | 'missing_column'
  | 'missing_secret'
  | 'permission'
  | 'lock_timeout'
  | 'changed_since'
  | 'cancelled'
  | 'other'

/** Returns a `connection_failed`. The driver's own words are the cause only, as they may hold values. */
export function failure(
  reason: FailureReason,
  message: string,
  cause?: unknown,
  transient?: 'transient',
): PrivacyError {
  const details = { reason, ...(transient && { transient: true as const }) }
  return new PrivacyError('connection_failed', message, details, cause === undefined ? {} : { cause })
}
