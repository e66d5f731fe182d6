import { connect } from 'node:net'
import { failure, missingHostFailure, pushedRows, type SqlSession, type Statement, streamingSession } from '@habeas/sql'
import type mysql from 'mysql2'
import type { ClientSettings } from './client-settings.js'
import type { MysqlConnectorOptions } from './connector-options.js'
import { type Driver, loadDriver } from './load-driver.js'
import { checkVersion, type ServerKind } from './server-version.js'
import { tooLarge } from './within-packet.js'

/** The forms in which the driver gives values: nothing is rounded, and no date becomes one of this machine's zone. */
const forms = {
  rowsAsArray: true,
  supportBigNumbers: true,
  dateStrings: true,
  jsonStrings: true,
  charset: 'utf8mb4',
  // an update counts the rows that it found, also where they already hold the new value
  flags: ['FOUND_ROWS', '-LOCAL_FILES'],
}

/** How long the server keeps a read open whose reader pauses: as long as it allows. */
const longestPauseSeconds = 31_536_000

/** Opens a session that has logged in, on a server of the right kind. */
export async function openSession(
  kind: ServerKind,
  settings: ClientSettings,
  options: Required<MysqlConnectorOptions>,
): Promise<SqlSession> {
  if (!settings.host) throw missingHostFailure(settings.fromUrl, `${kind}://user@host:3306/database`)
  if (!settings.database) throw failure('missing_secret', 'The secrets of the connection lack database: add it.')
  const connectTimeoutMs = options.connectTimeoutSeconds * 1_000
  const driver = await loadDriver()
  const line = driver.createConnection({
    ...forms,
    ...clientOptions(settings),
    connectTimeout: connectTimeoutMs,
    connectAttributes: { program_name: options.applicationName },
    maxPreparedStatements: 64,
  })
  line.on('error', () => {})
  const session = line.promise()
  const mostBytes = await loggedIn(line, connectTimeoutMs, async () => {
    const [[row]] = (await session.query('select version(), @@max_allowed_packet')) as unknown as [[[string, number]]]
    const [version, packet] = row
    checkVersion(kind, version)
    await session.query(`set ${sessionSettings(kind, options).join(', ')}`)
    return packet
  })
  // not every statement without parameters can be prepared
  const how = ({ parameters }: Statement) => (parameters.length > 0 ? 'execute' : 'query')
  const bound = (statement: Statement) => {
    const failed = tooLarge(statement, mostBytes)
    if (failed) throw failed
    return { sql: statement.sql, values: [...statement.parameters] as never }
  }
  const running = streamingSession({
    rows: (statement) =>
      pushedRows(({ row, end }) => {
        const query = line[how(statement)](bound(statement))
        // the driver tells a reader of rows nothing of a connection that broke off
        const broken = () =>
          end(Object.assign(new Error('connection lost'), { code: 'PROTOCOL_CONNECTION_LOST', fatal: true }))
        const socket = (line as unknown as { readonly stream: NodeJS.EventEmitter }).stream
        socket.on('close', broken)
        query.on('result', (given) => row(given as unknown as unknown[]))
        query.on('error', end)
        query.on('end', () => {
          socket.off('close', broken)
          end()
        })
        return line
      }),
    async run(statement) {
      const [result] = await (session[how(statement)] as typeof session.query).call(session, bound(statement))
      return Array.isArray(result) ? result : (result as mysql.ResultSetHeader).affectedRows
    },
    survives: (error) => !(error as mysql.QueryError).fatal,
  })
  return {
    ...running,
    openBatch(statements, watch) {
      // nothing is sent of what cannot be sent whole
      const failed = statements.map((each) => tooLarge(each, mostBytes)).find(Boolean)
      if (!failed) return running.openBatch(statements, watch)
      const results = Promise.reject(failed)
      return { results, fail() {}, settled: Promise.resolve(true) }
    },
    onGone: (listener) => void line.on('error', listener).on('end', listener),
    cancel: () => killed(driver, line.threadId, settings, connectTimeoutMs),
    end: () => session.end().catch(() => {}),
    destroy: () => line.destroy(),
  }
}

