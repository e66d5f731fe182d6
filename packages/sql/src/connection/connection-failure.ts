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

export function closedFailure(): PrivacyError {
  return failure('cancelled', 'The connection was closed while it was in use: open it again.')
}

export function cancelledFailure(cause: unknown): PrivacyError {
  return failure('cancelled', 'The statement was cancelled before it ended.', cause)
}

/** Returns the failure of a wait for a lock. `doing` completes "while …". */
export function lockedFailure(doing: string, cause?: unknown): PrivacyError {
  const message = `Another transaction held a lock for too long while ${doing}: retry when it has ended, or raise lockTimeoutSeconds.`
  return failure('lock_timeout', message, cause, 'transient')
}

export function stalledFailure(doing: string, seconds: number): PrivacyError {
  return failure(
    'statement_timeout',
    `The server sent nothing for ${seconds} seconds while ${doing}: add an index for it, or raise statementTimeoutSeconds.`,
  )
}

/** Returns the failure of secrets without a host. `url` says whether they hold a URL, and `example` is one for the message. */
export function missingHostFailure(url: boolean, example: string): PrivacyError {
  const message = url
    ? `The url of the connection names no host, or several: give one, as in ${example}.`
    : 'The secrets of the connection lack host: add it, or a url.'
  return failure('missing_secret', message)
}

export function missingCollectionFailure(collection: string, schema: string, cause?: unknown): PrivacyError {
  return failure(
    'missing_collection',
    `The schema "${schema}" has no table "${collection}": correct the dataset, or db_schema of the connection.`,
    cause,
  )
}

export function missingColumnFailure(collection: string, columns: readonly string[], cause?: unknown): PrivacyError {
  const names = columns.map((name) => `"${name}"`).join(', ')
  return failure('missing_column', `The table "${collection}" has no column ${names}: correct the dataset.`, cause)
}
