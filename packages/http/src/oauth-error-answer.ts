import { isPrivacyError } from '@habeas/core'
import type { HttpAnswer } from './http-call.js'
import { headersOf, isHttpError, problemOf } from './problem.js'

/** Errors of the token, revocation and introspection endpoints (RFC 6749 §5.2). */
export interface OAuthError {
  readonly error: string
  readonly error_description: string
}

export function oauthErrorAnswer(thrown: unknown): HttpAnswer {
  const { status, detail, code } = problemOf(thrown)
  const error = wordFor(thrown, code)
  const shown =
    status === 422 || (isHttpError(thrown) && status < 500 && status !== 405 && status !== 413) ? 400 : status
  const challenge = { 'www-authenticate': 'Basic realm="habeas", charset="UTF-8"' }
  return {
    status: error === 'unauthorized_client' ? 400 : shown,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      pragma: 'no-cache',
      ...headersOf(thrown),
      ...(error === 'invalid_client' && status === 401 && challenge),
    },
    body: JSON.stringify({ error, error_description: detail.replace(/[^\x20-\x7e]|["\\]/g, "'") } satisfies OAuthError),
  }
}

function wordFor(thrown: unknown, code: string): string {
  if (isPrivacyError(thrown, 'invalid_input')) {
    const words = ['unsupported_grant_type', 'invalid_scope', 'unsupported_token_type']
    return thrown.details.issues.map(({ type }) => type).find((type) => words.includes(type)) ?? 'invalid_request'
  }
  if (code === 'unauthenticated' || code === 'rate_limited') return 'invalid_client'
  if (code === 'forbidden') return 'unauthorized_client'
  if (isHttpError(thrown)) return 'invalid_request'
  return code === 'unavailable' ? 'temporarily_unavailable' : 'server_error'
}