/** How long the server may take to say that it ends a session, when it has let the second connection log in. */
const killPatienceMs = 2_000

/** Ends the session from a second connection: `max_execution_time` ends no write. It never rejects. */
async function killed(driver: Driver, thread: number, settings: ClientSettings, connectTimeout: number): Promise<void> {
  const other = driver.createConnection({ ...clientOptions(settings), connectTimeout })
  let timer: NodeJS.Timeout | undefined
  await new Promise<void>((resolve) => {
    timer = setTimeout(resolve, connectTimeout)
    other.on('error', () => resolve())
    other.on('connect', () => {
      clearTimeout(timer)
      timer = setTimeout(resolve, killPatienceMs)
    })
    other.query(`kill ${Number(thread)}`, () => resolve())
  })
  clearTimeout(timer)
  other.destroy()
}

/** Waits for the login. The driver itself waits for a server that accepts a connection and stays silent. */
async function loggedIn<Result>(line: mysql.Connection, ms: number, work: () => Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(Object.assign(new Error('connect timed out'), { code: 'ETIMEDOUT' })), ms)
  })
  try {
    return await Promise.race([work(), late])
  } catch (error) {
    line.destroy()
    throw error
  } finally {
    clearTimeout(timer)
  }
}

function clientOptions({ host, port, user, password, database, tls }: ClientSettings): mysql.ConnectionOptions {
  const login = { user, password, database }
  if (host.startsWith('/')) return { ...login, socketPath: host }
  if (!tls) return { ...login, host, port }
  const { verifies, ca, cert, key, serverName } = tls
  const ssl = {
    rejectUnauthorized: verifies,
    // the driver would otherwise accept the certificate of any other server
    verifyIdentity: verifies,
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
  }
  if (serverName === undefined) return { ...login, host, port, ssl }
  // the driver compares the certificate with the name that it connects to
  return {
    ...login,
    host: serverName,
    port,
    ssl,
    stream: () => connect(port, host).setKeepAlive(true).setNoDelay(true),
  }
}

/** Settings with which values read and write the same on every server, and with which nothing waits for ever. */
function sessionSettings(kind: ServerKind, options: Required<MysqlConnectorOptions>): string[] {
  const lockSeconds = Math.max(1, Math.ceil(options.lockTimeoutSeconds))
  const idleSeconds = Math.ceil(Math.max(options.abandonedTransactionSeconds, options.idleTimeoutSeconds + 5))
  return [
    // what `init_connect` of a server says would else make other texts of keys, and leave rows out
    'names utf8mb4 collate utf8mb4_unicode_ci',
    'sql_select_limit = 18446744073709551615',
    // `max_join_size` of a server would end every read by a list of keys
    'sql_big_selects = 1',
    'foreign_key_checks = 1',
    // the list of foreign keys by which a deletion cascades would else be cut off without a word
    'group_concat_max_len = 4294967295',
    // a long list of keys would else be read by no index
    ...(kind === 'mysql' ? ['range_optimizer_max_mem_size = 0'] : []),
    `time_zone = '+00:00'`,
    // zero dates and days that no calendar has are found as they are; a new value that does not fit is refused
    `sql_mode = 'STRICT_ALL_TABLES,ALLOW_INVALID_DATES'`,
    `session ${kind === 'mysql' ? 'transaction_isolation' : 'tx_isolation'} = 'READ-COMMITTED'`,
    `innodb_lock_wait_timeout = ${lockSeconds}`,
    `lock_wait_timeout = ${lockSeconds}`,
    `wait_timeout = ${idleSeconds}`,
    `net_write_timeout = ${longestPauseSeconds}`,
    // a limit of the server would end long reads, and no write
    kind === 'mysql' ? 'max_execution_time = 0' : 'max_statement_time = 0',
    'sql_safe_updates = 0',
    'autocommit = 1',
  ]
}
