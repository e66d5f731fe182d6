import * as z from 'zod'
import type { ConnectionType } from './connection.js'
import { always } from './document.js'

const text = z.string().exactOptional()

const url = z
  .string()
  .regex(/^[a-z][a-z0-9+.-]*:\/\/./i, 'must be a URL such as postgresql://user:password@host:5432/database')
  .exactOptional()

/** A URL of one kind of server. That of another kind would be answered by nobody, or by a server that is not meant. */
function urlOf(example: string, ...schemes: readonly string[]) {
  const pattern = new RegExp(`^(${schemes.join('|')})(\\+[a-z0-9]+)?://.`, 'i')
  return z.string().regex(pattern, `must be a URL such as ${example}://user:password@host/database`).exactOptional()
}

const portMessage = 'must be a port number from 1 to 65535'
const port = z
  .union([z.int(), z.string().regex(/^\d{1,5}$/)], { error: portMessage })
  .transform(Number)
  .refine((number) => number >= 1 && number <= 65_535, portMessage)
  .exactOptional()

const ssl = z
  .union(
    [
      z.boolean(),
      z.strictObject({
        ca: text,
        cert: text,
        key: text,
        reject_unauthorized: z.boolean().exactOptional(),
        server_name: text,
      }),
    ],
    { error: 'must be true, false or an object {ca, cert, key, reject_unauthorized, server_name}' },
  )
  .exactOptional()

const keyfileMessage = 'must be the content of a key file: an object, or its JSON text'
const keyfile = z
  .union([z.string(), z.record(z.string(), z.unknown())], { error: keyfileMessage })
  .transform((value, context): Record<string, unknown> => {
    if (typeof value !== 'string') return value
    try {
      return z.record(z.string(), z.unknown()).parse(JSON.parse(value))
    } catch {
      context.addIssue({ code: 'custom', message: keyfileMessage })
      return z.NEVER
    }
  })
  .exactOptional()

const location = {
  url,
  host: text,
  port,
  user: text,
  username: text,
  password: text,
  database: text,
  dbname: text,
  ssl,
}
const sql = { ...location, db_schema: text }
/** Snowflake is always spoken to with encryption. */
const { ssl: _, ...alwaysEncrypted } = sql
const postgres = { ...sql, url: urlOf('postgresql', 'postgresql', 'postgres') }
const mysql = { ...sql, url: urlOf('mysql', 'mysql', 'mariadb') }
const mssql = { ...sql, url: urlOf('mssql', 'mssql', 'sqlserver') }

const locationAliases = { username: 'user', dbname: 'database' }
const snowflakeAliases = {
  ...locationAliases,
  account_identifier: 'host',
  user_login_name: 'user',
  database_name: 'database',
  schema_name: 'db_schema',
}

/** Other names for members, each with the name under which the member is stored. */
export const secretAliases: Readonly<Partial<Record<ConnectionType, Readonly<Record<string, string>>>>> = {
  postgres: locationAliases,
  timescale: locationAliases,
  redshift: locationAliases,
  mysql: locationAliases,
  mariadb: locationAliases,
  mssql: locationAliases,
  mongodb: locationAliases,
  snowflake: snowflakeAliases,
}

/** The secrets of each listed kind, for reading and for a JSON Schema. */
export const secretSchemas = {
  postgres: aliased('postgres', postgres),
  timescale: aliased('timescale', postgres),
  redshift: aliased('redshift', { ...sql, db_schema: z.string().default('public') }),
  mysql: aliased('mysql', mysql),
  mariadb: aliased('mariadb', mysql),
  mssql: aliased('mssql', mssql),
  mongodb: aliased('mongodb', { ...location, url: urlOf('mongodb', 'mongodb'), defaultauthdb: text }),
  bigquery: aliased('bigquery', { dataset: text, keyfile_creds: keyfile }),
  snowflake: aliased('snowflake', {
    ...alwaysEncrypted,
    account_identifier: text,
    user_login_name: text,
    private_key: text,
    private_key_passphrase: text,
    warehouse_name: text,
    database_name: text,
    schema_name: text,
    role_name: text,
  }),
  manual: aliased('manual', {}),
  manual_webhook: aliased('manual_webhook', {}),
} satisfies Record<ConnectionType, z.ZodType>

/** A strict object that stores each member under one name. It refuses two names with different values. */
function aliased(type: ConnectionType, shape: z.ZodRawShape): z.ZodType<Record<string, unknown>> {
  const aliases = Object.entries(secretAliases[type] ?? {})
  return z
    .strictObject(shape)
    .superRefine((secrets, context) => {
      const seen: Record<string, unknown> = {}
      for (const [name, value] of Object.entries({ ...secrets })) {
        const kept = secretAliases[type]?.[name] ?? name
        if (Object.hasOwn(seen, kept) && seen[kept] !== value) {
          context.addIssue({
            code: 'custom',
            path: [name],
            message: 'is given twice, under two names with different values',
          })
        }
        seen[kept] = value
      }
    }, always)
    .transform((secrets) => {
      const kept: Record<string, unknown> = { ...secrets }
      for (const [alias, name] of aliases) {
        if (kept[alias] !== undefined) kept[name] = kept[alias]
        delete kept[alias]
      }
      return kept
    })
}
