import { isPrivacyError, PrivacyError } from '@habeas/core'
import { type AccessToken, accessTokens } from './access-tokens.js'
import { type Answer, attempt } from './attempt.js'
import { addressOf, type CallAddress, type CallParameters } from './call-address.js'
import { callError } from './call-error.js'
import { type Download, downloadOf } from './download.js'
import type {
  CallOptions,
  CallResult,
  EndpointKey,
  Given,
  ListCallOptions,
  ListCallResult,
  ReadKey,
} from './endpoint-key.js'
import { type PrivacyClientOptions, readSettings, wrong } from './read-settings.js'
import { untilAborted } from './until-aborted.js'
import { withRetries } from './with-retries.js'
import { basic, withoutToken } from './without-token.js'

/** Every endpoint of the interface, by verb and path. All methods throw `PrivacyError`, or the reason of their signal. */
export interface PrivacyClient {
  /**
   * Calls an endpoint: `call('GET /api/v1/connection/{connection_key}', { path: { connection_key: 'shop' } })`. Gives
   * what the endpoint answers as the OpenAPI document describes it.
   */
  call<const Key extends EndpointKey>(key: Key, ...options: Given<CallOptions<Key>>): Promise<CallResult<Key>>
  /** With a list as the body, which is answered item by item. */
  call<const Key extends EndpointKey>(key: Key, options: ListCallOptions<Key>): Promise<ListCallResult<Key>>
  /**
   * Calls an endpoint and gives its answer as it comes, for packages of any size. The stream must be read to its
   * end or returned early, as `for await` does by itself.
   */
  stream<const Key extends ReadKey>(key: Key, ...options: Given<CallOptions<Key>>): Promise<Download>
}

/** What `call` takes for any endpoint. */
interface AnyOptions extends CallParameters {
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
}

interface Call extends AnyOptions, CallAddress {
  readonly key: EndpointKey
}

/**
 * A client of the interface over HTTP, as one of its OAuth clients. Asks for its token by itself and renews it; tries
 * again what the service refused for now. Throws `misconfigured` when an option is wrong.
 */
export function createPrivacyClient(options: PrivacyClientOptions): PrivacyClient {
  const settings = readSettings(options)
  const secret = basic(settings.clientId, settings.clientSecret)
  const tokens = accessTokens(askForToken)

  async function askForToken(): Promise<AccessToken> {
    const body = {
      grant_type: 'client_credentials',
      ...(settings.scope.length > 0 && { scope: settings.scope.join(' ') }),
    }
    const given = await exchange(addressed('POST /api/v1/oauth/token', { body }), secret, readResult)
    const { access_token: text, expires_in: lifetimeSeconds } = Object(given) as Record<string, unknown>
    if (typeof text !== 'string' || typeof lifetimeSeconds !== 'number') {
      throw wrong('baseUrl', 'is not where the interface is mounted: what answers there gives no token')
    }
    return { text, lifetimeSeconds }
  }

  function addressed(key: EndpointKey, options: AnyOptions): Call {
    return { ...options, key, ...addressOf(settings.baseUrl, key, options) }
  }

  async function perform<Result>(call: Call, read: Reader<Result>): Promise<Result> {
    const { key, signal } = call
    const proof = withoutToken[key]
    if (proof) return exchange(call, proof === 'secret' ? secret : undefined, read)
    const token = await untilAborted(tokens.get(), signal)
    try {
      return await exchange(call, `Bearer ${token}`, read)
    } catch (error) {
      if (!isPrivacyError(error, 'unauthenticated') && !isPrivacyError(error, 'token_expired')) throw error
      tokens.refused(token)
      return exchange(call, `Bearer ${await untilAborted(tokens.get(), signal)}`, read)
    }
  }

  function exchange<Result>(call: Call, authorization: string | undefined, read: Reader<Result>): Promise<Result> {
    const { verb, key, path, signal } = call
    const { baseUrl, retries, timeoutSeconds } = settings
    const isRepeatable = ['GET', 'PUT', 'DELETE'].includes(verb) || authorization === secret
    let status: number | undefined

    async function once(): Promise<Result> {
      status = undefined
      const send = (ending: AbortSignal) => settings.fetch(requestOf(call, authorization, ending))
      const answer = await attempt(send, { baseUrl, timeoutSeconds, signal })
      status = answer.response.status
      if (answer.response.ok) return read(answer)
      throw callError(answer.response, await answer.text(), key, path)
    }

    const worth = ({ code }: PrivacyError) =>
      status === 429 || status === 503 || (isRepeatable && code === 'unavailable')
    return withRetries(once, { retries, signal, worth })
  }

  return {
    call: async (key: EndpointKey, given: AnyOptions = {}) => perform(addressed(key, given), readResult),
    stream: async (key: ReadKey, given: AnyOptions = {}) => perform(addressed(key, given), downloadOf),
  } as PrivacyClient
}

type Reader<Result> = (answer: Answer) => Promise<Result>

function requestOf({ verb, url, body }: Call, authorization: string | undefined, signal: AbortSignal): Request {
  return new Request(url, {
    method: verb,
    headers: {
      ...(authorization !== undefined && { authorization }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    // A redirect must not carry the secrets of callers to another server.
    redirect: 'manual',
    signal,
  })
}

/** Undefined where the answer is empty, text where it is not JSON. */
async function readResult({ response, text }: Answer): Promise<unknown> {
  const answer = await text()
  if (answer === '') return undefined
  if (!/^application\/(.+\+)?json\b/.test(response.headers.get('content-type') ?? '')) return answer
  try {
    return JSON.parse(answer)
  } catch {
    // The parser repeats the text that it cannot read, which may be personal.
    throw new PrivacyError('internal', 'The service answered with JSON that cannot be read.')
  }
}
