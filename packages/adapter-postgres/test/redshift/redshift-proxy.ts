import net from 'node:net'
import { refusedIn } from './refused-statements.js'

/** A server that speaks for Redshift: it refuses what Redshift refuses, and PostgreSQL behind it does the rest. */
export interface RedshiftProxy {
  readonly port: number
  /** The statements that it has passed on, in their order. */
  readonly statements: string[]
  close(): Promise<void>
}

const [sslRequest, cancelRequest] = [80877103, 80877102]

/** Starts the proxy in front of the PostgreSQL at this port of this machine. */
export async function startRedshiftProxy(upstream: number): Promise<RedshiftProxy> {
  const statements: string[] = []
  const sockets = new Set<net.Socket>()
  const server = net.createServer((client) => {
    const backend = net.connect(upstream, '127.0.0.1')
    for (const [socket, other] of [
      [client, backend],
      [backend, client],
    ] as const) {
      sockets.add(socket)
      // else each small message waits for the answer to the one before
      socket.setNoDelay(true)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
    let started = false
    const fromClient = framed((message, typed) => {
      if (typed) return void backend.write(withStatement(message, statements))
      const code = message.readInt32BE(4)
      if (code === sslRequest) return void client.write('N')
      started = code !== cancelRequest
      backend.write(message)
    })
    client.on('data', (bytes) => fromClient(bytes, () => started))
    const fromServer = framed((message) => void client.write(asRedshiftSays(message)))
    backend.on('data', (bytes) => fromServer(bytes, () => true))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as net.AddressInfo).port,
    statements,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Cuts a stream into messages. Those before the start of a session have no type. */
function framed(each: (message: Buffer, typed: boolean) => void) {
  let waiting: Buffer[] = []
  let held = 0
  let needed = 5
  return (bytes: Buffer, isTyped: () => boolean) => {
    waiting.push(bytes)
    held += bytes.length
    if (held < needed) return
    let rest = Buffer.concat(waiting)
    for (;;) {
      const typed = isTyped()
      const at = typed ? 1 : 0
      needed = rest.length < at + 4 ? at + 4 : rest.readInt32BE(at) + at
      if (rest.length < needed) break
      const message = rest.subarray(0, needed)
      rest = rest.subarray(needed)
      each(message, typed)
    }
    waiting = [rest]
    held = rest.length
  }
}

/** Query and Parse carry a statement. One that Redshift refuses becomes one that PostgreSQL refuses, so that transactions fail as well. */
function withStatement(message: Buffer, statements: string[]): Buffer {
  const type = String.fromCharCode(message[0]!)
  if (type !== 'Q' && type !== 'P') return message
  const from = type === 'Q' ? 5 : message.indexOf(0, 5) + 1
  const end = message.indexOf(0, from)
  const statement = message.toString('utf8', from, end)
  statements.push(statement)
  const what = refusedIn(statement)
  const sent = what === undefined ? translated(statement) : `"Redshift has no ${what}"`
  return messageOf(type, message.subarray(5, from), Buffer.from(sent), message.subarray(end))
}

/** The catalogue of Redshift lies in a schema of its own here, a setting has to have a prefix, and a word is taken. */
function translated(statement: string): string {
  return statement
    .replace(/\bpg_catalog\.(svv_\w+|stv_\w+|pg_constraint)\b/g, 'redshift.$1')
    .replace(/\bjson_serialize\(/g, 'super_as_text(')
    .replace(/\benable_case_sensitive_identifier\b/g, 'redshift.enable_case_sensitive_identifier')
}

function messageOf(type: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

/** Redshift calls itself 8.0.2, and says most of its own errors in words. */
function asRedshiftSays(message: Buffer): Buffer {
  const type = String.fromCharCode(message[0]!)
  if (type === 'S' && message.toString('utf8', 5).startsWith('server_version\0'))
    return messageOf('S', Buffer.from('server_version\x008.0.2\0'))
  if (type !== 'E') return message
  const fields = Object.fromEntries(
    message
      .toString('utf8', 5)
      .split('\0')
      .filter(Boolean)
      .map((field) => [field[0]!, field.slice(1)]),
  )
  const said = saidAs(fields)
  if (!said) return message
  const written = Object.entries({ S: 'ERROR', V: 'ERROR', ...said }).map(([name, text]) => `${name}${text}\0`)
  return messageOf('E', Buffer.from(`${written.join('')}\0`))
}

function saidAs({ C: code, c: column, M: message }: Record<string, string>): Record<string, string> | undefined {
  if (code === '28P01') return { C: '28000', M: message ?? '' }
  if (code === '53300') return { C: '53300', M: 'connection limit "500" exceeded for non-bootstrap users' }
  if (code === '57014') return { C: '57014', M: "Query (1234) cancelled on user's request" }
  if (code === '40001')
    return {
      C: 'XX000',
      M: '1023',
      D: 'Serializable isolation violation on table - 100123, transactions forming the cycle are: 1, 2',
    }
  if (code === '23502')
    return { C: 'XX000', M: `Cannot insert a NULL value into column ${/"([^"]+)"/.exec(message ?? '')?.[1] ?? column}` }
  if (code === '22001')
    return {
      C: 'XX000',
      M: 'Value too long for character type',
      D: 'error: Value too long for character type code: 8001 context: query',
    }
  return undefined
}
