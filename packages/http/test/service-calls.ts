import { createPrivacyService, memoryStorage, type PrivacyServiceOptions } from '@habeas/core'
import { createHttpHandler } from '@habeas/http'

const root = { id: 'root', secret: 'the secret of the root client, long' }

export interface Answer<Body = unknown> {
  readonly status: number
  readonly headers: Headers
  /** JSON; undefined where there is none. */
  readonly body: Body
}

/** A service behind its HTTP handler, with a token that may do everything. Closed by the caller. */
export async function servedService(options: PrivacyServiceOptions = {}) {
  const storage = options.storage ?? memoryStorage()
  const privacy = createPrivacyService({
    encryptionKey: Buffer.alloc(32, 5).toString('base64'),
    ...options,
    storage,
    security: { oauthRootClientId: root.id, oauthRootClientSecret: root.secret, ...options.security },
    execution: { immediate: false, ...options.execution },
  })
  const handler = createHttpHandler(privacy)

  /** A token with these scopes and no others. */
  async function tokenFor(...scopes: readonly string[]): Promise<string> {
    const { clientId, clientSecret } = await privacy.clients.create({ scopes })
    return (await privacy.tokens.issue({ clientId, clientSecret })).accessToken
  }

  const token = (await privacy.tokens.issue({ clientId: root.id, clientSecret: root.secret })).accessToken

  /** Calls with a key like those of the endpoint table: `GET /api/v1/connection`. */
  async function call<Body>(
    key: string,
    body?: unknown,
    authorization: string | null = `Bearer ${token}`,
  ): Promise<Answer<Body>> {
    const [method = '', path = ''] = key.split(' ')
    const response = await handler(
      new Request(`https://example.org${path}`, {
        method,
        headers: {
          ...(authorization !== null && { authorization }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    )
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) }
  }

  return { privacy, storage, handler, call, tokenFor }
}
