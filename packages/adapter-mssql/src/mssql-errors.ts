import { type DriverErrors, type KnownFailure, referencedSinceFailure } from '@habeas/sql'
import { innerCode, mainError } from './main-error.js'
import { refusingRule } from './refusing-rule.js'
import { referencedSince } from './same-references.js'

const password = 'The server did not accept the user and password: check both.'
const locked = 'The login is locked or disabled, or its password has expired: an administrator has to change that.'
const full = 'The server takes no more connections or statements just now: lower poolSize, or try again later.'
const readOnly = 'The database takes no writes: give the connection the primary, or set its access to read.'
const broken = 'The connection to the database broke off: try again.'
const starting = 'The database is not available just now: try again when it is up.'
const snapshot =
  'The server refused a statement because of the isolation of its transaction: allow snapshot isolation, or move the table off memory-optimized storage.'
const noRoom = 'The server has no room left for what it has to keep until the transaction ends: make room on its disk.'

/** By error number of the server, or by code of the driver. */
const known: Readonly<Record<string, KnownFailure>> = {
  '18456': ['authentication', password],
  '18452': ['authentication', 'The server takes no logins by password: switch on SQL Server authentication.'],
  '18486': ['authentication', locked],
  '18470': ['authentication', locked],
  '18487': ['authentication', locked],
  '18488': ['authentication', locked],
  '40615': ['authentication', 'The firewall of the server takes no connection from this machine: let it in.'],
  '4060': ['database_missing', 'The server has no such database, or the user may not open it: check database.'],
  '911': ['database_missing', 'The server has no such database: check database.'],
  '916': ['permission', 'The user of the connection may not use the database: make a user for the login in it.'],
  '17809': ['other', full, 'transient'],
  '10928': ['other', full, 'transient'],
  '10929': ['other', full, 'transient'],
  '3906': ['permission', readOnly],
  '3908': ['permission', readOnly],
  '978': ['permission', readOnly],
  '40613': ['other', starting, 'transient'],
  '40197': ['other', starting, 'transient'],
  '40501': ['other', full, 'transient'],
  '49918': ['other', full, 'transient'],
  '49919': ['other', full, 'transient'],
  '49920': ['other', full, 'transient'],
  '701': ['other', full, 'transient'],
  '8645': ['other', full, 'transient'],
  '18401': ['other', starting, 'transient'],
  '6005': ['other', starting, 'transient'],
  '3952': ['other', snapshot],
  '41333': ['other', snapshot],
  '1105': ['other', noRoom],
  '9002': ['other', noRoom],
  '596': ['other', broken, 'transient'],
  ECLOSE: ['other', broken, 'transient'],
  ESOCKET: ['other', broken, 'transient'],
  ETIMEOUT: ['timeout', 'The server did not answer in time: check host, port and the firewalls between.', 'transient'],
  EENCRYPT: ['tls', 'The server takes encrypted connections alone: set ssl.'],
  EUNENCRYPTED: ['tls', 'The server does not offer encryption: switch it on at the server, or leave ssl out.'],
}

/** What the numbers of the server mean. */
export const mssqlErrors: DriverErrors = {
  server: 'SQL Server',
  codes: 'error',
  codeOf(error) {
    const main = mainError(error)
    const { number, code } = main
    if (number !== undefined && number > 0) return number >= 50_000 ? 'raised' : String(number)
    return code === 'ESOCKET' ? innerCode(main) : code
  },
  isServers: (error) => (mainError(error).number ?? 0) > 0,
  known,
  byText: (text) =>
    /certificate|self.signed|altnames/i.test(text)
      ? [
          'tls',
          'The certificate of the server could not be verified: give that of its authority as ssl.ca, or the name it was made out to as ssl.server_name.',
        ]
      : /socket hang up|ECONNRESET/i.test(text)
        ? ['other', broken, 'transient']
        : undefined,
  missing: new Set(['208', '207']),
  // those after the first one: a row was changed since it was read
  conflicts: new Set(['1205', '3960', '41302', '41305', '41325']),
  lockTimeouts: new Set(['1222']),
  stopped: new Set(['ECANCEL', '3617']),
  forbidden: new Set(['229', '230', '262', '297', '300', '6102']),
  refusals:
    /^(?:raised|206|220|232|241|242|244|245|248|257|260|271|272|273|295|512|515|517|547|550|2601|2627|2628|4405|4406|4417|8101|8102|8114|8115|8152|8169|13535|13537|13559|13575|13609|33504|33505|37359)$/,
  refusingRule,
  raised: (error, collection) => {
    const { number, message } = mainError(Object(error)) as { number?: number; message?: string }
    return number === 245 && message?.includes(referencedSince) ? referencedSinceFailure(collection) : undefined
  },
}
