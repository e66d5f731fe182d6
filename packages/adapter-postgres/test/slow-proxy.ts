import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

export interface SlowProxy {
  readonly port: number
  /** How often a client has spoken again after it was answered. */
  readonly roundTrips: number
  close(): void
}

/** A proxy in front of a server that delays every byte by half a round trip each way. */
export async function slowProxy(port: number, roundTripMs: number): Promise<SlowProxy> {
  const sockets = new Set<Socket>()
  let roundTrips = 0
  const pass = (from: Socket, to: Socket) => {
    sockets.add(from)
    from.on('data', (bytes) => setTimeout(() => to.write(bytes), roundTripMs / 2))
    from.on('close', () => setTimeout(() => to.destroy(), roundTripMs / 2))
    from.on('error', () => to.destroy())
  }
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1').setNoDelay(true)
    client.setNoDelay(true)
    pass(client, upstream)
    pass(upstream, client)
    let isAnswered = true
    client.on('data', () => {
      if (isAnswered) roundTrips++
      isAnswered = false
    })
    upstream.on('data', () => {
      isAnswered = true
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as { port: number }).port,
    get roundTrips() {
      return roundTrips
    },
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
