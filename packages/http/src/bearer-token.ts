import { PrivacyError } from '@habeas/core'
import type { HttpCall } from './http-call.js'

const asked = {
  access: 'This call needs an access token: send the header Authorization: Bearer <ACCESS_TOKEN>.',
  either:
    'This call needs an access token, or the reply token that came with the call of a webhook: Authorization: Bearer <TOKEN>.',
}

/** The token that a call brings, not yet verified. Throws `unauthenticated` when there is none. */
export function bearerToken(call: HttpCall, kind: keyof typeof asked): string {
  const token = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(call.header('authorization') ?? '')?.[1]
  if (token === undefined) throw new PrivacyError('unauthenticated', asked[kind], { reason: 'no_token' })
  return token
}

/** Access tokens are three parts with dots between them (RFC 7515); a reply token has none. */
export function isReplyToken(token: string): boolean {
  return !token.includes('.')
}
