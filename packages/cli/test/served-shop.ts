import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { postgresConnector } from '@habeas/adapter-postgres'
import { createPrivacyService, memoryBlobs } from '@habeas/core'
import { createHttpHandler } from '@habeas/http'
import { listen } from '../../client/test/served.js'

const root = { id: 'root', secret: 'the root secret of this test, 0123456789' }

/** A service that answers on a port, over a shop, and what the command needs to reach it. */
export async function servedShop(url: string) {
  const privacy = createPrivacyService({
    encryptionKey: randomBytes(32).toString('base64'),
    blobs: memoryBlobs(),
    connectors: [postgresConnector()],
    security: { oauthRootClientId: root.id, oauthRootClientSecret: root.secret },
  })
  await privacy.connections.put({ key: 'shop', connectionType: 'postgres', access: 'write' })
  await privacy.connections.setSecrets('shop', { url })
  const handler = createHttpHandler(privacy, { basePath: '/privacy' })
  const { address, close } = await listen(async (incoming, outgoing) => {
    const { method = 'GET', headers, url: path = '/' } = incoming
    const body = method === 'GET' || method === 'HEAD' ? null : (Readable.toWeb(incoming) as ReadableStream)
    const init = { method, headers: headers as Record<string, string>, body, duplex: 'half' }
    const answer = await handler(new Request(new URL(path, 'http://localhost'), init as RequestInit))
    outgoing.writeHead(answer.status, Object.fromEntries(answer.headers))
    for await (const part of answer.body ?? []) outgoing.write(part)
    outgoing.end()
  })
  return {
    privacy,
    address: `${address}/privacy`,
    env: { HABEAS_CLIENT_ID: root.id, HABEAS_CLIENT_SECRET: root.secret },
    async close() {
      await close()
      await privacy.close()
    },
  }
}
