import type * as z from 'zod'
import { isPlainObject } from './clean-input.js'
import type { ConnectionType } from './connection.js'
import { invalidInput, parseInput } from './parse-input.js'
import { secretAliases, secretSchemas } from './secret-schemas.js'

/** The secrets of a database. `url` and the parts may be combined: see `connectionParts`. */
export interface DatabaseSecrets {
  url?: string
  /** The account, for snowflake. */
  host?: string
  port?: number
  user?: string
  password?: string
  database?: string
  db_schema?: string
  /**
   * True: the connection is encrypted and the certificate must verify. An object sets the details. Certificates and
   * keys are PEM text.
   */
  ssl?: boolean | { ca?: string; cert?: string; key?: string; reject_unauthorized?: boolean; server_name?: string }
}

export interface MongodbSecrets extends Omit<DatabaseSecrets, 'db_schema'> {
  /** The database that authenticates the user. */
  defaultauthdb?: string
}

export interface SnowflakeSecrets extends DatabaseSecrets {
  private_key?: string
  private_key_passphrase?: string
  warehouse_name?: string
  role_name?: string
}

export interface BigquerySecrets {
  /** The dataset that contains the tables. */
  dataset?: string
  /** The complete key file of a service account. */
  keyfile_creds?: Record<string, unknown>
}

/** Secrets as they are stored and handed to a connector, under the specification's names. */
export interface SecretsByType {
  postgres: DatabaseSecrets
  timescale: DatabaseSecrets
  redshift: DatabaseSecrets & { db_schema: string }
  mysql: DatabaseSecrets
  mariadb: DatabaseSecrets
  mssql: DatabaseSecrets
  mongodb: MongodbSecrets
  bigquery: BigquerySecrets
  snowflake: SnowflakeSecrets
  manual: Record<never, never>
  manual_webhook: Record<never, never>
}

/** Reads the secrets of a listed kind. It refuses unknown members. No message repeats a refused value. */
export function parseSecrets<Type extends ConnectionType>(connectionType: Type, input: unknown): SecretsByType[Type] {
  if (isPlainObject(input) && 'url' in input && input['url'] === undefined && input['host'] === undefined) {
    const msg = 'is undefined: check that the environment variable is set'
    throw invalidInput('set of secrets', [{ loc: ['url'], msg, type: 'missing' }])
  }
  const schema = secretSchemas[connectionType] as z.ZodType<SecretsByType[Type]>
  return parseInput('set of secrets', schema, input, { readOnly: [] }).value
}

const locationParts = ['host', 'port', 'user', 'password', 'database']

/**
 * Secrets after a change: an omitted member stays, null clears, an object is replaced whole. A new `url` also replaces
 * the parts that it encodes.
 */
export function mergeSecrets<Type extends ConnectionType>(
  connectionType: Type,
  stored: SecretsByType[Type],
  patch: unknown,
): SecretsByType[Type] {
  if (!isPlainObject(patch)) return parseSecrets(connectionType, patch)
  const merged: Record<string, unknown> = { ...stored }
  if (patch.url != null) for (const part of locationParts) delete merged[part]
  for (const name of Object.keys(patch)) delete merged[secretAliases[connectionType]?.[name] ?? name]
  return parseSecrets(connectionType, { ...merged, ...patch })
}

const needed: Readonly<Record<ConnectionType, readonly string[]>> = {
  postgres: ['host'],
  timescale: ['host'],
  redshift: ['host', 'user', 'password'],
  mysql: ['host'],
  mariadb: ['host'],
  mssql: ['host'],
  mongodb: ['host'],
  bigquery: ['dataset', 'keyfile_creds'],
  // a password, a key or a token of the host: the connector says what is missing
  snowflake: ['host', 'user'],
  manual: [],
  manual_webhook: [],
}

/** Names of secrets that a connection test needs and that are missing. Each one fails the test, none is an error. */
export function missingSecrets<Type extends ConnectionType>(
  connectionType: Type,
  secrets: SecretsByType[Type],
): string[] {
  const held = secrets as Readonly<Record<string, unknown>>
  if (held.url) return []
  return needed[connectionType].filter((name) => !held[name])
}

/**
 * Host, port, user, password and database from `url` and the parts together. A given part wins. A URL with several
 * hosts gives no parts: hand it to the driver whole.
 */
export function connectionParts(
  secrets: DatabaseSecrets,
): Pick<DatabaseSecrets, 'host' | 'port' | 'user' | 'password' | 'database'> {
  const { host, port, user, password, database } = { ...partsOf(secrets.url), ...secrets }
  const parts = { host, port, user, password, database }
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined && value !== ''))
}

function partsOf(text: string | undefined): DatabaseSecrets {
  if (!text || !URL.canParse(text)) return {}
  const { hostname, port, username, password, pathname } = new URL(text)
  return {
    host: decode(hostname.replace(/^\[(.*)\]$/, '$1')),
    ...(port && { port: Number(port) }),
    user: decode(username),
    password: decode(password),
    database: decode(pathname.replace(/^\//, '')),
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
