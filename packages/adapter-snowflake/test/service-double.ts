import { createPublicKey, createVerify, type KeyObject, randomBytes, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import type { StoredTable } from './double-statements.js'
import { runShape } from './double-statements.js'
import type { ServiceAnswer } from './service-answers.js'
import { RefusedStatement } from './shape-parser.js'

/** A user of the account, and how it may log in. */
export interface DoubleUser {
  readonly name: string
  /** Absent where the account takes no password of this user. */
  readonly password?: string
  readonly publicKey?: string
  readonly oauthToken?: string
  readonly roles: readonly string[]
}

/** An account of the service, as far as the connector has to do with one. */
export interface DoubleAccount {
  readonly name: string
  readonly users: readonly DoubleUser[]
  readonly databases: Readonly<Record<string, Readonly<Record<string, readonly StoredTable[]>>>>
  /** Warehouses, and whether one that is suspended can be resumed. */
  readonly warehouses: Readonly<Record<string, 'running' | 'cannot be resumed'>>
  /** Roles that may ask which policies a table has. */
  readonly mayAskForPolicies: readonly string[]
  /** Roles that may ask what the account keeps. */
  readonly mayAskForClones?: readonly string[]
  /** Streams, and the full name of the table or view of each. */
  readonly streams?: readonly { readonly path: readonly [string, string, string]; readonly of: string }[]
  /** Statements that match this pattern run until they are cancelled or reach their limit. */
  readonly endless?: string
}

/** What the double was asked. */
export interface ServiceDouble {
  readonly url: string
  /** Statements in their order, with what was bound. */
  readonly statements: {
    readonly sql: string
    readonly parameters: readonly (string | null)[]
    /** The limit of this statement alone. */
    readonly seconds?: number
  }[]
  readonly cancelled: string[]
  readonly open: ReadonlyMap<string, unknown>
  /** Lets the tokens of all sessions expire: those that a driver renews, or the sessions for good. */
  expire(what: 'tokens' | 'sessions'): void
  close(): Promise<void>
}

interface Session {
  readonly role: string
  readonly warehouse: string | undefined
  readonly parameters: Map<string, string>
  changed: StoredTable[] | undefined
}

const failed = (code: string, message: string, sqlState = '08004'): ServiceAnswer => ({
  data: { errorCode: code, sqlState, queryId: randomUUID() },
  code,
  message,
  success: false,
})
const succeeded = (data: ServiceAnswer['data']): ServiceAnswer => ({ data, code: null, message: null, success: true })

/** Answers the official driver over HTTP, and refuses what the service refuses. */
export async function openDouble(account: DoubleAccount): Promise<ServiceDouble> {
  const sessions = new Map<string, Session>()
  const running = new Map<string, (failure: ServiceAnswer) => void>()
  const statements: ServiceDouble['statements'] = []
  const cancelled: string[] = []
  const expired = new Map<string, 'tokens' | 'sessions'>()

  function login(url: URL, data: Readonly<Record<string, string>>): ServiceAnswer {
    const user = account.users.find(({ name }) => name === data['LOGIN_NAME']?.toUpperCase())
    const refusal = user
      ? refusalOf(user, account.name, data)
      : failed('390100', 'Incorrect username or password was specified.')
    if (refusal) return refusal
    const asked = (name: string) => folded(url.searchParams.get(name))
    const [role = user!.roles[0]!, warehouse] = [asked('roleName'), asked('warehouse')]
    if (!user!.roles.includes(role))
      return failed('390189', `Role '${role}' specified in the connect string does not exist or not authorized.`)
    const token = randomBytes(16).toString('hex')
    sessions.set(token, { role, warehouse, parameters: new Map(), changed: undefined })
    return succeeded({
      token,
      masterToken: `m${token}`,
      validityInSeconds: 3_600,
      masterValidityInSeconds: 14_400,
      parameters: [],
      sessionInfo: {
        databaseName: asked('databaseName'),
        schemaName: asked('schemaName'),
        warehouseName: warehouse,
        roleName: role,
      },
    })
  }

  async function query(session: Session, requestId: string, body: Body): Promise<ServiceAnswer> {
    const { sqlText, bindings = {} } = body
    const own = body.parameters?.STATEMENT_TIMEOUT_IN_SECONDS
    const parameters = Object.keys(bindings)
      .sort((one, other) => Number(one) - Number(other))
      .map((place) => bindings[place]!.value)
    statements.push({ sql: sqlText, parameters, ...(own !== undefined && { seconds: own }) })
    if (account.endless !== undefined && sqlText.search(account.endless) >= 0) {
      const seconds = own ?? Number(session.parameters.get('statement_timeout_in_seconds') ?? 172_800)
      return new Promise((resolve) => {
        const timer = setTimeout(() => {
          running.delete(requestId)
          resolve(
            failed(
              '000630',
              `Statement reached its statement or warehouse timeout of ${seconds} second(s) and was canceled.`,
              '57014',
            ),
          )
        }, seconds * 1_000)
        running.set(requestId, (failure) => {
          clearTimeout(timer)
          running.delete(requestId)
          resolve(failure)
        })
      })
    }
    try {
      return succeeded(resultOf(runShape(account, session, sqlText, parameters)))
    } catch (error) {
      if (!(error instanceof RefusedStatement)) throw error
      return failed(error.code, error.message, error.sqlState)
    }
  }

  function renewed(old: string): ServiceAnswer {
    const session = sessions.get(old)
    sessions.delete(old)
    if (!session || expired.get(old) !== 'tokens') {
      return failed('390114', 'Authentication token has expired. The user must authenticate again.')
    }
    const sessionToken = randomBytes(16).toString('hex')
    sessions.set(sessionToken, session)
    const validity = { validityInSecondsST: 3_600, validityInSecondsMT: 14_400 }
    return succeeded({ sessionToken, masterToken: `m${sessionToken}`, ...validity })
  }

  async function answer(request: IncomingMessage): Promise<ServiceAnswer> {
    const url = new URL(request.url!, 'http://double')
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const raw = Buffer.concat(chunks)
    const text = (request.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw).toString()
    const body = text === '' ? {} : JSON.parse(text)
    if (url.pathname === '/session/v1/login-request') return login(url, body.data)
    const token = /Token="(.*)"/.exec(request.headers.authorization ?? '')?.[1] ?? ''
    if (url.pathname === '/session/token-request') return renewed(body.oldSessionToken)
    const session = sessions.get(token)
    if (session && expired.has(token)) return failed('390112', 'Your session has expired. Please login again.')
    if (!session) return failed('390104', 'User must login again to access the service.')
    if (url.pathname === '/queries/v1/query-request') {
      return query(session, url.searchParams.get('requestId') ?? '', body)
    }
    if (url.pathname === '/queries/v1/abort-request') {
      cancelled.push(body.requestId)
      running.get(body.requestId)?.(failed('000604', 'SQL execution canceled', '57014'))
    }
    if (url.pathname === '/session' && url.searchParams.has('delete')) sessions.delete(token)
    return succeeded(null)
  }

  const server = createServer((request, response) => {
    answer(request).then(
      (given) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(given)),
      (error) => response.writeHead(400).end(String(error)),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    statements,
    cancelled,
    open: sessions,
    expire(what) {
      for (const token of sessions.keys()) expired.set(token, what)
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

interface Body {
  readonly sqlText: string
  readonly parameters?: { readonly STATEMENT_TIMEOUT_IN_SECONDS?: number }
  readonly bindings?: Readonly<Record<string, { readonly value: string | null }>>
}

/** Names are folded to upper case unless they are quoted. */
function folded(name: string | null): string | undefined {
  if (!name) return undefined
  return name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name.toUpperCase()
}

function refusalOf(
  user: DoubleUser,
  account: string,
  data: Readonly<Record<string, string>>,
): ServiceAnswer | undefined {
  const { AUTHENTICATOR = '', TOKEN = '', PASSWORD } = data
  if (AUTHENTICATOR === 'SNOWFLAKE_JWT') {
    const valid =
      user.publicKey !== undefined &&
      isSigned(TOKEN, createPublicKey(user.publicKey), `${account}.${user.name}`.toUpperCase())
    return valid ? undefined : failed('390144', 'JWT token is invalid.')
  }
  if (AUTHENTICATOR === 'OAUTH') {
    return TOKEN === user.oauthToken ? undefined : failed('390303', 'Invalid OAuth access token.')
  }
  if (user.password === undefined) return failed('394304', 'Multi-factor authentication is required for this account.')
  return PASSWORD === user.password ? undefined : failed('390100', 'Incorrect username or password was specified.')
}

/** The token names account and user, the fingerprint of their key, and is signed with it. */
function isSigned(token: string, key: KeyObject, subject: string): boolean {
  const [head = '', claims = '', signature = ''] = token.split('.')
  const { iss, sub, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, string | number>
  const signed = createVerify('sha256').update(`${head}.${claims}`).verify(key, Buffer.from(signature, 'base64url'))
  return signed && sub === subject && String(iss).startsWith(`${subject}.SHA256:`) && Number(exp) * 1_000 > Date.now()
}

/** Rows as the driver reads them. */
export interface ShapeResult {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly (string | null)[])[]
  /** That of a SELECT, unless rows were written. */
  readonly type?: number
}

function resultOf({ columns, rows, type = 4_096 }: ShapeResult): ServiceAnswer['data'] {
  return {
    parameters: [],
    rowtype: columns.map((name) => ({
      name,
      type: 'text',
      nullable: true,
      length: 100,
      byteLength: 400,
      scale: null,
      precision: null,
    })),
    rowset: rows,
    total: rows.length,
    returned: rows.length,
    queryId: randomUUID(),
    statementTypeId: type,
    queryResultFormat: 'json',
  }
}
