import { type Connector, defineConnector, parseSecrets } from '@habeas/core'
import { checkedOptions, createSqlConnection, missingHostFailure, type SqlConnectorOptions } from '@habeas/sql'
import { advisoryLocks, transactionWords } from './advisory-locks.js'
import { clientSettings } from './client-settings.js'
import { postgresDialect } from './dialect.js'
import { liveCatalogue } from './live-catalogue.js'
import { openClient } from './open-client.js'
import { postgresErrors } from './postgres-errors.js'
import { sessionOf } from './session.js'

export interface PostgresConnectorOptions extends SqlConnectorOptions {
  /** Shown in `pg_stat_activity`. `habeas` by default. */
  readonly applicationName?: string
}

/** Reads and erases in PostgreSQL 12 and later. Throws `misconfigured` when an option is out of range. */
export function postgresConnector(options: PostgresConnectorOptions = {}): Connector<'postgres'> {
  const settings = checkedOptions('postgresConnector', options)
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
