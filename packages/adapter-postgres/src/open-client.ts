import type { ClientSettings } from './client-settings.js'
import { loadDriver } from './load-driver.js'
import type { Wire, WireClient } from './wire.js'

/** The name that a client gives itself, and how long it may take until it is ready. */
export interface ClientOptions {
  readonly applicationName: string
  /** Covers the login, the settings and `prepare`. */
  readonly connectTimeoutMs: number
  /** Replaces the settings with which values read the same on every server. */
  readonly settings?: readonly string[]
  /** Makes sure that the server is one of the expected kind. */
  readonly prepare?: ((client: WireClient) => Promise<void>) | undefined
}

/**
 * Settings with which values read the same on every server, and with which a portal may wait for its reader. They are sent
 * as a statement, once for each client, because poolers refuse them as parameters of the login.
 */
const sessionSettings = [
  `DateStyle = 'ISO, YMD'`,
  `TimeZone = 'UTC'`,
  `IntervalStyle = 'iso_8601'`,
  'extra_float_digits = 1',
  `bytea_output = 'hex'`,
  // without it, NULL in a list that is sent is a text
  'array_nulls = on',
  'statement_timeout = 0',
]

/** A crash of the server must not take back an erasure that was reported. What waits for other servers as well stays. */
const durable = `select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') in ('off', 'local')`

/** Opens a client, logs in and sends the settings with which values read the same on every server. */
export async function openClient(settings: ClientSettings, options: ClientOptions): Promise<WireClient> {
  const { host, port, user, password, database, ssl } = settings
  const pg = await loadDriver()
  const client = new pg.Client({
    host,
    port,
    user,
    // this is a function, because the driver would replace an empty password from the environment and files of this machine
    password: () => password,
    database,
    ssl,
    application_name: options.applicationName,
    keepAlive: true,
  }) as unknown as WireClient
  refuseUnknownMessages(client.connection)
  // the pool listens for errors after the login; before it, `connect` rejects as well
  client.on('error', () => {})
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('timeout expired')), options.connectTimeoutMs)
  })
  try {
    await Promise.race([madeReady(client, options), late])
    return client
  } catch (error) {
    client.connection.stream.destroy()
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/** The driver limits the login alone, and a pooler may log a client in and then let it wait for a server. */
async function madeReady(client: WireClient, { settings, prepare }: ClientOptions): Promise<void> {
  await client.connect()
  const statements = (settings ?? sessionSettings).map((setting) => `SET ${setting}`)
  await client.query([...statements, ...(settings ? [] : [durable])].join('; '))
  await prepare?.(client)
}

/** The driver throws at a message it does not know, out of an event of the socket, which would end this process. */
function refuseUnknownMessages(wire: Wire): void {
  const attach = wire.attachListeners.bind(wire)
  wire.attachListeners = (stream) =>
    attach({
      on(event, listener) {
        stream.on(event, (...received: unknown[]) => {
          try {
            listener(...received)
          } catch (error) {
            wire.stream.destroy(error as Error)
          }
        })
      },
    })
}
