import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** Where every line breaks off: at the nth command, before the server gets it, or when it would answer. */
export interface Cut {
  readonly command: number
  readonly moment: 'before' | 'after'
  /** Is called when it happens. */
  readonly onCut?: () => void
  /** Whether nothing passes any more, and every line stays open until its client is gone. */
  readonly holds?: boolean
}

const [prepare, execute] = [22, 23]

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
    if (cutAt?.holds) return
    for (const socket of open) socket.destroy()
  }
  const server = createServer((client) => {
    if (isCut && !cutAt?.holds) return void client.destroy()
    /** The statements of this line, by the numbers that the server gives them. */
    const prepared = new Map<number, string>()
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
      if (isCommand && !isCut) {
        const text = data[4] === execute ? prepared.get(data.readUInt32LE(5)) : data.toString('latin1', 5)
        commands.push(`${data[4]} ${text}`)
        if (data[4] === prepare)
          upstream.prependOnceListener('data', (answer) => prepared.set(answer.readUInt32LE(5), text ?? ''))
      }
      const isDue = isCommand && !isCut && cutAt?.command === commands.length
      if (isDue && cutAt?.moment === 'before') return cut()
      if (isCut && cutAt?.holds) return
      upstream.write(data)
      // The server may have carried the command out. The client gets no answer that says so.
      if (isDue) upstream.prependOnceListener('data', cut)
    })
    upstream.on('data', (data) => {
      if (!client.destroyed && !(isCut && cutAt?.holds)) client.write(data)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port: own } = server.address() as { port: number }
  return {
    url: url.replace(`${hostname}:${port}`, `127.0.0.1:${own}`),
    /** The code of each command, and its words. */
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
