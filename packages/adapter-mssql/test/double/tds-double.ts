import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import pg from 'pg'
import { DoubleSession } from './double-session.js'
import { type Certificate, TdsLine } from './tds-line.js'
import { batchOf, callOf, loginOf } from './tds-requests.js'
import { doneToken, errorToken, loginTokens, type ServerError } from './tds-tokens.js'

export interface TdsDoubleOptions {
  /** The PostgreSQL in whose databases the rows lie. */
  readonly postgresUrl: string
  /** Where given, the double demands encryption. */
  readonly certificate?: Certificate
  /** Most sessions at once. */
  readonly mostSessions?: number
  /** Lets clients log in, and answers nothing more. */
  readonly silent?: boolean
}

const account = { user: 'reader', password: 'Str0ng_Passw0rd' }

/** A server that speaks TDS 7.4 and knows the statements of the adapter. The rows lie in PostgreSQL, and no answer lies here. */
export async function startTdsDouble({
  postgresUrl,
  certificate,
  mostSessions = 100,
  silent = false,
}: TdsDoubleOptions) {
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('error', () => {})
    let session: DoubleSession | undefined
    let client: pg.Client | undefined
    let backend = 0
    let last: Promise<void> = Promise.resolve()
    const line = new TdsLine(socket, certificate, (type, message) => {
      // an attention overtakes the statement that runs, and is answered behind it
      if (type === 6) {
        session?.stop()
        void cancelled(backend)
      }
      last = last.then(() => handle(type, message)).catch(() => void socket.destroy())
    })
    socket.on('close', () => {
      open.delete(socket)
      void cancelled(backend).then(() => client?.end())
    })

    async function handle(type: number, message: Buffer): Promise<void> {
      if (type === 0x10) return login(message)
      if (type === 6) return line.send(doneToken(0x20), true)
      if (!session || (type !== 1 && type !== 3)) throw new Error(`the double knows no message of the type ${type}`)
      const asked = type === 1 ? batchOf(message) : callOf(message)
      if (!silent || asked.sql.startsWith('set ansi_nulls on')) await session.answer(asked)
    }

    async function login(message: Buffer): Promise<void> {
      const { user, password, database } = loginOf(message)
      const failed = { number: 18_456, message: `Login failed for user '${user}'.` }
      const refuse = (...errors: readonly ServerError[]) =>
        line.send(Buffer.concat([...errors.map((error) => errorToken(error, 14)), doneToken(2)]), true)
      if (user !== account.user || password !== account.password) return refuse(failed)
      if (open.size > mostSessions)
        return refuse({
          number: 17_809,
          message: 'Could not connect because the maximum number of user connections has already been reached.',
        })
      const url = new URL(postgresUrl)
      url.pathname = `/${encodeURIComponent(database)}`
      client = new pg.Client(url.href)
      client.on('error', () => void socket.destroy()).on('end', () => void socket.destroy())
      try {
        await client.connect()
      } catch {
        return refuse({ number: 4060, message: `Cannot open database "${database}" requested by the login.` }, failed)
      }
      backend = (client as unknown as { processID: number }).processID
      await client.query("set timezone = 'UTC'")
      session = new DoubleSession(line, client)
      await line.send(loginTokens(database), true)
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }

  /** Ends what a session is doing, over another line. */
  async function cancelled(backend: number): Promise<void> {
    if (backend === 0) return
    const other = new pg.Client(postgresUrl)
    other.on('error', () => {})
    try {
      await other.connect()
      await other.query('select pg_cancel_backend($1)', [backend])
    } catch {
      // the server is being stopped
    } finally {
      await other.end().catch(() => {})
    }
  }

  return {
    port,
    url: (database: string) => `mssql://${account.user}:${account.password}@127.0.0.1:${port}/${database}`,
    sessions: () => open.size,
    async close() {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
