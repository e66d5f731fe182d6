import { randomBytes } from 'node:crypto'
import { createPrivacyService } from '@habeas/core'
import { createHttpHandler } from '@habeas/http'

const secret = randomBytes(32).toString('base64url')

/** In memory, gone with the process. */
const privacy = createPrivacyService({
  encryptionKey: randomBytes(32).toString('base64'),
  security: { oauthRootClientId: 'root', oauthRootClientSecret: secret },
})

/** From `Request` to `Response`, below `/privacy`: the same whatever stands before it. */
export const handler = createHttpHandler(privacy, { basePath: '/privacy' })

/** 0 takes a free port. */
export const port = Number(process.env['PORT'] ?? 3000)

export function printToken(listensOn: number): void {
  const address = `http://localhost:${listensOn}/privacy/api/v1/oauth/token`
  console.log(`curl -u root:${secret} -d grant_type=client_credentials ${address}`)
}

export function stopOnSignal(server: { close(): unknown; closeAllConnections?(): void }): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, async () => {
      server.close()
      server.closeAllConnections?.()
      await privacy.close()
    })
  }
}
