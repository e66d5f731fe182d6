import { once } from 'node:events'
import { Agent, createServer, type RequestListener, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { PrivacyService } from '@habeas/core'
import { describe, expect, it } from 'vitest'
import { openWorld, root } from './contract/world.js'

interface Refusal {
  readonly status: number
  readonly bytes: number
  readonly withToken: boolean
}

/** Answers that are given before the body was read. */
const refusals: readonly Refusal[] = [
  { status: 401, bytes: 900_000, withToken: false },
  { status: 401, bytes: 3_000_000, withToken: false },
  { status: 413, bytes: 3_000_000, withToken: true },
]

/** Declares that a connection carries the next call after an answer that came before the end of the body. */
export function keptConnections(name: string, listener: (privacy: PrivacyService) => RequestListener): void {
  describe(`${name} keeps its connections`, () => {
    for (const { status, bytes, withToken } of refusals) {
      for (const framing of ['content-length', 'transfer-encoding'] as const) {
        it(`after ${status} for ${bytes} bytes with ${framing}`, async () => {
          const world = await openWorld()
          const { accessToken } = await world.privacy.tokens.issue(root)
          const server = createServer(listener(world.privacy)).listen(0, '127.0.0.1')
          await once(server, 'listening')
          const { port } = server.address() as AddressInfo
          const agent = new Agent({ keepAlive: true, maxSockets: 1 })
          const headers = {
            'content-type': 'application/json',
            ...(withToken && { authorization: `Bearer ${accessToken}` }),
            ...(framing === 'content-length' ? { [framing]: bytes } : { [framing]: 'chunked' }),
          }
          const call = async (method: string, path: string, body?: Buffer) => {
            const sent = request({ port, agent, method, path, ...(body && { headers }) }).end(body)
            const [response] = await once(sent, 'response')
            const { localPort } = response.socket
            await response.toArray()
            return { status: response.statusCode, connection: localPort }
          }
          try {
            const first = await call('POST', '/api/v1/registry', Buffer.alloc(bytes, 32))
            const second = await call('POST', '/api/v1/registry', Buffer.alloc(bytes, 32))
            const third = await call('GET', '/health')
            expect([first.status, second.status, third.status]).toEqual([status, status, 200])
            expect(new Set([first.connection, second.connection, third.connection]).size).toBe(1)
          } finally {
            agent.destroy()
            server.close()
            server.closeAllConnections()
            await world.privacy.close()
          }
        })
      }
    }
  })
}
