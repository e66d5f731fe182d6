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
  const ports = new Set<number>()
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
    upstream.on('connect', () => ports.add(upstream.localPort as number))
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket
        .on('error', () => {})
        .on('close', () => {
          open.delete(socket)
          client.destroy()
          upstream.destroy()
        })
    }
    let left = 0
    client.on('data', (data) => {
      // what begins with number 0 is a command; the login goes on with other numbers, and a long command in other pieces
      const begins = left === 0
      left = Math.max(0, (begins ? 4 + data.readUIntLE(0, 3) : left) - data.length)
      const isCommand = begins && data.length > 4 && data[3] === 0
      if (isCommand) commands.push(`${data[4]} ${data.subarray(5, 60).toString('latin1')}`)
      const isDue = isCommand && !isCut && cutAt?.command === commands.length
      if (isDue && cutAt?.moment === 'before') return cut()
      upstream.write(data)
      // The server may have carried the command out. The client gets no answer that says so.
      if (isDue) upstream.prependOnceListener('data', cut)
    })
    upstream.on('data', (data) => {
      if (!client.destroyed) client.write(data)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port: own } = server.address() as { port: number }
  return {
    url: url.replace(`${hostname}:${port}`, `127.0.0.1:${own}`),
    /** The code of each command, and the words that it begins with. */
    commands: () => commands,
    wasCut: () => isCut,
    /** From where the server was asked: it names its sessions by them. */
    ports: (): readonly number[] => [...ports],
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
