import { connectionParts, type DatabaseSecrets } from '@habeas/core'
import type { MongoClientOptions } from 'mongodb'
import { failure } from './connection-failure.js'

/** The secrets of a connection, as `parseSecrets` gives them. */
export interface MongodbSecrets extends Omit<DatabaseSecrets, 'db_schema'> {
  readonly defaultauthdb?: string
}

/** Where the server is and how to log in. Never logged, never part of a message. */
export interface ClientSettings {
  readonly address: string
  readonly options: MongoClientOptions
  readonly database: string
}

/** The address and options for the driver. Throws `connection_failed` where the secrets name no host or database. */
export function clientSettings(secrets: MongodbSecrets): ClientSettings {
  const { url, defaultauthdb, ssl } = secrets
  const address = url === undefined ? addressOf(connectionParts(secrets)) : withParts(url, secrets)
  const database = secrets.database ?? databaseIn(address) ?? defaultauthdb
  if (!database) {
    throw failure(
      'missing_secret',
      'The secrets of the connection name no database: add database, or end url with it, as in mongodb://host:27017/shop.',
    )
  }
  const login = loginIn(address)
  if (/[\0/\\. "$]/.test(database)) {
    throw failure(
      'missing_secret',
      'The name of the database holds characters that MongoDB takes for something else, such as a dot, a dollar or a slash: correct database, or what follows the host in url. Characters such as @, :, / and % of a user name or password are percent-encoded there.',
    )
  }
  const [username, password] = [secrets.user ?? login.user, secrets.password ?? login.password]
  if (password && !username) {
    throw failure(
      'missing_secret',
      'The secrets of the connection hold a password and no user, which opens nothing: add username, or leave password out.',
    )
  }
  if (username && !password && !/[?&]authMechanism=/i.test(address)) {
    throw failure(
      'missing_secret',
      'The secrets of the connection hold a user and no password: set password, and the environment variable that it is taken from, or name an authMechanism in url that needs none.',
    )
  }
  const auth = username ? { username, ...(password !== undefined && { password }) } : undefined
  return {
    address: withoutOwn(address),
    database,
    options: {
      ...(auth && { auth }),
      ...(defaultauthdb !== undefined && defaultauthdb !== '' && { authSource: defaultauthdb }),
      ...tlsOptions(ssl),
    },
  }
}

/** A host that is nothing but one: what follows it would be read as parameters, which may switch checks off. */
function checkHost(host: string): void {
  if (/^[^:]+:\d+$/.test(host))
    throw failure('missing_secret', 'The host of the connection holds a port: give it as port, or all of it as url.')
  if (!/[\s/\\?#@&=]/.test(host)) return
  throw failure(
    'missing_secret',
    'The host of the connection holds characters that no host name has: give a name or an address alone, and all else as url.',
  )
}

function addressOf({ host, port = 27_017 }: ReturnType<typeof connectionParts>): string {
  if (!host) {
    throw failure(
      'missing_secret',
      'The secrets of the connection lack host: add it, or a url as in mongodb://host:27017/shop.',
    )
  }
  checkHost(host)
  const name = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
  return `mongodb://${name}:${port}/`
}

/** The URL, with a host and port that stand beside it. The driver reads several hosts and `mongodb+srv` itself. */
function withParts(url: string, { host, port }: MongodbSecrets): string {
  const match = /^(mongodb(?:\+srv)?:\/\/)((?:[^@/]*@)?)([^/?]*)(.*)$/s.exec(url)
  if (!match || (match[3] === '' && !host)) {
    throw failure(
      'missing_secret',
      'The url of the connection names no MongoDB server: give one, as in mongodb://host:27017/shop.',
    )
  }
  const [, scheme = '', login, hosts = '', rest = ''] = match
  if (scheme.includes('+srv') && (port !== undefined || /:\d+$/.test(hosts))) {
    throw failure(
      'missing_secret',
      'A url with mongodb+srv takes no port, since the name server gives the ports: leave it out, or give a url with mongodb.',
    )
  }
  if (host === undefined && port === undefined) return url
  if (hosts.includes(',')) {
    throw failure(
      'missing_secret',
      'The url of the connection names several hosts, and host or port stands beside it: name all of them in url alone.',
    )
  }
  if (host !== undefined) checkHost(host)
  const name = host || hosts.replace(/:\d+$/, '')
  const number = port ?? /:(\d+)$/.exec(hosts)?.[1]
  return `${scheme}${login}${name}${number === undefined ? '' : `:${number}`}${rest}`
}

/** Parameters of a URL that would change where is read, when a write counts, or how BSON is read. The connector decides these. */
const own = new Set([
  ...['readpreference', 'readpreferencetags', 'maxstalenessseconds', 'readconcernlevel'],
  ...['w', 'wtimeout', 'wtimeoutms', 'j', 'journal', 'fsync', 'minpoolsize'],
  ...['raw', 'promotevalues', 'promotelongs', 'promotebuffers', 'usebigint64', 'bsonregexp', 'ignoreundefined'],
])

function withoutOwn(address: string): string {
  const [start = '', query] = address.split(/\?(.*)/s)
  const others = query?.split('&').filter((parameter) => !own.has(parameter.replace(/=.*/s, '').toLowerCase())) ?? []
  return others.length > 0 ? `${start}?${others.join('&')}` : start
}

function databaseIn(address: string): string | undefined {
  const name = /^[^:]+:\/\/(?:[^@/]*@)?[^/?]*\/([^?]+)/.exec(address)?.[1]
  return name === undefined ? undefined : decoded(name)
}

function loginIn(address: string): { user?: string; password?: string } {
  const [, user, password] = /^[^:]+:\/\/([^:@/]*)(?::([^@/]*))?@/.exec(address) ?? []
  return {
    ...(user !== undefined && { user: decoded(user) }),
    ...(password !== undefined && { password: decoded(password) }),
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function tlsOptions(ssl: DatabaseSecrets['ssl']): MongoClientOptions {
  if (ssl === undefined) return {}
  if (typeof ssl === 'boolean') return { tls: ssl }
  const { ca, cert, key, reject_unauthorized, server_name } = ssl
  return {
    tls: true,
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(reject_unauthorized === undefined ? {} : { rejectUnauthorized: reject_unauthorized }),
    ...(server_name === undefined ? {} : { servername: server_name }),
  }
}
