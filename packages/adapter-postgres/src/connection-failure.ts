import { isPrivacyError, PrivacyError } from '@habeas/core'
import { changedSinceFailure, type RefusingRule, referencedSinceFailure, refusedFailure } from '@habeas/sql'
import { referencedSince } from './catalogue-query.js'
import { changedSince } from './erasing.js'

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
  | 'cancelled'
  | 'other'

/** A `connection_failed`; the driver's own words travel as the cause only, as they may hold values. */
function failure(reason: FailureReason, message: string, cause?: unknown): PrivacyError {
  return new PrivacyError('connection_failed', message, { reason }, cause === undefined ? {} : { cause })
}

/** `url` tells whether the secrets hold one, which then did not say where the server is either. */
export function missingHostFailure(url: boolean): PrivacyError {
  const message = url
    ? 'The url of the connection names no host, or several: give one, as in postgresql://user@host:5432/database.'
    : 'The secrets of the connection lack host: add it, or a url.'
  return failure('missing_secret', message)
}

export function closedFailure(): PrivacyError {
  return failure('cancelled', 'The connection was closed while it was in use: open it again.')
}

export function cancelledFailure(cause: unknown): PrivacyError {
  return failure('cancelled', 'The statement was cancelled before it ended.', cause)
}

export function stalledFailure(doing: string, seconds: number): PrivacyError {
  return failure(
    'statement_timeout',
    `The server sent nothing for ${seconds} seconds while ${doing}: add an index for it, or raise statementTimeoutSeconds.`,
  )
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

export function schemaFailure(schema: string, exists: boolean): PrivacyError {
  if (exists) {
    return failure('permission', `The user of the connection may not use the schema "${schema}": grant USAGE on it.`)
  }
  return failure('database_missing', `The database has no schema "${schema}": correct db_schema of the connection.`)
}

const untrusted =
  'The certificate of the server could not be verified: give the certificate of its authority as ssl.ca, or the name it was made out to as ssl.server_name.'

/** By the error's code: of the system, of TLS, or the SQLSTATE of the server. */
const known: Readonly<Record<string, readonly [FailureReason, string]>> = {
  ENOTFOUND: [
    'name_not_resolved',
    'The host name of the database could not be resolved: check host for a slip of the pen.',
  ],
  EAI_AGAIN: [
    'name_not_resolved',
    'The host name of the database could not be resolved just now: check host and the name server.',
  ],
  ECONNREFUSED: ['refused', 'Nothing listens at the given host and port: check port, and that the server is running.'],
  ENOENT: ['refused', 'There is no such socket: check host, and that the server is running.'],
  ETIMEDOUT: ['timeout', 'The server could not be reached in time: check host, port and the firewalls between.'],
  EHOSTUNREACH: ['timeout', 'The server cannot be reached from here: check host, port and the firewalls between.'],
  ENETUNREACH: ['timeout', 'The server cannot be reached from here: check host, port and the firewalls between.'],
  '28P01': ['authentication', 'The server did not accept the user and password: check both.'],
  '28000': [
    'authentication',
    'The server does not let this user log in from here: check user, and pg_hba.conf of the server.',
  ],
  '3D000': ['database_missing', 'The server has no such database: check database.'],
  '42501': ['permission', 'The user of the connection lacks a permission: grant it.'],
  '25006': [
    'permission',
    'The server only lets this connection read: give the address of the primary, and a user that may write.',
  ],
  '53300': ['other', 'The server has no connection left to give: raise its max_connections, or lower poolSize.'],
  '57P03': ['other', 'The server is starting up or shutting down: try again in a moment.'],
  '57P01': ['other', 'The server is shutting down: try again when it is back.'],
}

/** Any error of the driver as a `connection_failed` that says what to mend. `doing` completes "while …". */
export function connectionFailure(error: unknown, doing: string): PrivacyError {
  if (isPrivacyError(error)) return error
  const { code, message } = error as { code?: unknown; message?: unknown }
  const text = String(message)
  if (code === '28000' && /no encryption|SSL off/i.test(text)) {
    return failure('tls', 'The server demands an encrypted connection: set ssl to true.', error)
  }
  if (code === '42501') {
    return failure('permission', `The user of the connection lacks a permission for ${doing}: grant it.`, error)
  }
  if (code === '57014') {
    return failure(
      'statement_timeout',
      `The server ended the statement while ${doing}: it has a time limit, or was told to.`,
      error,
    )
  }
  const [reason, sentence] = known[String(code)] ?? byText(text, String(code)) ?? []
  if (reason && sentence) return failure(reason, sentence, error)
  return failure('other', `The database failed while ${doing}; the log of this service has the cause.`, error)
}

/** The same for a statement that has to count every row: `unsupported` where policies may hide some from the user. */
export function countingFailure(error: unknown, collection: string, doing: string): PrivacyError {
  return hiddenFailure(error, [{ collection }]) ?? connectionFailure(error, doing)
}

/** That policies may hide rows that were to be counted, where that is what the server says. */
export function hiddenFailure(
  error: unknown,
  counted: readonly { readonly collection: string }[],
): PrivacyError | undefined {
  const { code, routine } = error as { code?: unknown; routine?: unknown }
  if (counted.length === 0 || code !== '42501' || routine !== 'check_enable_rls') return undefined
  const names = [...new Set(counted.map(({ collection }) => `"${collection}"`))].join(' or ')
  const message = `Rows of ${names} cannot be counted: row-level security may hide some of them from the user of the connection. Give it BYPASSRLS.`
  return new PrivacyError('unsupported', message, { feature: 'countEach' }, { cause: error })
}

/**
 * The same for a statement that writes, which `rule` refused. What the server says of values it refuses would repeat them,
 * so that only names and the code are kept.
 */
export function writingFailure(error: unknown, collection: string, rule: RefusingRule): PrivacyError {
  const doing = `writing to "${collection}"`
  if (isPrivacyError(error)) return error
  const { code, severity, message } = error as Partial<Record<string, unknown>>
  if (typeof code !== 'string' || severity === undefined) return connectionFailure(error, doing)
  if (code === '22P02' && String(message).includes(changedSince)) return changedSinceFailure(collection)
  if (code === '22P02' && String(message).includes(referencedSince)) return referencedSinceFailure(collection)
  const bare = Object.assign(new Error(`SQLSTATE ${code}`), { code })
  if (refusals.test(code)) return refusedFailure(collection, rule, bare)
  if (code === '42501') {
    return failure(
      'permission',
      `The user of the connection may not write this to "${collection}": grant the permission it lacks on the table, or on what its triggers use. Where row-level security refuses what becomes of a row, change the policy of the table, or retain the field.`,
      bare,
    )
  }
  if (code in known || code === '57014') return connectionFailure(bare, doing)
  return failure(
    'other',
    `The database failed while ${doing}, with SQLSTATE ${code}: its own log has the cause, which may be a trigger or function of the database.`,
    bare,
  )
}

/** Data, integrity and view check rules, exceptions of triggers, and objects that cannot be written so. */
const refusals = /^(?:22|23|44|P0)|^(?:0A000|42804|42809|428C9|55000)$/

/** Errors that the driver makes itself carry no code. */
function byText(text: string, code: string): readonly [FailureReason, string] | undefined {
  if (/does not support SSL/i.test(text))
    return ['tls', 'The server does not offer encryption: leave ssl out, or switch it on at the server.']
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/.test(code)) return ['tls', untrusted]
  if (/^(?:ERR_SSL|ERR_TLS|EPROTO|ERR_OSSL)/.test(code))
    return ['tls', 'No encrypted connection could be agreed on: check ssl, and the certificate and key in it.']
  if (/establishing an SSL connection/i.test(text))
    return ['tls', 'The server did not agree to encryption: check ssl and port.']
  if (/timeout expired/i.test(text))
    return ['timeout', 'The server did not answer in time: check host, port and the firewalls between.']
  if (/SASL|password must be/i.test(text))
    return ['authentication', 'The server asks for a password it can accept: check password.']
  if (/terminated/i.test(text) || code === 'ECONNRESET' || code === 'EPIPE')
    return ['other', 'The connection to the database broke off: try again.']
  return undefined
}
