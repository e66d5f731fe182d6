import { type Connector, defineConnector, PrivacyError, parseSecrets } from '@habeas/core'
import { createSqlConnection, missingHostFailure } from '@habeas/sql'
import { advisoryLocks, transactionWords } from './advisory-locks.js'
import { clientSettings } from './client-settings.js'
import { postgresDialect } from './dialect.js'
import { liveCatalogue } from './live-catalogue.js'
import { openClient } from './open-client.js'
import { postgresErrors } from './postgres-errors.js'
import { sessionOf } from './session.js'

/** Durations and sizes of a connection; the defaults suit a server in the same network. */
export interface PostgresConnectorOptions {
  /** Most sockets per connection, and so most statements at once. 4 by default. */
  readonly poolSize?: number
  /** How long a socket may stay open unused. 30 by default. */
  readonly idleTimeoutSeconds?: number
  /** How long connecting and logging in may take. 10 by default. */
  readonly connectTimeoutSeconds?: number
  /** How long the server may send nothing. 300 by default. A read that goes on sending may take as long as it needs. */
  readonly statementTimeoutSeconds?: number
  /** How long a write waits for locks of other transactions. 30 by default. */
  readonly lockTimeoutSeconds?: number
  /** How long a transaction of a worker that stopped answering may hold its locks. 60 by default. */
  readonly abandonedTransactionSeconds?: number
  /** Shown in `pg_stat_activity`. `habeas` by default. */
  readonly applicationName?: string
}

const defaults = {
  poolSize: 4,
  idleTimeoutSeconds: 30,
  connectTimeoutSeconds: 10,
  statementTimeoutSeconds: 300,
  lockTimeoutSeconds: 30,
  abandonedTransactionSeconds: 60,
  applicationName: 'habeas',
} satisfies Required<PostgresConnectorOptions>

/** Reads and erases in PostgreSQL 12 and later. Throws `misconfigured` when an option is out of range. */
export function postgresConnector(options: PostgresConnectorOptions = {}): Connector<'postgres'> {
  const settings = checked(options)
  return defineConnector({
    type: 'postgres',
    category: 'database',
    // more keys at once take more memory and are no faster, unless each statement has to scan the whole table
    capabilities: {
      maxKeys: 30_000,
      maxKeysWithoutIndex: 1_000_000,
      nestedFields: true,
      maxErased: 10_000,
      transactions: true,
      rowLocks: true,
      enforcedKeys: true,
      fencing: true,
    },
    secrets: { parse: (input) => parseSecrets('postgres', input) },
    async connect(secrets) {
      const login = clientSettings(secrets)
      return createSqlConnection({
        driver: {
          async open() {
            if (!login.host) {
              throw missingHostFailure(secrets.url !== undefined, 'postgresql://user@host:5432/database')
            }
            const { applicationName, connectTimeoutSeconds } = settings
            const connectTimeoutMs = connectTimeoutSeconds * 1000
            return sessionOf(await openClient(login, { applicationName, connectTimeoutMs }), login)
          },
        },
        dialect: postgresDialect,
        catalogue: liveCatalogue(login.schema),
        errors: postgresErrors,
        transactions: transactionWords(settings),
        fencing: advisoryLocks,
        schema: login.schema,
        poolSize: settings.poolSize,
        idleMs: settings.idleTimeoutSeconds * 1000,
        statementTimeoutMs: settings.statementTimeoutSeconds * 1000,
        lockTimeoutMs: settings.lockTimeoutSeconds * 1000,
      })
    },
  })
}

function checked(options: PostgresConnectorOptions): Required<PostgresConnectorOptions> {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    const message = `The options of postgresConnector must be an object: it has ${Object.keys(defaults).join(', ')}.`
    throw new PrivacyError('misconfigured', message, { option: 'options' })
  }
  const merged = { ...defaults, ...options }
  for (const option of Object.keys(options)) {
    if (option in defaults) continue
    throw new PrivacyError(
      'misconfigured',
      `postgresConnector has no option ${option}: it has ${Object.keys(defaults).join(', ')}.`,
      { option },
    )
  }
  for (const [option, value] of Object.entries(merged)) {
    const allowed =
      option === 'applicationName'
        ? typeof value === 'string'
        : option === 'poolSize'
          ? isCount(value)
          : isDuration(value)
    if (allowed) continue
    const range =
      option === 'poolSize'
        ? 'a whole number from 1 to 100'
        : option === 'applicationName'
          ? 'text'
          : 'a number from 0.01 to 2000000'
    throw new PrivacyError('misconfigured', `The option ${option} of postgresConnector must be ${range}.`, { option })
  }
  return merged
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 100
}

function isDuration(value: unknown): boolean {
  return typeof value === 'number' && value >= 0.01 && value <= 2_000_000
}
