import assert from 'node:assert/strict'
import { checkExchange } from './open-api-check.js'
import type { OpenSkin, SkinOptions } from './skin.js'
import { databasePassword, openWorld, root, type World, type WorldOptions } from './world.js'

export interface CallOptions {
  /** Sent as JSON, unless it is text, bytes or a form. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Null sends none. Default: one of the root client. */
  readonly token?: string | null
  readonly signal?: AbortSignal
  /** True where a body is taken under names that the document leaves to the ancestor. */
  readonly undescribed?: boolean
  /** True where something inside the service is made to fail. */
  readonly mayFail?: boolean
}

export interface Answer<Body = unknown> {
  readonly status: number
  readonly headers: Headers
  /** JSON where the content type says so, else text; undefined where there is none. */
  readonly body: Body
}

export interface Client {
  readonly clientId: string
  readonly clientSecret: string
}

/** A service behind a skin, to be called as a client would. */
export interface Served extends World {
  readonly baseUrl: string
  readonly parsesBodies: boolean
  /** Calls, and checks the answer against the OpenAPI document. */
  call<Body>(method: string, path: string, options?: CallOptions): Promise<Answer<Body>>
  fetch(path: string, init?: RequestInit): Promise<Response>
  /** Asks the token endpoint; without scopes the token has all of its client's. */
  tokenOf(client: Client, ...scopes: readonly string[]): Promise<string>
  /** A token of the root client narrowed to these. */
  tokenWith(...scopes: readonly string[]): Promise<string>
  /** A new client, made by the root client. */
  client(...scopes: readonly string[]): Promise<Client>
  close(): Promise<void>
}

/** HTTP Basic as RFC 6749 wants it: both parts encoded as in a form. */
export function basic({ clientId, clientSecret }: Client): string {
  const encoded = (text: string) => new URLSearchParams({ a: text }).toString().slice(2)
  return `Basic ${Buffer.from(`${encoded(clientId)}:${encoded(clientSecret)}`).toString('base64')}`
}

/** Table keys with the statuses they were seen to answer, over all cases of the process. */
export const seen = new Set<string>()

export interface ServeOptions extends WorldOptions, SkinOptions {}

export async function serve(open: OpenSkin, { openIntake = false, ...options }: ServeOptions = {}): Promise<Served> {
  const world = await openWorld(options)
  const skin = await open(world.privacy, { openIntake })
  const kept = new Set([root.clientSecret, databasePassword])
  let known: Promise<string> | undefined
  const rootToken = () => {
    known ??= tokenOf(root)
    return known
  }

  const fetchBelow = (path: string, init: RequestInit = {}) => skin.fetch(`${skin.baseUrl}${path}`, init)

  async function call<Body>(method: string, path: string, options: CallOptions = {}): Promise<Answer<Body>> {
    const { body, token, signal, undescribed = false, mayFail = false } = options
    const isOther =
      typeof body === 'string' ||
      body instanceof Uint8Array ||
      body instanceof URLSearchParams ||
      body instanceof FormData
    const headers = new Headers(options.headers)
    if (body !== undefined && !isOther) headers.set('content-type', headers.get('content-type') ?? 'application/json')
    if (token !== null && !headers.has('authorization')) {
      headers.set('authorization', `Bearer ${token ?? (await rootToken())}`)
    }
    const response = await fetchBelow(path, {
      method,
      headers,
      ...(body !== undefined && { body: isOther ? (body as NonNullable<RequestInit['body']>) : JSON.stringify(body) }),
      ...(signal && { signal }),
    })
    const text = await response.text()
    assert.ok(mayFail || response.status !== 500, `${method} ${path} failed inside the service: ${text}`)
    refuseLeaks(kept, method, path, response, text)
    const contentType = response.headers.get('content-type')
    const answered = text === '' ? undefined : /[/+]json/.test(contentType ?? '') ? JSON.parse(text) : text
    const { pathname, search } = new URL(path, 'http://localhost')
    const { status } = response
    const sent = body === undefined || isOther || undescribed ? {} : { sent: body }
    const key = checkExchange({ method, path: pathname, search, ...sent, status, contentType, body: answered })
    if (key !== undefined) seen.add(`${key} ${status}`)
    if (/^POST .*\/oauth\/client(\/.*\/secret)?$/.test(key ?? '') && answered.client_secret)
      kept.add(answered.client_secret)
    return { status, headers: response.headers, body: answered as Body }
  }

  async function tokenOf(client: Client, ...scopes: readonly string[]): Promise<string> {
    const form = { grant_type: 'client_credentials', ...(scopes.length > 0 && { scope: scopes.join(' ') }) }
    const { status, body } = await call<{ access_token: string }>('POST', '/api/v1/oauth/token', {
      headers: { authorization: basic(client) },
      body: new URLSearchParams(form),
    })
    assert.equal(status, 200)
    return body.access_token
  }

  return {
    ...world,
    baseUrl: skin.baseUrl,
    parsesBodies: skin.parsesBodies === true,
    call,
    fetch: fetchBelow,
    tokenOf,
    tokenWith: (...scopes) => tokenOf(root, ...scopes),
    async client(...scopes) {
      type Credentials = { client_id: string; client_secret: string }
      const { status, body } = await call<Credentials>('POST', '/api/v1/oauth/client', { body: scopes })
      assert.equal(status, 201)
      return { clientId: body.client_id, clientSecret: body.client_secret }
    },
    async close() {
      await skin.close()
      await world.privacy.close()
    },
  }
}

/** What every answer must have, and what none may say. */
function refuseLeaks(kept: Iterable<string>, method: string, path: string, { headers }: Response, text: string): void {
  const said = [text, ...[...headers].map(([, value]) => value)].join('\n')
  for (const secret of kept) assert.ok(!said.includes(secret), `${method} ${path} tells a secret`)
  assert.equal(headers.get('x-content-type-options'), 'nosniff', `${method} ${path}: may be sniffed`)
  assert.ok(headers.get('cache-control'), `${method} ${path}: says nothing about caching`)
}
