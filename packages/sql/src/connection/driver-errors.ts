import { isPrivacyError, type PrivacyError, type Row } from '@habeas/core'
import { type RefusingRule, refusedFailure } from '../erase-failures.js'
import { type FailureReason, failure, lockedFailure } from './connection-failure.js'
import { type KnownFailure, type NetworkSentences, networkFailure } from './network-failure.js'

/** Reads the names of a rule from a message. No value of a row MUST match the patterns. */
export function ruleInMessage(constraint: RegExp, column: RegExp): DriverErrors['refusingRule'] {
  return async (error) => {
    const message = String((error as { message?: unknown }).message)
    const [rule, name] = [constraint.exec(message)?.[1], column.exec(message)?.[1]]
    return { ...(rule !== undefined && { constraint: rule }), ...(name !== undefined && { column: name }) }
  }
}

/** Runs a statement over the catalogue. */
export type Ask = (sql: string, parameters: readonly unknown[]) => Promise<readonly Row[]>

/** What the errors of a driver and its server mean. A code comes from the system, from TLS, or from the server. */
export interface DriverErrors {
  /** The name of the server, such as PostgreSQL, where host and port may be those of another one. */
  readonly server?: string
  /** The name of the server's codes, such as SQLSTATE. */
  readonly codes: string
  codeOf(error: object): string | undefined
  /** Returns whether the server raised it while it ran a statement. Its words may then repeat values. */
  isServers(error: object): boolean
  readonly known: Readonly<Record<string, KnownFailure>>
  /** Recognizes errors that the driver makes itself, which may have no code. */
  byText?(text: string): KnownFailure | undefined
  /** A table or column no longer exists. */
  readonly missing: ReadonlySet<string>
  /** A deadlock, or another conflict between transactions because of which the server ended this one. */
  readonly conflicts: ReadonlySet<string>
  /** The statement waited too long for a lock of another transaction. */
  readonly lockTimeouts: ReadonlySet<string>
  /** The statement took too long for the server, or somebody cancelled it. */
  readonly stopped: ReadonlySet<string>
  /** The user lacks a permission on what the statement names. */
  readonly forbidden: ReadonlySet<string>
  /** Rules that refuse new values, and objects that cannot be written in this way. */
  readonly refusals: RegExp
  /** Returns the names of the rule that refused. It MUST check them, because a trigger may raise an error with any text. */
  refusingRule(error: unknown, ask: Ask): Promise<RefusingRule>
  /** Returns the failure for an error that a condition of the dialect raised. */
  raised?(error: unknown, collection: string): PrivacyError | undefined
  /** Returns the failure for an error by which the server says that rows to be counted may be hidden from the user. */
  hidden?(error: unknown, counted: readonly { readonly collection: string }[]): PrivacyError | undefined
}

const sentences: NetworkSentences = {
  notResolved: 'The host name of the database could not be resolved: check host for typing errors.',
  notResolvedNow: 'The host name of the database could not be resolved just now: check host and the name server.',
  refused: 'Nothing listens at the given host and port: check port, and that the server is running.',
  unreachable: 'The server cannot be reached from here: check host, port and the firewalls between.',
  late: 'The server could not be reached in time: check host, port and the firewalls between.',
  brokenOff: 'The connection to the database broke off: try again.',
  untrusted:
    'The certificate of the server could not be verified: give the certificate of its authority as ssl.ca, or the name it was made out to as ssl.server_name.',
  notEncrypted: 'No encrypted connection could be agreed on: check ssl, and the certificate and key in it.',
}

const noSocket: KnownFailure = ['refused', 'There is no such socket: check host, and that the server is running.']

/** Turns any error of the driver into a `connection_failed` that says what to correct. `doing` completes "while …". */
export function connectionFailure(errors: DriverErrors, error: unknown, doing: string): PrivacyError {
  if (isPrivacyError(error)) return error
  const code = String(errors.codeOf(Object(error)))
  const text = String((error as { message?: unknown }).message)
  if (errors.forbidden.has(code)) {
    return failure('permission', `The user of the connection lacks a permission for ${doing}: grant it.`, error)
  }
  if (errors.stopped.has(code)) {
    const message = `The server ended the statement while ${doing}: it has a time limit, or somebody cancelled the statement.`
    return failure('statement_timeout', message, error)
  }
  if (errors.lockTimeouts.has(code)) return lockedFailure(doing, error)
  if (errors.conflicts.has(code)) {
    const message = `Other transactions kept ending this one while ${doing}: try again in a moment.`
    return failure('other', message, error, 'transient')
  }
  // the server's words quote statements, and with them any name
  const isDrivers = !errors.isServers(Object(error))
  const known =
    errors.known[code] ??
    (code === 'ENOENT' ? noSocket : networkFailure(code, sentences)) ??
    (isDrivers ? errors.byText?.(text) : undefined)
  if (known) {
    const [reason, sentence, transient] = known
    return failure(reason, sentence, error, transient)
  }
  return failure('other', `The database failed while ${doing}; the log of this service has the cause.`, error)
}

/**
 * Turns the error of a session that could not be opened into its failure, as `connectionFailure` does. What listens at a
 * mistaken address is silent, closes the connection or answers in words of its own, so that another server looks like a
 * fault that passes.
 */
export function loginFailure(errors: DriverErrors, error: unknown): PrivacyError {
  const failed = connectionFailure(errors, error, 'logging in')
  const { reason, transient } = failed.details as { reason: FailureReason; transient?: true }
  if (failed === error || errors.isServers(Object(error)) || !['other', 'timeout'].includes(reason)) return failed
  if (errors.server === undefined) return failed
  const message = `${failed.message} If that does not help, check that what listens at host and port is ${errors.server}.`
  return failure(reason, message, error, transient && 'transient')
}

/**
 * Turns the error of a statement that has to count every row into its failure. Gives `unsupported` where policies may hide
 * some of them.
 */
export function countingFailure(errors: DriverErrors, error: unknown, collection: string, doing: string): PrivacyError {
  return errors.hidden?.(error, [{ collection }]) ?? connectionFailure(errors, error, doing)
}

/**
 * Turns the error of a statement that writes into its failure. `rule` names what refused it. The server's words may repeat
 * the values that it refuses, so that only names and the code are kept.
 */
export function writingFailure(
  errors: DriverErrors,
  error: unknown,
  collection: string,
  rule: RefusingRule,
): PrivacyError {
  const doing = `writing to "${collection}"`
  if (isPrivacyError(error)) return error
  const code = errors.codeOf(Object(error))
  if (code === undefined || !errors.isServers(Object(error))) return connectionFailure(errors, error, doing)
  const raised = errors.raised?.(error, collection)
  if (raised) return raised
  const bare = Object.assign(new Error(`${errors.codes} ${code}`), { code })
  if (errors.refusals.test(code)) return refusedFailure(collection, rule, bare)
  if (errors.forbidden.has(code)) {
    return failure(
      'permission',
      `The user of the connection may not write this to "${collection}": grant the permission it lacks on the table, or on what its triggers use. Where row-level security refuses what becomes of a row, change the policy of the table, or retain the field.`,
      bare,
    )
  }
  const isKnown = [errors.stopped, errors.lockTimeouts, errors.conflicts].some((codes) => codes.has(code))
  if (isKnown || code in errors.known) return connectionFailure(errors, bare, doing)
  return failure(
    'other',
    `The database failed while ${doing}, with ${errors.codes} ${code}: its own log has the cause, which may be a trigger or function of the database.`,
    bare,
  )
}
