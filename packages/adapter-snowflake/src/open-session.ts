import { setTimeout as delay } from 'node:timers/promises'
import { failure, type SqlSession, type Statement, streamingSession } from '@habeas/sql'
import type { Connection, ConnectionOptions, RowStatement } from 'snowflake-sdk'
import { type ClientSettings, quoted, readPrivateKey } from './client-settings.js'
import { loadSdk, silence } from './load-sdk.js'
import { endsSession } from './snowflake-errors.js'
import { secondsOf } from './time-limit.js'
import { readerOf } from './value-readers.js'

/** What sessions have in common beside the account. */
export interface SessionOptions {
  readonly application: string
  readonly connectTimeoutMs: number
  readonly statementTimeoutSeconds: number
  readonly lockTimeoutSeconds: number
  /** A fresh OAuth token, in place of a password or key. */
  readonly accessToken?: () => Promise<string> | string
}

const requestTimeoutMs = 90_000

/** The most seconds the server takes for a limit: a week. */
const mostSeconds = 604_800

/** Opens a session that has logged in, with its own limits and its own way to compare names. */
export async function openSession(settings: ClientSettings, options: SessionOptions): Promise<SqlSession> {
  const sdk = await loadSdk()
  const began = performance.now()
  const login = await within(options.connectTimeoutMs, loginOf(settings, options), tokenLate)
  const connection = sdk.createConnection(login)
  const session = sessionOf(connection, options)
  const opened = async () => {
    await new Promise<void>((resolve, reject) => {
      connection.connect((error) => (error ? reject(error) : resolve()))
    })
    silence(sdk)
    await session.run({ sql: sessionParameters(options), parameters: [] })
  }
  try {
    await within(options.connectTimeoutMs - (performance.now() - began), opened(), accountLate)
  } catch (error) {
    session.destroy()
    throw error
  }
  return session
}

/** Set by a statement, since the login takes few of them. */
function sessionParameters({ application, statementTimeoutSeconds, lockTimeoutSeconds }: SessionOptions): string {
  const seconds = (value: number) => Math.min(Math.ceil(value), mostSeconds)
  return [
    'alter session set',
    `query_tag = '${application}'`,
    `statement_timeout_in_seconds = ${seconds(statementTimeoutSeconds)}`,
    `lock_timeout = ${seconds(lockTimeoutSeconds)}`,
    // statements of a process that died end, instead of writing on
    'abort_detached_query = true',
    'autocommit = true',
    'quoted_identifiers_ignore_case = false',
    'error_on_nondeterministic_update = true',
    'strict_json_output = true',
    "timezone = 'UTC'",
    // an account may have other formats, and a cast of a text obeys them
    ...['date', 'time', 'timestamp'].map((kind) => `${kind}_input_format = 'AUTO'`),
  ].join(' ')
}

async function loginOf(settings: ClientSettings, options: SessionOptions): Promise<ConnectionOptions> {
  const { account, accessUrl, user, password, privateKey, privateKeyPassphrase, database, schema } = settings
  const { warehouse, role } = settings
  return {
    account,
    accessUrl,
    username: user,
    ...(options.accessToken
      ? { authenticator: 'OAUTH', token: await options.accessToken() }
      : privateKey
        ? { authenticator: 'SNOWFLAKE_JWT', privateKey: readPrivateKey(privateKey, privateKeyPassphrase) }
        : { password }),
    database: quoted(database),
    schema: quoted(schema),
    ...(warehouse && { warehouse }),
    ...(role && { role }),
    application: options.application,
    // the service holds a request for 45 seconds before it says that the statement still runs
    timeout: requestTimeoutMs,
    sfRetryMaxLoginRetries: 1,
    // keys are never uploaded to a stage, which takes a privilege of its own and leaves files behind
    arrayBindingThreshold: 1_000_000,
    // chunks of a result that are held beside the one that is read
    resultPrefetch: 1,
    rowStreamHighWaterMark: 16,
    disableConsoleLogin: true,
    clientStoreTemporaryCredential: false,
  }
}

