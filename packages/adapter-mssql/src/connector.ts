import { type Connector, defineConnector, parseSecrets } from '@habeas/core'
import { checkedOptions, createSqlConnection } from '@habeas/sql'
import { clientSettings } from './client-settings.js'
import type { MssqlConnectorOptions } from './connector-options.js'
import { mssqlDialect } from './dialect.js'
import { liveCatalogue } from './live-catalogue.js'
import { mssqlErrors } from './mssql-errors.js'
import { namedLocks } from './named-locks.js'
import { openSession } from './open-session.js'

/**
 * Where rows that refer to others are counted, nobody may add one before the batch has taken effect. Serializable transactions lock
 * what they read, rows that are not there among them, and read what is committed.
 */
const transactions = {
  begin: ['set transaction isolation level read committed', 'begin transaction'],
  beginReadCommitted: ['set transaction isolation level serializable', 'begin transaction'],
  checkRules: [],
}

/** Reads and erases in SQL Server 2017 and later. Throws `misconfigured` when an option is out of range. */
export function mssqlConnector(options: MssqlConnectorOptions = {}): Connector<'mssql'> {
  const settings = checkedOptions('mssqlConnector', options)
  return defineConnector({
    type: 'mssql',
    category: 'database',
    capabilities: {
      // from 5,000 locks on the server locks the whole table instead
      ...{ maxKeys: 10_000, nestedFields: false, maxErased: 1_000 },
      ...{ transactions: true, rowLocks: true, enforcedKeys: true, fencing: true },
    },
    secrets: { parse: (input) => parseSecrets('mssql', input) },
    async connect(secrets) {
      const login = clientSettings(secrets)
      return createSqlConnection({
        driver: { open: () => openSession(login, settings) },
        dialect: mssqlDialect,
        catalogue: liveCatalogue(login.schema),
        errors: mssqlErrors,
        transactions,
        fencing: namedLocks,
        schema: login.schema,
        poolSize: settings.poolSize,
        idleMs: settings.idleTimeoutSeconds * 1_000,
        statementTimeoutMs: settings.statementTimeoutSeconds * 1_000,
        lockTimeoutMs: settings.lockTimeoutSeconds * 1_000,
      })
    },
  })
}
