import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { handler, port, printToken, stopOnSignal } from './service.js'

const server = createServer((incoming, outgoing) => {
  translate(incoming, outgoing).catch(() => outgoing.destroy())
})

async function translate(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const left = new AbortController()
  outgoing.once('close', () => left.abort())
  const { method = 'GET', headers, url = '/', socket } = incoming
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const request = new Request(new URL(url, `http://${headers.host ?? 'localhost'}`), {
    method,
    headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
    signal: left.signal,
    ...(hasBody && { body: Readable.toWeb(incoming), duplex: 'half' }),
  })
  const { remoteAddress: address } = socket
  const { status, headers: answered, body } = await handler(request, address === undefined ? {} : { address })
  outgoing.writeHead(status, Object.fromEntries(answered))
  if (body) await pipeline(body, outgoing)
  else outgoing.end()
}

server.listen(port, () => printToken((server.address() as AddressInfo).port))
stopOnSignal(server)
