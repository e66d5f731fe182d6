import { PrivacyError, type UsedScope } from '@habeas/core'

export interface PrivacyClientOptions {
  /** Where the interface is mounted: `https://example.com/privacy`. */
  readonly baseUrl: string
  readonly clientId: string
  readonly clientSecret: string
  /** What tokens are asked for. Default: everything that the client may. */
  readonly scope?: readonly UsedScope[] | undefined
  /** How often a call is tried again after the first time. Default: 3. */
  readonly retries?: number | undefined
  /** How long the service may be silent before an attempt is given up. Default: 60. */
  readonly timeoutSeconds?: number | undefined
  /** Default: the global `fetch`. One of `createHttpHandler` calls a service of the same process. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined
}

/** Options after their check, with `baseUrl` free of the slash at its end. */
export type ClientSettings = Required<{ [Name in keyof PrivacyClientOptions]: NonNullable<PrivacyClientOptions[Name]> }>

/** Throws `misconfigured`, naming the option. */
export function readSettings(options: PrivacyClientOptions): ClientSettings {
  const { baseUrl, clientId, clientSecret, scope = [], retries = 3, timeoutSeconds = 60 } = options
  for (const [name, text] of Object.entries({ clientId, clientSecret })) {
    if (typeof text !== 'string' || text === '') throw wrong(name, 'must be the text that POST /oauth/client gave')
  }
  if (!Number.isSafeInteger(retries) || retries < 0) throw wrong('retries', 'must be a whole number of at least 0')
  if (!(timeoutSeconds > 0 && timeoutSeconds <= longestTimeout)) {
    throw wrong('timeoutSeconds', `must be a number above 0 and at most ${longestTimeout}`)
  }
  return {
    baseUrl: readBaseUrl(baseUrl),
    clientId,
    clientSecret,
    scope,
    retries,
    timeoutSeconds,
    fetch: options.fetch ?? ((request) => globalThis.fetch(request)),
  }
}

/** A day, since timers take at most some twenty days. */
const longestTimeout = 86_400

function readBaseUrl(text: string): string {
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol))
    throw wrong('baseUrl', 'must be an address such as https://example.com/privacy')
  if (url.username || url.password || url.search || url.hash) {
    throw wrong('baseUrl', 'must have no user, password, query or fragment: the client has options of its own')
  }
  return url.href.replace(/\/+$/, '')
}

export function wrong(option: string, what: string): PrivacyError<'misconfigured'> {
  return new PrivacyError('misconfigured', `Option '${option}' of createPrivacyClient ${what}.`, { option })
}
