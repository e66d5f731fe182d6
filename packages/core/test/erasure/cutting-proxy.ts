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

/** Bytes of a client that go to the server in one piece. */
export interface SentPart {
  readonly bytes: Buffer
  /** The words of the command that it is. Absent where it is none. */
  readonly command?: string
  /** Gets what the server answers first. */
  readonly answered?: (answer: Buffer) => void
}

/** Divides what comes over one line, by the protocol of the server. It may hold bytes back until more have come. */
export type LineReader = (data: Buffer) => readonly SentPart[]

/** A proxy before a server. It can break every line off at one of the commands that a client sends. */
export async function cuttingProxy(url: string, readerOfLine: () => LineReader) {
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
    const read = readerOfLine()
    const upstream = connect(Number(port), hostname)
    upstream.on('connect', () => ports.add(upstream.localPort as number))
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
    client.on('data', (data) => {
      for (const { bytes, command, answered } of read(data)) {
        if (isCut) return
        if (command !== undefined) commands.push(command)
        const isDue = command !== undefined && cutAt?.command === commands.length
        if (isDue && cutAt?.moment === 'before') return cut()
        if (answered) upstream.prependOnceListener('data', answered)
        upstream.write(bytes)
        // The server may have carried the command out. The client gets no answer that says so.
        if (isDue) upstream.prependOnceListener('data', cut)
      }
    })
    upstream.on('data', (data) => {
      if (!client.destroyed && !isCut) client.write(data)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port: own } = server.address() as { port: number }
  return {
    url: url.replace(`${hostname}:${port}`, `127.0.0.1:${own}`),
    /** The words of each command. */
    commands: () => commands,
    wasCut: () => isCut,
    /** From where the server was asked: some servers name their sessions by them. */
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
