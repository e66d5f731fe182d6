import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A server before another one that can be cut off. */
export interface SeverableProxy {
  readonly port: number
  /** Ends every connection, and takes no new one until `mend`. */
  cut(): void
  mend(): void
  close(): void
}

export async function severableProxy(target: {
  readonly host: string
  readonly port: number
}): Promise<SeverableProxy> {
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createServer((client) => {
    if (isCut) {
      client.destroy()
      return
    }
    const upstream = connect(target.port, target.host)
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
      socket.pipe(other)
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const end = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: (server.address() as { port: number }).port,
    cut() {
      isCut = true
      end()
    },
    mend() {
      isCut = false
    },
    close() {
      server.close()
      end()
    },
  }
}
