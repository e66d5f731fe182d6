import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A proxy before a server without encryption. It can break every line off at one of the commands that a client sends. */
export async function cuttingProxy(url: string) {
  const { hostname, port } = new URL(url)
  const open = new Set<Socket>()
  let commands = 0
  let cutAt: { readonly command: number; readonly moment: 'before' | 'after' } | undefined
  let isCut = false
  const cut = () => {
    isCut = true
    for (const socket of open) socket.destroy()
  }
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
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
    client.on('data', (data) => {
      // a batch or a call; the login is neither
      const isCommand = data[0] === 1 || data[0] === 3
      if (isCommand) commands++
      const isDue = isCommand && !isCut && cutAt?.command === commands
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
    commands: () => commands,
    wasCut: () => isCut,
    /** Counts from now on, and cuts once, if at all. */
    begin(at?: typeof cutAt) {
      commands = 0
      isCut = false
      cutAt = at
    },
    heal() {
      cutAt = undefined
      isCut = false
    },
    async close() {
      for (const socket of open) socket.destroy()
      server.close()
    },
  }
}
