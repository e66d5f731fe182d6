import pg from 'pg'
import type { ClientSettings } from './client-settings.js'
import type { Wire, WireClient } from './wire.js'

const patienceMs = 2000

type WireConstructor = new (options: { ssl: ClientSettings['ssl'] }) => Wire

/** Asks the server, over a connection of its own, to stop what the client is running. Never fails: it is a request. */
export function requestCancel({ host, port, ssl }: ClientSettings, client: WireClient): Promise<void> {
  const wire = new (pg.Connection as unknown as WireConstructor)({ ssl })
  const send = () => wire.cancel(client.processID, client.secretKey)
  return new Promise((resolve) => {
    const timer = setTimeout(() => wire.stream.destroy(), patienceMs)
    wire.on('error', () => wire.stream.destroy())
    // the server answers by closing
    wire.on('end', () => {
      clearTimeout(timer)
      resolve()
    })
    wire.on('connect', () => (ssl ? wire.requestSsl() : send()))
    wire.on('sslconnect', send)
    if (host.startsWith('/')) wire.connect(`${host}/.s.PGSQL.${port}`)
    else wire.connect(port, host)
  })
}
