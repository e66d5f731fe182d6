import { type ErrorCode, type Issue, isOutcomeUnknown, isPrivacyError, PrivacyError } from '@habeas/core'
import type { HttpAnswer } from './http-call.js'

/** Codes that only HTTP has, besides those of `PrivacyError`. */
export type HttpErrorCode = 'malformed_body' | 'method_not_allowed' | 'payload_too_large' | 'unsupported_media_type'

/** The one place with status codes of errors. */
const statuses: Readonly<Record<ErrorCode | HttpErrorCode, readonly [status: number, title: string]>> = {
  malformed_body: [400, 'Bad Request'],
  verification_failed: [400, 'Bad Request'],
  unsupported: [400, 'Bad Request'],
  unauthenticated: [401, 'Unauthorized'],
  token_expired: [401, 'Unauthorized'],
  forbidden: [403, 'Forbidden'],
  not_found: [404, 'Not Found'],
  method_not_allowed: [405, 'Method Not Allowed'],
  conflict: [409, 'Conflict'],
  invalid_state: [409, 'Conflict'],
  gone: [410, 'Gone'],
  payload_too_large: [413, 'Content Too Large'],
  unsupported_media_type: [415, 'Unsupported Media Type'],
  invalid_input: [422, 'Unprocessable Content'],
  rate_limited: [429, 'Too Many Requests'],
  internal: [500, 'Internal Server Error'],
  misconfigured: [500, 'Internal Server Error'],
  connection_failed: [502, 'Bad Gateway'],
  unavailable: [503, 'Service Unavailable'],
}

/** With 503, `unavailable` says that a call was not carried out. Where that is not known, callers must not simply repeat it. */
export const statusOfLostAnswer = 504

export const errorCodes = Object.keys(statuses) as (ErrorCode | HttpErrorCode)[]

export function statusOf(code: ErrorCode | HttpErrorCode): number {
  return statuses[code][0]
}

/** RFC 9457. `detail` is a sentence a person can act on; `errors` names every bad place. */
export interface Problem {
  readonly type: 'about:blank'
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: ErrorCode | HttpErrorCode
  readonly errors?: readonly Issue[]
}

/** An error that only HTTP has. */
export interface HttpError {
  readonly code: HttpErrorCode
  readonly detail: string
  readonly headers?: Readonly<Record<string, string>>
  readonly errors?: readonly Issue[]
}

const brand = Symbol('http error')

/** Makes an error to be thrown. */
export function httpError(
  code: HttpErrorCode,
  detail: string,
  more: Pick<HttpError, 'headers' | 'errors'> = {},
): Error & HttpError {
  return Object.assign(new Error(detail), { code, detail, ...more, [brand]: true })
}

export function isHttpError(error: unknown): error is HttpError {
  return typeof error === 'object' && error !== null && brand in error
}

export function problemOf(error: unknown): Problem {
  const { code, detail, errors } = isHttpError(error) ? error : told(error)
  const [status, title] = isOutcomeUnknown(error) ? [statusOfLostAnswer, 'Gateway Timeout'] : statuses[code]
  return { type: 'about:blank', title, status, detail, code, ...(errors && { errors }) }
}

function told(error: unknown): { code: ErrorCode; detail: string; errors?: readonly Issue[] } {
  if (!isPrivacyError(error)) return { code: 'internal', detail: unexpectedDetail }
  if (isUnexpected(error)) return { code: error.code, detail: unexpectedDetail }
  if (isPrivacyError(error, 'invalid_input')) {
    return { code: error.code, detail: error.message, errors: error.details.issues }
  }
  if (isPrivacyError(error, 'forbidden')) return { code: error.code, detail: namingScope(error) }
  return { code: error.code, detail: error.message }
}

/** A refusal names every scope that is missing. */
function namingScope({ message, details: { scope = '' } }: PrivacyError<'forbidden'>): string {
  const unnamed = scope.split(' ').filter((each) => each !== '' && !message.includes(`'${each}'`))
  return unnamed.length === 0 ? message : `${message} This needs the scope '${unnamed.join("', '")}'.`
}

const unexpectedDetail = 'Something failed inside the service, whose operator can find out what: try again later.'

/** Whether an error is unexpected. It then goes to the operator's log, and the caller is told nothing about it. */
export function isUnexpected(error: unknown): boolean {
  return !isHttpError(error) && ['internal', 'misconfigured'].includes(PrivacyError.from(error).code)
}

/** An error as it crosses the wire. */
export function problemAnswer(error: unknown): HttpAnswer {
  const problem = problemOf(error)
  return {
    status: problem.status,
    headers: { 'content-type': 'application/problem+json', ...headersOf(error) },
    body: JSON.stringify(problem),
  }
}

/** The headers of an answer to `error`: when to try again, and how to authenticate (RFC 6750). */
export function headersOf(error: unknown): Record<string, string> {
  if (isHttpError(error)) return { ...error.headers }
  if (isPrivacyError(error, 'unauthenticated') || isPrivacyError(error, 'token_expired')) {
    if (error.details.reason === 'no_token') return { 'www-authenticate': 'Bearer realm="habeas"' }
    return { 'www-authenticate': bearer('invalid_token', error.message) }
  }
  if (isPrivacyError(error, 'forbidden') && error.details.reason === undefined && error.details.scope) {
    const scope = `, scope="${error.details.scope}"`
    return { 'www-authenticate': bearer('insufficient_scope', error.message) + scope }
  }
  if (isPrivacyError(error, 'rate_limited') || isPrivacyError(error, 'unavailable')) {
    const { retryAfterSeconds } = error.details
    return retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }
  }
  return {}
}

function bearer(error: string, description: string): string {
  return `Bearer realm="habeas", error="${error}", error_description="${description.replace(/[^\x20-\x7e]|["\\]/g, "'")}"`
}