const tokenLate = 'The option accessToken gave no token in time: check what it asks for one.'
const accountLate = 'The account did not answer in time: check host, its network policies, and the firewalls between.'

async function within<Result>(milliseconds: number, answer: Promise<Result>, late: string): Promise<Result> {
  const ended = new AbortController()
  const timer = delay(milliseconds, undefined, { ref: false, signal: ended.signal }).then(() => {
    throw failure('timeout', late, undefined, 'transient')
  })
  try {
    return await Promise.race([answer, timer])
  } finally {
    ended.abort()
    timer.catch(() => {})
    answer.catch(() => {})
  }
}

type OpenSession = SqlSession & { run(statement: Statement): Promise<readonly unknown[] | number> }

function sessionOf(connection: Connection, { statementTimeoutSeconds }: SessionOptions): OpenSession {
  const running = new Set<RowStatement>()
  let mostNow = Number.POSITIVE_INFINITY
  let ending: Promise<void> | undefined

  function execute({ sql, parameters }: Statement): Promise<RowStatement> {
    return new Promise((resolve, reject) => {
      const statement = connection.execute({
        sqlText: sql,
        binds: parameters as (string | number | null)[],
        // the driver rounds numbers, and reads documents with its own parser
        fetchAsString: ['Number', 'JSON'],
        // what SHOW gives is known by the names of its columns alone
        rowMode: isShow(sql) ? 'object' : 'array',
        streamResult: true,
        ...(mostNow < statementTimeoutSeconds && { parameters: { STATEMENT_TIMEOUT_IN_SECONDS: mostNow } }),
        complete: (error, ended) => {
          running.delete(statement)
          if (error) reject(error)
          else resolve(ended as RowStatement)
        },
      }) as RowStatement
      running.add(statement)
    })
  }

  async function* rows(statement: Statement): AsyncGenerator<unknown[][]> {
    const given = await execute(statement)
    if (isShow(statement.sql)) {
      for await (const row of given.streamRows()) yield [[JSON.stringify(row)]]
      return
    }
    const readers = (given.getColumns() ?? []).map(readerOf)
    for await (const row of given.streamRows()) yield [(row as unknown[]).map((value, at) => readers[at]!(value))]
  }

  async function run(statement: Statement): Promise<readonly unknown[] | number> {
    const seconds = secondsOf(statement)
    if (seconds !== undefined) {
      mostNow = seconds
      return []
    }
    const given = await execute(statement)
    const touched = given.getNumUpdatedRows() ?? -1
    if (touched >= 0) return touched
    const readers = (given.getColumns() ?? []).map(readerOf)
    const all: unknown[] = []
    for await (const row of given.streamRows()) {
      all.push(
        isShow(statement.sql) ? [JSON.stringify(row)] : (row as unknown[]).map((value, at) => readers[at]!(value)),
      )
    }
    return all
  }

  const stop = (statement: RowStatement) => new Promise<void>((resolve) => statement.cancel(() => resolve()))

  /** What runs is stopped first: without its session it could no longer be named. */
  function destroy(): Promise<void> {
    ending ??= Promise.all([...running].map(stop))
      .then(() => new Promise<void>((resolve) => connection.destroy(() => resolve())))
      .catch(() => {})
    // a server that is away must not hold up who closes
    return Promise.race([ending, delay(endPatienceMs, undefined, { ref: false })])
  }

  return {
    ...streamingSession({ rows, run, survives: (error) => !endsSession(error), independent: true }),
    run,
    // sessions are known by a token, and hold no socket that could tell
    onGone: () => {},
    cancel: destroy,
    end: destroy,
    destroy: () => void destroy(),
  }
}

const endPatienceMs = 2_000

function isShow(sql: string): boolean {
  return sql.startsWith('show ')
}
