import { type ErrorCode, type ErrorDetails, type Issue, PrivacyError } from '@habeas/core'
import type { HttpErrorCode, Problem } from '@habeas/http'

/** What a failure says, which may also come from a proxy. */
interface Told {
  readonly code: ErrorCode
  readonly message: string
  readonly issues: readonly Issue[]
  /** A word for programs. */
  readonly reason?: string
}

/** Codes that only HTTP has: the body is the caller's input, the rest is another version of the interface. */
const httpCodes: Readonly<Record<HttpErrorCode, ErrorCode>> = {
  malformed_body: 'invalid_input',
  payload_too_large: 'invalid_input',
  method_not_allowed: 'unsupported',
  unsupported_media_type: 'unsupported',
}

/** Words of RFC 6749. */
const oauthWords = new Map<string, ErrorCode>([
  ['invalid_request', 'invalid_input'],
  ['invalid_scope', 'invalid_input'],
  ['unsupported_grant_type', 'unsupported'],
  ['unsupported_token_type', 'unsupported'],
  ['unauthorized_client', 'forbidden'],
])

/** For answers of proxies between the client and the service. */
const statuses = new Map<number, ErrorCode>([
  [400, 'invalid_input'],
  [401, 'unauthenticated'],
  [403, 'forbidden'],
  [404, 'not_found'],
  [408, 'unavailable'],
  [409, 'conflict'],
  [410, 'gone'],
  [413, 'invalid_input'],
  [422, 'invalid_input'],
  [429, 'rate_limited'],
  [502, 'unavailable'],
  [503, 'unavailable'],
  [504, 'unavailable'],
])

type DetailsOf = { readonly [Code in ErrorCode]: (told: Told, context: Context) => ErrorDetails[Code] }

interface Context {
  /** What was asked for, and its key. */
  readonly kind: string
  readonly id: string
  readonly scope: string | undefined
  readonly retryAfterSeconds: number | undefined
  /** Whether the service, or a proxy before it, does not know what became of the call. */
  readonly isLost: boolean
}

const again = (_: Told, { retryAfterSeconds }: Context) =>
  retryAfterSeconds === undefined ? {} : { retryAfterSeconds }
const reasonOf = ({ reason }: Told) => (reason === undefined ? {} : { reason })

const detailsOf: DetailsOf = {
  invalid_input: ({ issues }) => ({ issues }),
  unauthenticated: reasonOf,
  token_expired: reasonOf,
  forbidden: (told, { scope }) => ({ ...reasonOf(told), ...(scope !== undefined && { scope }) }),
  not_found: (_, { kind, id }) => ({ kind, id }),
  conflict: (_, { kind, id }) => ({ kind, id }),
  // The message names both.
  invalid_state: () => ({ status: '', event: '' }),
  verification_failed: reasonOf,
  rate_limited: again,
  unsupported: ({ reason }) => (reason === undefined ? {} : { feature: reason }),
  connection_failed: reasonOf,
  gone: (_, { kind, id }) => ({ kind, id }),
  unavailable: (told, context) => ({ ...again(told, context), ...(context.isLost && { outcome: 'unknown' }) }),
  misconfigured: () => ({ option: 'baseUrl' }),
  internal: () => ({}),
}

/**
 * What the answer `body` to a call says went wrong. `path` are the parameters of the call's path; the error has nothing else
 * of what was sent or answered.
 */
export function callError(
  response: Response,
  body: string,
  key: string,
  path: Readonly<Record<string, string>> = {},
): PrivacyError {
  const told = toldBy(response.status, parsed(body))
  const [, segment = key.replace(/^.*\//, ''), name = ''] = /([^/]+)\/\{([^{}]+)\}[^{}]*$/.exec(key) ?? []
  const details = detailsOf[told.code](told, {
    kind: segment.replaceAll(/[-_]/g, ' '),
    id: path[name] ?? '',
    scope: /insufficient_scope.*scope="([^"]*)"/.exec(response.headers.get('www-authenticate') ?? '')?.[1],
    retryAfterSeconds: retryAfter(response),
    isLost: response.status === 504,
  })
  return new PrivacyError<ErrorCode>(told.code, told.message, details)
}

/** Seconds that the answer asks to wait. */
function retryAfter({ headers }: Response): number | undefined {
  const text = headers.get('retry-after')
  if (text === null) return undefined
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - Date.now()) / 1000)
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}

function toldBy(status: number, body: unknown): Told {
  if (isProblem(body)) {
    const { code, detail: message, errors } = body
    if (Object.hasOwn(httpCodes, code)) {
      const issues = [{ loc: ['body'], msg: message, type: code }]
      return { code: httpCodes[code as HttpErrorCode], message, issues, reason: code }
    }
    // A caller cannot mend the settings of the service.
    const isKnown = Object.hasOwn(detailsOf, code) && code !== 'misconfigured'
    return {
      code: isKnown ? (code as ErrorCode) : codeFor(status),
      message,
      issues: Array.isArray(errors) ? errors : [],
    }
  }
  if (isOAuthError(body)) {
    const { error: reason, error_description: message } = body
    const code = oauthWords.get(reason) ?? codeFor(status)
    return { code, message, issues: [{ loc: ['body'], msg: message, type: reason }], reason }
  }
  if (status >= 300 && status < 400) {
    const message = "The service redirects this call: set option 'baseUrl' of createPrivacyClient to where it leads."
    return { code: 'misconfigured', message, issues: [] }
  }
  const message = `The answer has status ${status} and is not of this interface: check that 'baseUrl' is where it is mounted.`
  return { code: codeFor(status), message, issues: [] }
}

function codeFor(status: number): ErrorCode {
  return statuses.get(status) ?? (status >= 400 && status < 500 ? 'unsupported' : 'internal')
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

function isProblem(body: unknown): body is Problem {
  return hasTexts(body, 'code', 'detail')
}

function isOAuthError(body: unknown): body is { readonly error: string; readonly error_description: string } {
  return hasTexts(body, 'error', 'error_description')
}

function hasTexts(body: unknown, ...names: readonly string[]): boolean {
  return typeof body === 'object' && body !== null && names.every((name) => typeof Reflect.get(body, name) === 'string')
}
