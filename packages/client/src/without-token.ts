import type { EndpointKey } from './endpoint-key.js'

/** Endpoints that need the client secret, or nothing, instead of a token. */
export const withoutToken: Readonly<Partial<Record<EndpointKey, 'nothing' | 'secret'>>> = {
  'POST /api/v1/oauth/token': 'secret',
  'POST /api/v1/oauth/revoke': 'secret',
  'POST /api/v1/oauth/introspect': 'secret',
  'GET /.well-known/oauth-authorization-server': 'nothing',
  'GET /health': 'nothing',
  'GET /ready': 'nothing',
  'GET /api/v1/openapi.json': 'nothing',
  'GET /api/v1/docs': 'nothing',
  'GET /api/v1/docs/{file}': 'nothing',
}

/** Both encoded as in a form, which RFC 6749 §2.3.1 has before RFC 7617. */
export function basic(clientId: string, clientSecret: string): string {
  return `Basic ${btoa([clientId, clientSecret].map(encodeURIComponent).join(':'))}`
}
