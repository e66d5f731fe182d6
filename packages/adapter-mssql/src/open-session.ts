import { failure, missingHostFailure, type SqlSession, streamingSession } from '@habeas/sql'
import type { ConnectionConfiguration, Connection as Line } from 'tedious'
import type { ClientSettings } from './client-settings.js'
import type { MssqlConnectorOptions } from './connector-options.js'
import { type Driver, loadDriver } from './load-driver.js'
import { runningOn } from './running.js'
import { checkServer } from './server-version.js'

/** How long the server may take to end a statement before its connection is cut. */
const cancelPatienceMs = 2_000

/** Returns what to correct where the host is written as the server's own clients take it, with more than a name. */
function misplacedIn(host: string): string | undefined {
  if (host.includes('\\'))
    return 'The host names an instance behind a backslash, and instances are not looked up: give the name of the machine as host, and the port of the instance as port.'
  // an address of IPv6 has several colons
  if (/^[^:,]*[:,][^:,]*$/.test(host))
    return 'The host holds more than a name: give the name or address alone as host, and a port as port.'
  return undefined
}

/** What the server says of itself, and how a session has to work so that values read and write the same everywhere. */
export const serverQuery = `select convert(int, serverproperty('ProductMajorVersion')), convert(int, serverproperty('EngineEdition')),
  (select convert(int, compatibility_level) from sys.databases where name = db_name())`

/** Opens a session that has logged in, on a server that knows the statements. */
export async function openSession(
  settings: ClientSettings,
  options: Required<MssqlConnectorOptions>,
): Promise<SqlSession> {
  if (!settings.host) throw missingHostFailure(settings.fromUrl, 'mssql://user@host:1433/database')
  const misplaced = misplacedIn(settings.host)
  if (misplaced) throw failure('name_not_resolved', misplaced)
  if (!settings.database) throw failure('missing_secret', 'The secrets of the connection lack database: add it.')
  const driver = await loadDriver()
  const line = await loggedIn(driver, settings, options)
  const running = runningOn(driver, line)
  const connectMs = Math.ceil(options.connectTimeoutSeconds * 1_000)
  const late = setTimeout(() => line.close(), Math.min(connectMs, 2_147_483_647))
  try {
    const lockMs = Math.min(Math.ceil(options.lockTimeoutSeconds * 1_000), 2_147_483_647)
    // with it every error takes a transaction back, and so does a statement that is cancelled
    await running.run({ sql: `set xact_abort on; set nocount on; set lock_timeout ${lockMs}`, parameters: [] })
    const [server] = (await running.run({ sql: serverQuery, parameters: [] })) as readonly (readonly number[])[]
    checkServer(server ?? [])
  } catch (error) {
    line.close()
    // nothing but the timer closes the connection here
    throw (error as { code?: unknown }).code === 'ECLOSE' ? Object.assign(Object(error), { code: 'ETIMEOUT' }) : error
  } finally {
    clearTimeout(late)
  }
  let closing: Promise<void> | undefined
  /** Ends the statement that is running by an attention, and then the connection. */
  const close = () => {
    closing ??= running.ended(cancelPatienceMs).then(() => line.close())
    return closing
  }
  return {
    ...streamingSession({ ...running, survives: (error) => isInOrder(error) }),
    onGone: (listener) => void line.on('error', listener).on('end', listener),
    cancel: close,
    end: close,
    destroy: () => void close(),
  }
}

/** Errors of statements leave the session as it is. The server ends the connection with those of class 20 and above. */
function isInOrder(error: unknown): boolean {
  const {
    number,
    class: severity = 25,
    errors,
  } = error as { number?: number; class?: number; errors?: readonly unknown[] }
  if (errors) return errors.every(isInOrder)
  return number !== undefined && severity < 20
}

/** Waits for the login. The driver gives errors of the server no number here. */
async function loggedIn(
  { Connection }: Driver,
  settings: ClientSettings,
  options: Required<MssqlConnectorOptions>,
): Promise<Line> {
  const line = new Connection(configuration(settings, options))
  line.on('error', () => {})
  if (settings.tls.required) refuseUnencrypted(line)
  const numbers: number[] = []
  const note = ({ number }: { number: number }) => void numbers.push(number)
  line.on('errorMessage', note)
  try {
    await new Promise<void>((resolve, reject) => {
      line.connect((error) => (error ? reject(error) : resolve()))
    })
  } catch (error) {
    line.close()
    // the server says first what is wrong, and then that the login has failed
    throw numbers.length > 0
      ? Object.assign(Object(error), { number: numbers.find((one) => one !== 18_456) ?? 18_456 })
      : error
  } finally {
    line.off('errorMessage', note)
  }
  return line
}

/** The driver would log in without encryption where the server offers none. */
function refuseUnencrypted(line: Line): void {
  const inner = line as unknown as { performTlsNegotiation(...given: unknown[]): Promise<void> }
  const negotiate = inner.performTlsNegotiation
  let secure = false
  line.on('secure', () => {
    secure = true
  })
  inner.performTlsNegotiation = async (...given) => {
    await negotiate.apply(line, given)
    if (!secure) throw Object.assign(new Error('the server offers no encryption'), { code: 'EUNENCRYPTED' })
  }
}

function configuration(settings: ClientSettings, options: Required<MssqlConnectorOptions>): ConnectionConfiguration {
  const { host, port, user, password, database, tls } = settings
  const { verifies, ca, cert, key, serverName } = tls
  return {
    server: host,
    authentication: { type: 'default', options: { userName: user, password } },
    options: {
      port,
      database,
      appName: options.applicationName,
      connectTimeout: Math.min(Math.ceil(options.connectTimeoutSeconds * 1_000), 2_147_483_647),
      // the caller watches statements itself
      requestTimeout: 0,
      cancelTimeout: 0,
      maxRetriesOnTransientErrors: 0,
      encrypt: true,
      trustServerCertificate: !verifies,
      ...(serverName !== undefined && { serverName }),
      cryptoCredentialsDetails: {
        ...(ca !== undefined && { ca }),
        ...(cert !== undefined && { cert }),
        ...(key !== undefined && { key }),
      },
      lowerCaseGuids: true,
      useColumnNames: false,
      useUTC: true,
    },
  }
}
