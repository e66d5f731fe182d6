import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createPrivacyService } from '@habeas/core'
import { createPrivacyRouter } from '@habeas/http-express'

const secret = randomBytes(32).toString('base64url')
const privacy = createPrivacyService({
  encryptionKey: randomBytes(32).toString('base64'),
  security: { oauthRootClientId: 'root', oauthRootClientSecret: secret },
})

// The router needs no Express: whatever hands on `node:http` and a `next` will do.
const router = createPrivacyRouter(privacy)
const server = createServer((request, response) => {
  router(request, response, (error) => response.writeHead(error ? 500 : 404).end())
})

server.listen(Number(process.env['PORT'] ?? 3000), () => {
  const { port } = server.address() as AddressInfo
  console.log(`curl -u root:${secret} -d grant_type=client_credentials http://localhost:${port}/api/v1/oauth/token`)
})

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    server.close()
    server.closeAllConnections()
    await privacy.close()
  })
}
