import { type Connector, defineConnector, parseSecrets } from '@habeas/core'
import { checkedOptions, createSqlConnection, namedLocks } from '@habeas/sql'
import { clientSettings } from './client-settings.js'
import type { MysqlConnectorOptions } from './connector-options.js'
import { mysqlDialect } from './dialect.js'
import { liveCatalogue } from './live-catalogue.js'
import { mysqlErrors } from './mysql-errors.js'
import { openSession } from './open-session.js'
import type { ServerKind } from './server-version.js'
import { withinPacket } from './within-packet.js'

/** Reads and erases in MySQL 8.0.19 and later. Throws `misconfigured` when an option is out of range. */
export function mysqlConnector(options: MysqlConnectorOptions = {}): Connector<'mysql'> {
  return connectorOf('mysql', 'mysqlConnector', options)
}

/** Reads and erases in MariaDB 10.11 and later. Throws `misconfigured` when an option is out of range. */
export function mariadbConnector(options: MysqlConnectorOptions = {}): Connector<'mariadb'> {
  return connectorOf('mariadb', 'mariadbConnector', options)
}

/** They hold for the whole server, belong to a session, and end with it. */
const fencing = namedLocks({
  ...{ take: 'get_lock', release: 'release_lock', holder: 'is_used_lock' },
  isGone: (error) => (error as { readonly errno?: number } | undefined)?.errno === 1094,
})

/** Every session reads what is committed: see `open-session.ts`. */
const transactions = {
  begin: ['start transaction'],
  beginReadCommitted: ['start transaction'],
  checkRules: [],
}

function connectorOf<Type extends ServerKind>(type: Type, name: string, options: MysqlConnectorOptions) {
  const settings = checkedOptions(name, options)
  return defineConnector({
    type,
    category: 'database',
    capabilities: {
      ...(type === 'mysql' ? { maxKeys: 5_000, maxErased: 5_000 } : { maxKeys: 10_000, maxErased: 10_000 }),
      // a part is four parameters at most, and a statement has 65,535. What has several lists is divided: see within-packet.ts
      maxKeyParts: 16_000,
      nestedFields: false,
      // tables without transactions say so themselves, in the catalogue
      ...{ transactions: true, rowLocks: true, enforcedKeys: true, fencing: true },
    },
    secrets: { parse: (input) => parseSecrets<ServerKind>(type, input) },
    async connect(secrets) {
      const login = clientSettings(secrets)
      const connection = createSqlConnection({
        driver: { open: () => openSession(type, login, settings) },
        dialect: mysqlDialect(type),
        catalogue: liveCatalogue(type, login.database),
        errors: mysqlErrors,
        transactions,
        fencing,
        schema: login.database,
        poolSize: settings.poolSize,
        idleMs: settings.idleTimeoutSeconds * 1_000,
        statementTimeoutMs: settings.statementTimeoutSeconds * 1_000,
        lockTimeoutMs: settings.lockTimeoutSeconds * 1_000,
      })
      return withinPacket(connection)
    },
  })
}
