import { randomBytes } from 'node:crypto'
import { createPrivacyService } from '@habeas/core'
import { createPrivacyRouter } from '@habeas/http-express'
import express from 'express'

/*
 * Process that serves the list of connections twice: through the router, and from a bare route that answers the same
 * JSON. Tells where, and with which token.
 */
export interface HttpServer {
  readonly url: string
  readonly token: string
}

// whoever asked is gone
process.on('disconnect', () => process.exit())

const secret = randomBytes(32).toString('hex')
const privacy = createPrivacyService({
  encryptionKey: randomBytes(32).toString('base64'),
  security: { oauthRootClientId: 'bench', oauthRootClientSecret: secret },
})
for (const name of ['shop', 'billing', 'support', 'warehouse', 'newsletter']) {
  await privacy.connections.create({ name, connectionType: 'manual', description: `What ${name} keeps.` })
}
const { accessToken: token } = await privacy.tokens.issue({ clientId: 'bench', clientSecret: secret })

const app = express()
app.use(createPrivacyRouter(privacy))
let answer: unknown
app.get('/bare', (_, response) => void response.json(answer))
const server = app.listen(0, '127.0.0.1', async () => {
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  const listed = await fetch(`${url}/api/v1/connection`, { headers: { authorization: `Bearer ${token}` } })
  answer = await listed.json()
  process.send?.({ url, token } satisfies HttpServer)
})
