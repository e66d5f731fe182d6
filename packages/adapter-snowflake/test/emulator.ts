import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { withEmulatedFunctions } from './emulated-functions.js'
import { asService, type ServiceAnswer } from './service-answers.js'
import { tableLocks } from './table-locks.js'

/** A key as `SHOW … KEYS` lists it, part by part. */
export type ShownKey = Readonly<Record<string, string | number>>

/** Keys of a schema: the service keeps them as a note, and enforces none. */
export interface DeclaredKeys {
  readonly primary: ShownKey[]
  readonly unique: ShownKey[]
  readonly imported: ShownKey[]
}

/** An emulator behind a proxy that adds what it lacks of the service. */
export interface Emulator {
  readonly url: string
  /** Keys of schemas, by database and schema. */
  readonly keys: Map<string, DeclaredKeys>
  /** Quoted names of the tables that were written. */
  readonly written: Set<string>
  close(): Promise<void>
}

type Sent = Pick<IncomingMessage, 'method' | 'url' | 'headers'>

interface Session {
  /** A transaction that has begun. Reads of it see what is committed, until it writes. */
  begun: boolean
  written: boolean
}

/**
 * The emulator at `target` with the sessions' own settings, keys that are declared only, locks on tables that a transaction
 * writes, and the codes of the service.
 */
export async function openEmulator(target: string): Promise<Emulator> {
  const keys = new Map<string, DeclaredKeys>()
  const written = new Set<string>()
  const sessions = new Map<string, Session>()
  const locks = tableLocks()

  async function forward(request: Sent, body: string | undefined): Promise<{ status: number; text: string }> {
    const { authorization } = request.headers
    const answer = await fetch(new URL(request.url!, target), {
      method: request.method!,
      headers: { ...(authorization && { authorization }), 'content-type': 'application/json' },
      ...(body !== undefined && request.method !== 'GET' && { body }),
    })
    return { status: answer.status, text: await answer.text() }
  }

  async function query(request: Sent, body: string): Promise<ServiceAnswer> {
    const token = String(request.headers.authorization)
    const session = sessions.get(token) ?? { begun: false, written: false }
    sessions.set(token, session)
    const sent = JSON.parse(body) as { sqlText: string }
    const run = async (sqlText: string) => {
      const { status, text } = await forward(request, JSON.stringify({ ...sent, sqlText }))
      return asService(status, text)
    }
    const plain = async (sqlText: string) => {
      const { status, text } = await forward(request, JSON.stringify({ sqlText }))
      return asService(status, text)
    }
    const text = sent.sqlText.trim()
    const word = /^\w+/.exec(text)?.[0].toLowerCase()
    if (/^alter session set /i.test(text)) return plain("select 'Statement executed successfully.' as status")
    const shown = /^show (primary|unique|imported) keys in (?:schema|table) "(.+?)"\."(.+?)"(?:\."(.+)")?$/s.exec(text)
    if (shown) return keysAnswer(keys, shown)
    // it has no roles and no policies
    if (text === 'select current_role()') return plain("select 'PUBLIC' as role")
    if (/^show grants to role /i.test(text)) return shownAnswer(policyGrants)
    if (text.includes('.policy_references(')) return plain("select '' as ref_entity_name where 1 = 0")
    // nor clones, nor streams, nor kinds of tables
    if (text === 'show streams in account') return shownAnswer([])
    if (text.includes('snowflake.account_usage.')) return plain("select '' as table_name where 1 = 0")
    if (text.includes(', is_dynamic, is_iceberg, is_hybrid from ')) {
      return run(text.replace(', is_dynamic, is_iceberg, is_hybrid from ', ", 'NO', 'NO', 'NO' from "))
    }
    if (word === 'create' && text.includes("'")) {
      // it makes the table, and then stumbles over the quote in its own message
      await run(text)
      return plain("select 'Statement executed successfully.' as status")
    }
    if (word === 'begin') {
      session.begun = true
      return plain("select 'Statement executed successfully.' as status")
    }
    if (word === 'commit' || word === 'rollback') {
      const wrote = session.written
      session.begun = session.written = false
      const answer = await plain(wrote ? word : "select 'Statement executed successfully.' as status")
      locks.release(token)
      return answer
    }
    if (word !== 'update' && word !== 'delete') return run(word === 'select' ? withEmulatedFunctions(text) : text)
    const table = /^(?:update|delete from) ((?:"(?:[^"]|"")*"\.?)+)/i.exec(text)?.[1] ?? text
    const locked = await locks.take(table, token)
    written.add(table)
    if (!locked) return lockTimeout
    if (session.begun && !session.written) {
      await plain('begin')
      session.written = true
    }
    try {
      const answer = await run(withEmulatedFunctions(text))
      // it only says that it stumbled, and does so over a column that may not be null
      return answer.code === '000001' && word === 'update' ? notNull : answer
    } finally {
      if (!session.begun) locks.release(token)
    }
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const raw = Buffer.concat(chunks)
    const body = (request.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw).toString()
    const send = (status: number, text: string) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(text)
    }
    const { pathname } = new URL(request.url!, target)
    if (pathname === '/queries/v1/query-request') return send(200, JSON.stringify(await query(request, body)))
    if (pathname.endsWith('/abort-request') || pathname.startsWith('/telemetry')) return send(200, '{"success":true}')
    const { authorization = '' } = request.headers
    if (pathname === '/session' && sessions.get(authorization)?.written) {
      // the service takes back what a session has not committed when it ends
      const statement = { method: 'POST', url: '/queries/v1/query-request', headers: request.headers }
      await query(statement, JSON.stringify({ sqlText: 'rollback' }))
    }
    const { status, text } = await forward(request, body)
    if (pathname === '/session') locks.release(authorization)
    send(status, text)
  }

  const server: Server = createServer((request, response) => {
    answer(request, response).catch((error) => response.writeHead(503).end(String(error)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    keys,
    written,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const notNull: ServiceAnswer = {
  data: { errorCode: '100072', sqlState: '22000' },
  code: '100072',
  message: 'NULL result in a non-nullable column',
  success: false,
}

const lockTimeout: ServiceAnswer = {
  data: { errorCode: '000625', sqlState: '57014' },
  code: '000625',
  message: 'Your statement was aborted because the number of waiters for this lock exceeds the limit.',
  success: false,
}

function keysAnswer(
  keys: Map<string, DeclaredKeys>,
  [, kind, database, schema, table]: RegExpExecArray,
): ServiceAnswer {
  const declared = keys.get(`${database}.${schema}`)?.[kind as keyof DeclaredKeys] ?? []
  const name = kind === 'imported' ? 'fk_table_name' : 'table_name'
  return shownAnswer(declared.filter((row) => table === undefined || row[name] === table.replaceAll('""', '"')))
}

const policyGrants = ['AGGREGATION', 'MASKING', 'PROJECTION', 'ROW ACCESS'].map(
  (kind): ShownKey => ({ privilege: `APPLY ${kind} POLICY`, granted_on: 'ACCOUNT' }),
)

function shownAnswer(rows: readonly ShownKey[]): ServiceAnswer {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  return {
    data: {
      rowtype: columns.map((column) => ({
        name: column,
        type: 'text',
        nullable: true,
        length: 100,
        byteLength: 400,
        scale: null,
        precision: null,
      })),
      rowset: rows.map((row) => columns.map((column) => String(row[column]))),
      total: rows.length,
      returned: rows.length,
      queryId: '01b00000-0000-0000-0000-000000000000',
      statementTypeId: 4096,
      parameters: [],
      queryResultFormat: 'json',
    },
    code: null,
    message: null,
    success: true,
  }
}
