import { createPrivateKey } from 'node:crypto'
import { connectionParts, type DatabaseSecrets } from '@habeas/core'
import { failure } from '@habeas/sql'

/** The secrets of a connection to Snowflake. */
export interface SnowflakeSecrets extends DatabaseSecrets {
  readonly private_key?: string
  readonly private_key_passphrase?: string
  readonly warehouse_name?: string
  readonly role_name?: string
}

/** Where the account is and what a session uses there, taken from the secrets. Never logged, never part of a message. */
export interface ClientSettings {
  /** Empty where the secrets do not say which account is meant. */
  readonly account: string
  readonly accessUrl: string
  readonly user: string
  readonly password: string
  readonly privateKey?: string
  readonly privateKeyPassphrase?: string
  readonly database: string
  readonly schema: string
  readonly warehouse?: string
  readonly role?: string
}

export function clientSettings(secrets: SnowflakeSecrets): ClientSettings {
  const { host = '', port, user = '', password = '', database = '' } = connectionParts(secrets)
  const query = secrets.url && URL.canParse(secrets.url) ? new URL(secrets.url).searchParams : new URLSearchParams()
  const [inPath, schemaInPath] = database.split('/', 2)
  const schema = secrets.db_schema ?? schemaInPath ?? 'PUBLIC'
  const warehouse = secrets.warehouse_name ?? query.get('warehouse') ?? undefined
  const role = secrets.role_name ?? query.get('role') ?? undefined
  return {
    account: accountOf(host),
    accessUrl: accessUrlOf(host, port, secrets.url),
    user,
    password,
    ...(secrets.private_key && { privateKey: secrets.private_key }),
    ...(secrets.private_key_passphrase && { privateKeyPassphrase: secrets.private_key_passphrase }),
    database: stored(inPath ?? ''),
    schema: stored(schema),
    ...(warehouse && { warehouse }),
    ...(role && { role }),
  }
}

/** A name as the server stores it: folded to upper case where it could stand without quotes and has no capital. */
export function stored(name: string): string {
  const quoted = /^"(.*)"$/s.exec(name)?.[1]
  if (quoted !== undefined) return quoted.replaceAll('""', '"')
  return /^[a-z_][a-z0-9_$]*$/.test(name) ? name.toUpperCase() : name
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

const domain = /\.snowflakecomputing\.(?:com|cn)$/i

/** `xy12345.eu-central-1`, `organization-account`, or the whole host name. */
function accountOf(host: string): string {
  return host.replace(domain, '')
}

function accessUrlOf(host: string, port: number | undefined, url: string | undefined): string {
  const isAddress = port !== undefined || /^\d+(?:\.\d+){3}$|:/.test(host) || host === 'localhost'
  const isHost = domain.test(host)
  // without encryption only a server on this machine is spoken to
  const isPlain = /^http:/i.test(url ?? '') && /^(?:127\.\d+\.\d+\.\d+|localhost|::1)$/.test(host)
  const name = isAddress || isHost ? host : `${host}.snowflakecomputing.com`
  const bracketed = name.includes(':') ? `[${name}]` : name
  return `${isPlain ? 'http' : 'https'}://${bracketed}${port === undefined ? '' : `:${port}`}`
}

/** The key as the driver takes it: PKCS #8 without a passphrase. */
export function readPrivateKey(key: string, passphrase: string | undefined): string {
  try {
    const read = createPrivateKey({ key, format: 'pem', ...(passphrase !== undefined && { passphrase }) })
    return read.export({ type: 'pkcs8', format: 'pem' }).toString()
  } catch {
    // the error of the library is left out: it may show parts of the key
    const message = passphrase
      ? 'private_key could not be read with private_key_passphrase: check both.'
      : 'private_key could not be read: give it as PEM text, with private_key_passphrase where it is encrypted.'
    throw failure('authentication', message)
  }
}
