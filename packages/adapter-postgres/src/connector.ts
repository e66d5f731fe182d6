import { type Connector, defineConnector, parseSecrets } from '@habeas/core'
import { checkedOptions, createSqlConnection, missingHostFailure, type SqlConnectorOptions } from '@habeas/sql'
import { advisoryLocks, transactionWords } from './advisory-locks.js'
import { postgresQueries, timescaleQueries } from './catalogue-query.js'
import { clientSettings } from './client-settings.js'
import { postgresDialect } from './dialect.js'
import { keptRows } from './kept-rows.js'
import { liveCatalogue } from './live-catalogue.js'
import { openClient } from './open-client.js'
import { postgresErrors } from './postgres-errors.js'
import { sessionOf } from './session.js'
import { refuseOthers, timescaleDialect, timescaleKeptRows } from './timescale.js'

export interface PostgresConnectorOptions extends SqlConnectorOptions {
  /** Shown in `pg_stat_activity`. `habeas` by default. */
  readonly applicationName?: string
}

/** Reads and erases in PostgreSQL 12 and later. Throws `misconfigured` when an option is out of range. */
export function postgresConnector(options: PostgresConnectorOptions = {}): Connector<'postgres'> {
  return connectorOf('postgres', 'postgresConnector', options)
}

/**
 * Reads and erases in PostgreSQL with TimescaleDB 2. A hypertable is one collection. Throws `misconfigured` when an option is out
 * of range.
 */
export function timescaleConnector(options: PostgresConnectorOptions = {}): Connector<'timescale'> {
  return connectorOf('timescale', 'timescaleConnector', options)
}

type Kind = 'postgres' | 'timescale'

function connectorOf<Type extends Kind>(type: Type, name: string, options: PostgresConnectorOptions) {
  const settings = checkedOptions(name, options)
  return defineConnector({
    type,
    category: 'database',
    // more keys at once take more memory and are no faster, unless each statement has to scan the whole table
    capabilities: {
      maxKeys: 30_000,
      maxKeysWithoutIndex: 1_000_000,
      nestedFields: true,
      // larger batches take more memory; each statement on a hypertable looks into all of its chunks
      maxErased: type === 'timescale' ? 10_000 : 5_000,
      transactions: true,
      rowLocks: true,
      enforcedKeys: true,
      fencing: true,
    },
    secrets: { parse: (input) => parseSecrets<Kind>(type, input) },
    async connect(secrets) {
      const login = clientSettings(secrets)
      const timescale = type === 'timescale'
      return createSqlConnection({
        driver: {
          async open() {
            if (!login.host) {
              throw missingHostFailure(secrets.url !== undefined, 'postgresql://user@host:5432/database')
            }
            const { applicationName, connectTimeoutSeconds } = settings
            const connectTimeoutMs = connectTimeoutSeconds * 1000
            const prepare = timescale ? refuseOthers : undefined
            return sessionOf(await openClient(login, { applicationName, connectTimeoutMs, prepare }), login)
          },
        },
        dialect: timescale ? timescaleDialect : postgresDialect,
        catalogue: timescale
          ? liveCatalogue(login.schema, timescaleQueries, timescaleKeptRows)
          : liveCatalogue(login.schema, postgresQueries, keptRows),
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
