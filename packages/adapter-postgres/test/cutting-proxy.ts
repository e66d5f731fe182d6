import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** Where every line breaks off: at the nth command, before the server gets it, or when it would answer. */
export interface Cut {
  readonly command: number
  readonly moment: 'before' | 'after'
  /** Is called when it happens. */
  readonly onCut?: () => void
}

/** A proxy before a server of the protocol. It can break every line off at one of the commands that a client sends. */
export async function cuttingProxy(url: string) {
  const { hostname, port } = new URL(url)
  const open = new Set<Socket>()
  let commands: string[] = []
  let cutAt: Cut | undefined
  let isCut = false
  const cut = () => {
    isCut = true
    cutAt?.onCut?.()
    for (const socket of open) socket.destroy()
  }
  const server = createServer((client) => {
    if (isCut) return void client.destroy()
    const upstream = connect(Number(port), hostname)
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket
        .setNoDelay(true)
        .on('error', () => {})
        .on('close', () => {
          open.delete(socket)
          client.destroy()
          upstream.destroy()
        })
    }
    let held = Buffer.alloc(0)
    let begun = false
    client.on('data', (data) => {
      held = Buffer.concat([held, data])
      for (let end = endOf(held, begun); end !== undefined && !isCut; end = endOf(held, begun)) {
        const sent = held.subarray(0, end)
        held = held.subarray(end)
        const statements = begun ? statementsIn(sent) : []
        begun ||= sent.readInt32BE(4) >> 16 === 3
        if (statements.length === 0) {
          upstream.write(sent)
          continue
        }
        commands.push(statements.join('; '))
        const isDue = cutAt?.command === commands.length
        if (isDue && cutAt?.moment === 'before') return cut()
        upstream.write(sent)
        // The server may have carried the command out. The client gets no answer that says so.
        if (isDue) upstream.prependOnceListener('data', cut)
      }
    })
    upstream.on('data', (data) => {
      if (!client.destroyed) client.write(data)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port: own } = server.address() as { port: number }
  return {
    url: url.replace(`${hostname}:${port}`, `127.0.0.1:${own}`),
    /** The words of each command. Statements that are sent together are one. */
    commands: () => commands,
    wasCut: () => isCut,
    /** Counts from now on, and cuts once, if at all. */
    begin(at?: Cut) {
      commands = []
      isCut = false
      cutAt = at
    },
    heal() {
      cutAt = undefined
      isCut = false
    },
    /** Lets no line through any more. */
    cut,
    async close() {
      for (const socket of open) socket.destroy()
      server.close()
    },
  }
}

/** Where the first part of the bytes ends that a server carries out at once. Undefined where some of it is still to come. */
function endOf(bytes: Buffer, begun: boolean): number | undefined {
  if (!begun) return bytes.length >= 4 && bytes.length >= bytes.readInt32BE(0) ? bytes.readInt32BE(0) : undefined
  for (let at = 0; at + 5 <= bytes.length; ) {
    const end = at + 1 + bytes.readInt32BE(at + 1)
    if (end > bytes.length) return undefined
    // Parse, Bind, Describe, Execute and Close wait for what follows; all else does not
    if (!'PBDEC'.includes(String.fromCharCode(bytes[at]!))) return end
    at = end
  }
  return undefined
}

/** The statements that are sent, or `fetch` for more rows of an earlier one. */
function statementsIn(bytes: Buffer): string[] {
  const found: string[] = []
  let fetches = false
  for (let at = 0; at < bytes.length; at += 1 + bytes.readInt32BE(at + 1)) {
    const type = String.fromCharCode(bytes[at]!)
    fetches ||= type === 'E'
    if (type !== 'Q' && type !== 'P') continue
    const from = type === 'Q' ? at + 5 : bytes.indexOf(0, at + 5) + 1
    found.push(bytes.toString('utf8', from, bytes.indexOf(0, from)).slice(0, 60))
  }
  return found.length === 0 && fetches ? ['fetch'] : found
}
