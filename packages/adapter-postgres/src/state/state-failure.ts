import { isPrivacyError, PrivacyError } from '@habeas/core'
import { connectionFailure } from '@habeas/sql'
import { postgresErrors } from '../postgres-errors.js'

/** Returns the SQLSTATE of an error of the server, or of the error that is the cause of a `PrivacyError`. */
export function sqlState(error: unknown): string | undefined {
  const { code } = (isPrivacyError(error) ? (error.cause ?? {}) : (error as object)) as { code?: unknown }
  return typeof code === 'string' ? code : undefined
}

/** Returns whether the server ended a transaction because of another one, so that it is enough to run it again. */
export function wasGivenUp(error: unknown): boolean {
  const state = sqlState(error)
  return state === '40P01' || state === '40001'
}

/**
 * Turns any error of the driver into an `unavailable` that says what to correct. The driver's own words are the cause only,
 * as they may hold values.
 */
export function stateFailure(error: unknown): PrivacyError {
  if (isPrivacyError(error)) return error
  const { message, details } = connectionFailure(
    postgresErrors,
    error,
    'Habeas used its own tables',
  ) as PrivacyError<'connection_failed'>
  const reason = details.reason === undefined ? {} : { reason: details.reason }
  if (details.reason === 'permission') return new PrivacyError('unavailable', forbidden, reason, { cause: error })
  return new PrivacyError('unavailable', `The storage in PostgreSQL: ${message}`, reason, { cause: error })
}

/** The error of a write whose answer was lost, so that nobody knows whether it was done. */
export function answerLost(error: unknown): PrivacyError<'unavailable'> {
  const { message, details, cause } = stateFailure(error) as PrivacyError<'unavailable'>
  const unknown = `${message} The call may have been carried out all the same: look before you repeat it.`
  return new PrivacyError('unavailable', unknown, { ...details, outcome: 'unknown' }, { cause })
}

const forbidden =
  'The storage in PostgreSQL: The user of the connection lacks a permission. It makes the schema and the tables of Habeas: grant it CREATE on the database, or make the schema and make it the owner.'

/** Characters that PostgreSQL cannot store in a text: the null character, and half of a surrogate pair. */
const unstorable = /\p{Surrogate}|\0/u

/** The same characters in JSON, where both are written as escapes. */
const unstorableEscape = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/

/** Throws `invalid_input` for a text that PostgreSQL would refuse, or for which it would find other rows. */
export function refuseUnstorable(what: string, text: string, mostBytes = Number.POSITIVE_INFINITY): void {
  if (unstorable.test(text)) throw refused(what, 'must be well-formed text without null characters')
  if (Buffer.byteLength(text) > mostBytes) throw refused(what, `must have at most ${mostBytes} bytes`)
}

/** Returns a row as JSON. Throws `invalid_input` when it holds such a text. */
export function storableJson(what: string, value: unknown): string {
  const text = JSON.stringify(value)
  // Most rows hold no escape at all, and finding that out costs next to nothing.
  if (text.includes('\\u') && unstorableEscape.test(text))
    throw refused(what, 'must be well-formed text without null characters')
  return text
}

function refused(what: string, msg: string): PrivacyError<'invalid_input'> {
  const issues = [{ loc: [], msg, type: 'invalid_value' }]
  return new PrivacyError('invalid_input', `${what} cannot be kept in PostgreSQL: it ${msg}.`, { issues })
}
