import { PrivacyError } from '@habeas/core'
import { changedSinceFailure, type DriverErrors, type KnownFailure, referencedSinceFailure } from '@habeas/sql'
import { referencedSince } from './catalogue-query.js'
import { refusingRule } from './refusing-rule.js'
import { changedSince } from './shapes.js'

const endedSession: KnownFailure = ['other', 'The server ended the session: try again when it is back.', 'transient']
const brokenOff: KnownFailure = ['other', 'The connection to the database broke off: try again.', 'transient']

/** Known failures by SQLSTATE. */
const known: Readonly<Record<string, KnownFailure>> = {
  '28P01': ['authentication', 'The server did not accept the user and password: check both.'],
  '28000': [
    'authentication',
    'The server does not let this user log in from here: check user, and pg_hba.conf of the server.',
  ],
  unencrypted: ['tls', 'The server demands an encrypted connection: set ssl to true.'],
  '3D000': ['database_missing', 'The server has no such database: check database.'],
  '25006': [
    'permission',
    'The server only lets this connection read: give the address of the primary, and a user that may write.',
  ],
  '53300': [
    'other',
    'The server has no connection left to give: raise its max_connections, or lower poolSize.',
    'transient',
  ],
  '57P03': ['other', 'The server is starting up or shutting down: try again in a moment.', 'transient'],
  closed: [
    'other',
    'The database accepts no connections for now: try again when it does (ALTER DATABASE … ALLOW_CONNECTIONS true).',
    'transient',
  ],
  '57P01': endedSession,
  '57P02': endedSession,
  '57P05': endedSession,
  '08000': brokenOff,
  '08001': brokenOff,
  '08003': brokenOff,
  '08006': brokenOff,
  '53100': ['other', 'The server has no space left on its disk: make room there.'],
  '53200': ['other', 'The server has no memory left for this statement: try again when it does less.', 'transient'],
  '25P03': ['other', 'The server ended a transaction that was idle for too long: try again.', 'transient'],
}

/** What errors of `pg` and of PostgreSQL mean. */
export const postgresErrors: DriverErrors = {
  server: 'PostgreSQL',
  codes: 'SQLSTATE',
  codeOf(error) {
    const { code, message, severity } = (error ?? {}) as { code?: unknown; message?: unknown; severity?: unknown }
    // any other 55000 is about an object
    if (code === '55000' && severity === 'FATAL') return 'closed'
    if (code === '28000' && /no encryption|SSL off/i.test(String(message))) return 'unencrypted'
    return typeof code === 'string' ? code : undefined
  },
  isServers: (error) => (error as { severity?: unknown }).severity !== undefined,
  known,
  byText,
  missing: new Set(['42P01', '42703']),
  conflicts: new Set(['40P01', '40001']),
  lockTimeouts: new Set(['55P03']),
  stopped: new Set(['57014']),
  forbidden: new Set(['42501']),
  /** Data, integrity and view check rules, exceptions of triggers, and objects that cannot be written in this way. */
  refusals: /^(?:22|23|44|P0)|^(?:0A000|42804|42809|428C9|55000)$/,
  refusingRule,
  raised(error, collection) {
    const { code, message, routine } = error as { code?: unknown; message?: unknown; routine?: unknown }
    if (code === '55000' && routine === 'CheckCmdReplicaIdentity') return unpublishable(collection)
    if (code !== '22P02') return undefined
    if (String(message).includes(changedSince)) return changedSinceFailure(collection)
    return String(message).includes(referencedSince) ? referencedSinceFailure(collection) : undefined
  },
  hidden(error, counted) {
    const { code, routine } = error as { code?: unknown; routine?: unknown }
    if (counted.length === 0 || code !== '42501' || routine !== 'check_enable_rls') return undefined
    const names = [...new Set(counted.map(({ collection }) => `"${collection}"`))].join(' or ')
    const message = `Rows of ${names} cannot be counted: row-level security may hide some of them from the user of the connection. Give it BYPASSRLS.`
    return new PrivacyError('unsupported', message, { feature: 'countEach' }, { cause: error })
  },
}

/** A publication of UPDATE or DELETE has to say of each row which one it is. */
function unpublishable(collection: string): PrivacyError {
  const message = `The server changes no row of "${collection}", because the table has no replica identity and is published for logical replication: give it a primary key, or run ALTER TABLE with REPLICA IDENTITY FULL.`
  return new PrivacyError('unsupported', message, { reason: 'replica_identity' })
}

/** Recognizes errors that the driver makes itself by their text, since they have no code. */
function byText(text: string): KnownFailure | undefined {
  if (/does not support SSL/i.test(text))
    return ['tls', 'The server does not offer encryption: leave ssl out, or switch it on at the server.']
  if (/establishing an SSL connection/i.test(text))
    return ['tls', 'The server did not agree to encryption: check ssl and port.']
  if (/timeout expired/i.test(text))
    return ['timeout', 'The server did not answer in time: check host, port and the firewalls between.', 'transient']
  if (/unknown authentication/i.test(text))
    return [
      'authentication',
      'The server asks for a kind of login that the driver does not know: let it ask for a password.',
    ]
  if (/SASL|password must be/i.test(text))
    return ['authentication', 'The server asks for a password that it can accept: check password.']
  if (/terminated|ended unexpectedly|not queryable/i.test(text)) return brokenOff
  return undefined
}
