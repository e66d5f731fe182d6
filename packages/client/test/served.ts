import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createPrivacyService, memoryBlobs, type PrivacyService, type PrivacyServiceOptions } from '@habeas/core'
import { createHttpHandler } from '@habeas/http'
import { createPrivacyRouter } from '@habeas/http-express'
import express from 'express'
import type { PrivacyClientOptions } from '../src/index.js'

export const root = { clientId: 'root', clientSecret: 'not a secret & no form either: 100 %' }

/** A service in memory, without databases. */
export function openService(options: Partial<PrivacyServiceOptions> = {}): PrivacyService {
  return createPrivacyService({
    encryptionKey: randomBytes(32).toString('base64'),
    blobs: memoryBlobs(),
    ...options,
    security: {
      oauthRootClientId: root.clientId,
      oauthRootClientSecret: root.clientSecret,
      allowShortRootSecret: true,
      ...options.security,
    },
  })
}

export interface Served {
  /** What a client needs to reach it. */
  readonly options: PrivacyClientOptions
  close(): Promise<void>
}

/** In an Express app, below a prefix, over a socket. */
export async function overExpress(privacy: PrivacyService): Promise<Served> {
  const app = express()
  app.use('/privacy', createPrivacyRouter(privacy))
  const { address, close } = await listen(app)
  return { options: { ...root, baseUrl: `${address}/privacy/` }, close }
}

/** In this process, without a socket. */
export async function overHandler(privacy: PrivacyService): Promise<Served> {
  const handler = createHttpHandler(privacy)
  const options = { ...root, baseUrl: 'http://service.test', fetch: (request: Request) => handler(request) }
  return { options, close: async () => {} }
}

/** Any server on a free port. */
export async function listen(listener: RequestListener) {
  const server = createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
