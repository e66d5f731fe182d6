import { type Connector, defineConnector, PrivacyError, parseSecrets } from '@habeas/core'
import { createSqlConnection, failure, missingHostFailure } from '@habeas/sql'
import { type ClientSettings, clientSettings } from './client-settings.js'
import { snowflakeDialect } from './dialect.js'
import { liveCatalogue } from './live-catalogue.js'
import { openSession } from './open-session.js'
import { snowflakeErrors } from './snowflake-errors.js'
import { timeLimit } from './time-limit.js'
import { withinLimits } from './within-limits.js'

/** Durations and sizes of a connection, and how it logs in with OAuth. */
export interface SnowflakeConnectorOptions {
  /** Most sessions per connection, and so most statements at once. 4 by default. */
  readonly poolSize?: number
  /** How long a session may stay open unused. 60 by default. */
  readonly idleTimeoutSeconds?: number
  /** How long logging in may take, `accessToken` included. 10 by default, so that a connection test answers in time. */
  readonly connectTimeoutSeconds?: number
  /** How long a statement may run, a warehouse that is resumed for it included. 300 by default. */
  readonly statementTimeoutSeconds?: number
  /** How long a write waits for the locks that others hold on its table. 30 by default. */
  readonly lockTimeoutSeconds?: number
  /** Gives a fresh OAuth token for each login, in place of a key or password. */
  readonly accessToken?: () => Promise<string> | string
  /** Shown as QUERY_TAG in the history of queries. 2 to 51 letters, digits, `.`, `-` and `_`, a letter first. `habeas` by default. */
  readonly applicationName?: string
}

const defaults = {
  poolSize: 4,
  idleTimeoutSeconds: 60,
  connectTimeoutSeconds: 10,
  statementTimeoutSeconds: 300,
  lockTimeoutSeconds: 30,
  applicationName: 'habeas',
} satisfies SnowflakeConnectorOptions

/** Reads and erases in Snowflake. Throws `misconfigured` when an option is out of range. */
export function snowflakeConnector(options: SnowflakeConnectorOptions = {}): Connector<'snowflake'> {
  const settings = checked(options)
  return defineConnector({
    type: 'snowflake',
    category: 'database',
    capabilities: {
      // each key is a parameter, and a statement of some counts has several lists of them
      ...{ maxKeys: 2_000, nestedFields: true, maxErased: 1_000 },
      // transactions lock tables that they write and nothing that they read, and no user may end the session of another
      ...{ transactions: true, rowLocks: false, enforcedKeys: false, fencing: false, billedReads: true },
    },
    secrets: { parse: (input) => parseSecrets('snowflake', input) },
    async connect(secrets) {
      const login = clientSettings(secrets)
      const connection = createSqlConnection({
        driver: {
          async open() {
            if (!login.account) {
              throw missingHostFailure(
                secrets.url !== undefined,
                'snowflake://user@organization-account/database/schema',
              )
            }
            if (!isHost(login.account)) {
              const message =
                'The host of the connection is no name of an account: give organization-account, or the whole host name without https:// before it.'
              throw failure('missing_secret', message)
            }
            if (!login.database) {
              throw failure('missing_secret', 'The secrets of the connection lack database: add it.')
            }
            const lacking = lackingLogin(login, settings.accessToken !== undefined)
            if (lacking) throw failure('missing_secret', lacking)
            return openSession(login, {
              application: settings.applicationName,
              connectTimeoutMs: settings.connectTimeoutSeconds * 1_000,
              statementTimeoutSeconds: settings.statementTimeoutSeconds,
              lockTimeoutSeconds: settings.lockTimeoutSeconds,
              ...(settings.accessToken && { accessToken: settings.accessToken }),
            })
          },
        },
        dialect: snowflakeDialect,
        catalogue: liveCatalogue(login),
        errors: snowflakeErrors,
        transactions: {
          begin: ['begin transaction'],
          // there is no other isolation level
          beginReadCommitted: ['begin transaction'],
          checkRules: [],
        },
        timeLimit,
        schema: login.schema,
        poolSize: settings.poolSize,
        idleMs: settings.idleTimeoutSeconds * 1_000,
        // the server ends a statement by itself: this is for one that no longer answers
        statementTimeoutMs: (settings.statementTimeoutSeconds + 15) * 1_000,
      })
      return withinLimits(connection)
    },
  })
}

/** Whether it is a name or an address, and no other part of a URL: the password would go elsewhere. */
function isHost(account: string): boolean {
  return /^[\w.-]+$|^[\da-f:.]+$/i.test(account)
}

/** What is wrong with how a session would log in. Nothing is chosen in silence. */
function lackingLogin({ user, password, privateKey }: ClientSettings, hasToken: boolean): string | undefined {
  if (!user) return 'The secrets of the connection lack user: add the name of the user that logs in.'
  if (hasToken) return undefined
  if (password && privateKey) {
    return 'The secrets of the connection hold both password and private_key: remove the one that the user does not log in with.'
  }
  if (password || privateKey) return undefined
  return 'The secrets of the connection lack both password and private_key: add one of them, or give snowflakeConnector the option accessToken.'
}

type Settings = typeof defaults & Pick<SnowflakeConnectorOptions, 'accessToken'>

function checked(options: SnowflakeConnectorOptions): Settings {
  const merged: Settings = { ...defaults, ...options }
  const names = [...Object.keys(defaults), 'accessToken']
  for (const [option, value] of Object.entries(merged)) {
    if (!names.includes(option)) {
      const message = `snowflakeConnector has no option ${option}: it has ${names.join(', ')}.`
      throw new PrivacyError('misconfigured', message, { option })
    }
    const range = rangeOf(option, value)
    if (range === undefined) continue
    throw new PrivacyError('misconfigured', `The option ${option} of snowflakeConnector must be ${range}.`, { option })
  }
  return merged
}

/** What an option must be, where it is not. */
function rangeOf(option: string, value: unknown): string | undefined {
  if (option === 'accessToken') return typeof value === 'function' ? undefined : 'a function that gives a token'
  if (option === 'applicationName') {
    // the driver takes no other
    const fits = typeof value === 'string' && /^[a-z][a-z\d._-]{1,50}$/i.test(value)
    return fits ? undefined : 'a letter and 1 to 50 letters, digits, dots, dashes and underscores'
  }
  if (option === 'poolSize') {
    const fits = Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 100
    return fits ? undefined : 'a whole number from 1 to 100'
  }
  const fits = typeof value === 'number' && value >= 0.01 && value <= 604_800
  return fits ? undefined : 'a number from 0.01 to 604800'
}
