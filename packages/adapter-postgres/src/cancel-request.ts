import type { ClientSettings } from './client-settings.js'
import { loadDriver } from './load-driver.js'
import type { Wire, WireClient } from './wire.js'

const patienceMs = 2000

type WireConstructor = new (options: { ssl: ClientSettings['ssl'] }) => Wire

/** Asks the server, over a separate connection, to stop the statement that the client is running. It never rejects. */
export async function requestCancel({ host, port, ssl }: ClientSettings, client: WireClient): Promise<void> {
  const pg = await loadDriver()
  const wire = new (pg.Connection as unknown as WireConstructor)({ ssl })
  const send = () => wire.cancel(client.processID, client.secretKey)
  return new Promise((resolve) => {
    const timer = setTimeout(() => wire.stream.destroy(), patienceMs)
    wire.on('error', () => wire.stream.destroy())
    // the server answers by closing the connection
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
