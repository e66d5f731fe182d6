import { type Connector, defineConnector, parseSecrets } from '@habeas/core'
import { checkedOptions, createSqlConnection, missingHostFailure } from '@habeas/sql'
import { clientSettings } from './client-settings.js'
import type { PostgresConnectorOptions } from './connector.js'
import { openClient } from './open-client.js'
import { redshiftCatalogue } from './redshift/redshift-catalogue.js'
import { redshiftDialect } from './redshift/redshift-dialect.js'
import { redshiftErrors } from './redshift/redshift-errors.js'
import { wholeDocuments } from './redshift/whole-documents.js'
import { sessionOf } from './session.js'

/** Values read the same on every cluster, names keep their letters, and a portal may wait for its reader. */
const sessionSettings = (schema: string) => [
  `DateStyle = 'ISO, YMD'`,
  `TimeZone = 'UTC'`,
  'extra_float_digits = 2',
  'statement_timeout = 0',
  'enable_case_sensitive_identifier = true',
  `search_path = "${schema.replaceAll('"', '""')}"`,
]

const plain = (sql: string) => ({ sql, parameters: [] })

/** Reads and erases in Amazon Redshift. Throws `misconfigured` when an option is out of range. */
export function redshiftConnector(options: PostgresConnectorOptions = {}): Connector<'redshift'> {
  const settings = checkedOptions('redshiftConnector', options)
  return defineConnector({
    type: 'redshift',
    category: 'database',
    capabilities: {
      // each key is a parameter, twice for a text, and a tuple once more; a statement takes 32,767 of them
      ...{ maxKeys: 1_000, nestedFields: false, maxErased: 500 },
      // no key is enforced, no row is locked, and there are no locks by name
      ...{ transactions: true, rowLocks: false, enforcedKeys: false, fencing: false },
    },
    secrets: { parse: (input) => parseSecrets('redshift', input) },
    async connect(secrets) {
      const login = clientSettings(secrets, { port: 5439 })
      const connection = createSqlConnection({
        driver: {
          async open() {
            if (!login.host) {
              throw missingHostFailure(secrets.url !== undefined, 'redshift://user@cluster:5439/database')
            }
            const { applicationName, connectTimeoutSeconds } = settings
            const connectTimeoutMs = connectTimeoutSeconds * 1000
            const client = await openClient(login, {
              applicationName,
              connectTimeoutMs,
              settings: sessionSettings(login.schema),
            })
            return sessionOf(client, login)
          },
        },
        dialect: redshiftDialect,
        catalogue: redshiftCatalogue(login.schema),
        errors: redshiftErrors,
        // a database has one isolation level for all
        transactions: { begin: ['begin'], beginReadCommitted: ['begin'], checkRules: [] },
        timeLimit: {
          set: (milliseconds) =>
            plain(`set statement_timeout = ${Math.max(1, Math.min(Math.floor(milliseconds), 2_147_483_647))}`),
          lift: plain('set statement_timeout = 0'),
        },
        schema: login.schema,
        poolSize: settings.poolSize,
        idleMs: settings.idleTimeoutSeconds * 1000,
        statementTimeoutMs: settings.statementTimeoutSeconds * 1000,
      })
      return wholeDocuments(connection)
    },
  })
}
