import {
  MongoNetworkError,
  MongoNotConnectedError,
  MongoServerClosedError,
  MongoServerError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
} from 'mongodb'
import type { FailureReason } from './connection-failure.js'

export type Known = readonly [reason: FailureReason, sentence: string, transient?: 'transient']

/** Options of a connection by which the driver passes over a server that answers otherwise, without a word. */
export type GivenOption = 'replicaSet' | 'tls'

export const refusedLogin: Known = [
  'authentication',
  'The server did not accept the user and password: check both, and defaultauthdb, the database that knows the user.',
]

const brokenOff: Known = [
  'other',
  'The connection to the database broke off: try again. Where the server demands encryption, set ssl to true.',
  'transient',
]

const refusedTls: Known = [
  'tls',
  'The server broke the connection off, which is encrypted as ssl (tls in url) says: leave it out where the server speaks no TLS, or try again.',
  'transient',
]

const network: readonly (readonly [pattern: RegExp, known: Known])[] = [
  [
    /ENOTFOUND|ENODATA/,
    ['name_not_resolved', 'The host name of the database could not be resolved: check host for typing errors.'],
  ],
  [
    /EAI_AGAIN|ETIMEOUT/,
    [
      'name_not_resolved',
      'The host name of the database could not be resolved just now: check host and the name server.',
      'transient',
    ],
  ],
  [
    /ECONNREFUSED/,
    ['refused', 'Nothing listens at the given host and port: check port, and that the server is running.', 'transient'],
  ],
  [
    /CERT|certificate|SELF_SIGNED|self-signed|ALTNAME/i,
    [
      'tls',
      'The certificate of the server could not be verified: give the certificate of its authority as ssl.ca, or the name it was made out to as ssl.server_name.',
    ],
  ],
  [
    /ERR_SSL|ERR_TLS|EPROTO|ERR_OSSL|SSL routines/,
    ['tls', 'No encrypted connection could be agreed on: check ssl, and the certificate and key in it.'],
  ],
  [/Authentication failed|auth(?:entication)? error|SCRAM/i, refusedLogin],
  [/ECONNRESET|EPIPE|connection \d+ to .* closed/i, brokenOff],
]

/** What the driver makes of a server that it does not reach. The last three are for the calls that waited for another one to connect. */
const away = [
  MongoServerSelectionError,
  MongoNetworkError,
  MongoTopologyClosedError,
  MongoServerClosedError,
  MongoNotConnectedError,
]

const doubts: Readonly<Record<GivenOption, string>> = {
  replicaSet: 'replicaSet in url names another set than the one of the server, or the server is in none',
  tls: 'ssl (tls in url) asks for encryption and the server speaks no TLS',
}

function unreachable(given: readonly GivenOption[]): Known {
  const sentence = 'The server could not be reached in time: check host, port and the firewalls between'
  const also = ['another server than MongoDB listens there', ...given.map((option) => doubts[option])]
  return ['timeout', `${sentence}, and whether ${also.join(', and whether ')}.`, 'transient']
}

/** What a failure that did not come from the server says. Undefined where nothing is known of it. */
export function networkFailure(error: unknown, given: readonly GivenOption[]): Known | undefined {
  if (error instanceof MongoServerError) return undefined
  const text = textOf(error)
  const found = network.find(([pattern]) => pattern.test(text))?.[1]
  if (found === brokenOff && given.includes('tls')) return refusedTls
  if (found) return found
  const isAway = away.some((kind) => error instanceof kind)
  return isAway || /timed out|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH/.test(text) ? unreachable(given) : undefined
}

/** Whether the driver, or what it was told to be, says that it found no server to ask. */
export function foundNoServer(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > 5) return false
  return error instanceof MongoServerSelectionError || foundNoServer(error.cause, depth + 1)
}

/** The messages and codes of an error and its causes. */
function textOf(error: unknown, depth = 0): string {
  if (!(error instanceof Error) || depth > 5) return ''
  const { servers } = ((error as { reason?: { servers?: Map<string, { error?: unknown }> } }).reason ?? {}) as {
    servers?: Map<string, { error?: unknown }>
  }
  const inner = [error.cause, ...[...(servers?.values() ?? [])].map((server) => server.error)]
  return [(error as { code?: unknown }).code, error.message, ...inner.map((each) => textOf(each, depth + 1))].join(' ')
}
