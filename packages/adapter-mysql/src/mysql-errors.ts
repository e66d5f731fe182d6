import { type DriverErrors, type KnownFailure, referencedSinceFailure } from '@habeas/sql'
import type { QueryError } from 'mysql2'
import { refusingRule } from './refusing-rule.js'

// a server that takes encrypted connections alone says the same of others
const password =
  'The server did not accept the user and password: check both, and set ssl where it asks for encrypted connections.'
const locked = 'The account is locked, or its password has expired: an administrator has to change that.'
const full = 'The server takes no more connections just now: lower poolSize, or raise max_connections.'
const readOnly = 'The server takes no writes: give the connection the primary, or set its access to read.'
const broken = 'The connection to the database broke off: try again.'

/** By error number of the server, or by code of the driver. */
const known: Readonly<Record<string, KnownFailure>> = {
  '1040': ['other', full, 'transient'],
  '1044': ['permission', 'The user of the connection may not use the database: grant it.'],
  '1045': ['authentication', password],
  '1047': ['other', 'The node of the cluster takes no statements just now: try again when it is in step.', 'transient'],
  '1049': ['database_missing', 'The server has no such database: check database.'],
  '1053': ['other', 'The server is being shut down: try again when it is up.', 'transient'],
  '1130': ['authentication', 'The server takes no connection from this machine: grant the user this host.'],
  '1203': ['other', full, 'transient'],
  '1226': ['other', full, 'transient'],
  '1242': [
    'other',
    'A foreign key refers to columns that are not unique, and several rows there are equal to one that refers: make these columns a unique key, or drop the foreign key.',
  ],
  '1290': ['permission', readOnly],
  '1665': [
    'other',
    'The server keeps its log of statements as text, and cannot write what was read meanwhile: set binlog_format to ROW or MIXED.',
  ],
  '1698': ['authentication', password],
  '1792': ['permission', readOnly],
  '1820': ['authentication', locked],
  '1836': ['permission', readOnly],
  '1862': ['authentication', locked],
  '3118': ['authentication', locked],
  '3159': ['tls', 'The server takes encrypted connections alone: set ssl.'],
  '4151': ['authentication', locked],
  HANDSHAKE_NO_SSL_SUPPORT: [
    'tls',
    'The server has no encrypted connections: give it a certificate, or leave ssl out where the network is your own.',
  ],
  HANDSHAKE_SSL_ERROR: ['tls', 'No encrypted connection could be agreed on: check ssl.'],
  PROTOCOL_CONNECTION_LOST: ['other', broken, 'transient'],
}

/** The driver gives every error of TLS one code. An alert is what the server says of a certificate of this side. */
function isUntrusted({ code, message }: QueryError): boolean {
  return code === 'HANDSHAKE_SSL_ERROR' && /certificate/i.test(message) && !/alert/i.test(message)
}

/** What the numbers of the server mean. MySQL and MariaDB share most of them. */
export const mysqlErrors: DriverErrors = {
  server: 'MySQL or MariaDB',
  codes: 'error',
  codeOf(error: QueryError) {
    if (error.sqlState === '45000') return '1644'
    if (error.errno !== undefined && error.errno > 0 && error.sqlState !== undefined) return String(error.errno)
    if (isUntrusted(error)) return 'ERR_TLS_CERT_UNTRUSTED'
    // a statement that is sent after the connection broke off gets no code
    return error.code ?? (error.fatal ? 'PROTOCOL_CONNECTION_LOST' : undefined)
  },
  isServers: ({ sqlState }: QueryError) => sqlState !== undefined,
  known,
  byText: (text) =>
    /plugin/i.test(text) && /auth/i.test(text)
      ? ['authentication', 'The user logs in by a method that the driver does not know: give it a password.']
      : undefined,
  missing: new Set(['1146', '1054']),
  // the second one: a row was changed since a snapshot of MariaDB; the third one: another member of a group was first at COMMIT
  conflicts: new Set(['1213', '1020', '3101']),
  lockTimeouts: new Set(['1205', '3572']),
  stopped: new Set(['1317', '3024', '1969', '1927']),
  forbidden: new Set(['1142', '1143', '1227', '1095', '1370']),
  refusals:
    /^(?:1031|1036|1048|1062|1264|1265|1288|1292|1348|1364|1366|1369|1395|1406|1442|1451|1452|1471|1526|1644|1690|1748|1761|1906|1977|3105|3140|3819|3988|4025|4135)$/,
  refusingRule,
  raised: (error, collection) =>
    (error as QueryError).errno === 1242 ? referencedSinceFailure(collection) : undefined,
}
