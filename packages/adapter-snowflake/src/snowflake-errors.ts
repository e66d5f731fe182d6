import { isPrivacyError } from '@habeas/core'
import type { DriverErrors, KnownFailure } from '@habeas/sql'

const lostPart =
  'A part of the result could not be read from where Snowflake keeps it: check that the firewalls between let the storage of the account through, and try again.'

/** By the code of the service. */
const known: Readonly<Record<string, KnownFailure>> = {
  390100: [
    'authentication',
    'Snowflake did not accept the user and password: check both. Where the account demands a second factor, give private_key instead.',
  ],
  390101: ['authentication', 'Snowflake did not accept the user: check user.'],
  390102: ['authentication', 'Snowflake has locked the user after failed logins: unlock it, or wait 15 minutes.'],
  390103: ['other', 'The session with Snowflake is over: try again.', 'transient'],
  390104: ['other', 'The session with Snowflake is over: try again.', 'transient'],
  390111: ['other', 'Snowflake ended the session: try again.', 'transient'],
  390114: ['other', 'The session with Snowflake has expired: try again.', 'transient'],
  390127: ['authentication', 'Snowflake demands a second factor of this user: give private_key, or a service user.'],
  390144: [
    'authentication',
    'Snowflake did not accept the key: register its public half with the user (RSA_PUBLIC_KEY), and check host, user and the clock of this machine.',
  ],
  390189: ['permission', 'The role does not exist, or is not granted to the user: check role_name.'],
  390201: [
    'database_missing',
    'Snowflake has no such database, schema, warehouse or role that the user may use: check database, db_schema, warehouse_name and role_name.',
  ],
  390303: [
    'authentication',
    'Snowflake did not accept the OAuth token: check accessToken and the security integration.',
  ],
  390318: ['authentication', 'The OAuth token has expired: accessToken must give a fresh one.'],
  390422: ['authentication', 'A network policy of the account keeps this machine out: allow its address.'],
  394304: ['authentication', 'Snowflake demands a second factor of this user: give private_key, or a service user.'],
  // the driver's own, about a part of a result
  402001: ['other', lostPart, 'transient'],
  402002: ['other', lostPart, 'transient'],
  // the driver's own, once it could not renew the token
  407002: ['other', 'The session with Snowflake has expired: try again.', 'transient'],
  '002003': [
    'database_missing',
    'Snowflake has no such database, schema or table, or the role may not use it: check database, db_schema and role_name.',
  ],
  '002043': [
    'database_missing',
    'Snowflake has no such database, schema or table, or the role may not use it: check database, db_schema and role_name.',
  ],
  '000606': ['permission', 'No warehouse runs the statement: give warehouse_name, and grant the role USAGE on it.'],
  '000607': [
    'other',
    'The warehouse is suspended and may not be resumed by this role: resume it, grant OPERATE on it, or set its AUTO_RESUME.',
    'transient',
  ],
  '090073': [
    'other',
    'The warehouse cannot be resumed, because its resource monitor has used up the quota: raise the quota, or wait for the next interval.',
  ],
  '090105': ['database_missing', 'The session has no database: check database, and that the role may use it.'],
  '090106': ['database_missing', 'The session has no schema: check db_schema, and that the role may use it.'],
}

/** What errors of the driver and of the service mean. */
export const snowflakeErrors: DriverErrors = {
  codes: 'error',
  codeOf,
  isServers: (error) => typeof (error as { sqlState?: unknown }).sqlState === 'string',
  known,
  byText,
  missing: new Set(['002003', '002043', '000904']),
  conflicts: new Set(['000060']),
  lockTimeouts: new Set(['000625', '000665']),
  stopped: new Set(['000604', '000630']),
  forbidden: new Set(['003001']),
  // values that the column does not take, and objects that cannot be written so
  refusals: /^(?:100\d{3}|002023|002028|000002)$/,
  // the service names no column, and its words repeat values
  refusingRule: async () => ({}),
}

/** The code of the service, or that of the network where the service was not reached. */
function codeOf(error: object): string | undefined {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } }
  if (typeof cause?.code === 'string' && !/^ERR_BAD_/.test(cause.code)) return cause.code
  return code === undefined ? undefined : String(code).padStart(6, '0')
}

/** Whether what was said means that the session is no longer there, or that it is not known whether it is. */
export function endsSession(error: unknown): boolean {
  const code = codeOf(Object(error)) ?? ''
  return /^(?:39|407)/.test(code) || !snowflakeErrors.isServers(Object(error))
}

/** The role may not ask, or the edition of the account has nothing to ask for by this role. */
export function isUnasked(error: unknown): boolean {
  if (!isPrivacyError(error, 'connection_failed')) return false
  const { code } = Object(error.cause) as { code?: unknown }
  return error.details.reason === 'permission' || ['002003', '002140', '001044'].includes(String(code))
}

/** Errors that the driver makes itself. */
function byText(text: string): KnownFailure | undefined {
  if (/private key/i.test(text)) return ['authentication', 'The driver cannot read private_key: give it as PEM text.']
  if (/timeout|timed out/i.test(text)) {
    return ['timeout', 'The account did not answer in time: check host and the firewalls between.', 'transient']
  }
  if (/Request to Snowflake failed|Network error/i.test(text)) {
    return ['other', 'The account could not be reached: check host, and try again.', 'transient']
  }
  return undefined
}
