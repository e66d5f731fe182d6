import pg from 'pg'
import type { ClientSettings } from './client-settings.js'
import type { WireClient } from './wire.js'

/** What a client says of itself and how long it may take to log in. */
export interface ClientOptions {
  readonly applicationName: string
  readonly connectTimeoutMs: number
}

/**
 * Settings under which values read the same on every server, and under which a portal may wait for its reader.
 * Sent once for each client, as a statement: poolers refuse them as parameters of the login.
 */
const sessionSettings = [
  `DateStyle = 'ISO, YMD'`,
  `TimeZone = 'UTC'`,
  `IntervalStyle = 'iso_8601'`,
  'extra_float_digits = 1',
  `bytea_output = 'hex'`,
  'statement_timeout = 0',
]
  .map((setting) => `SET ${setting}`)
  .join('; ')

/** A client that has logged in and writes values in one form. */
export async function openClient(settings: ClientSettings, options: ClientOptions): Promise<WireClient> {
  const { host, port, user, password, database, ssl } = settings
  const client = new pg.Client({
    host,
    port,
    user,
    // a function, because the driver fills an empty password from the environment and from files of this machine
    password: () => password,
    database,
    ssl,
    application_name: options.applicationName,
    connectionTimeoutMillis: options.connectTimeoutMs,
    keepAlive: true,
  }) as unknown as WireClient
  // an error after the login is the pool's to hear; before it, `connect` rejects as well
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query(sessionSettings)
    return client
  } catch (error) {
    client.connection.stream.destroy()
    throw error
  }
}
