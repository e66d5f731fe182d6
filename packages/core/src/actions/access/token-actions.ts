import { createHash } from 'node:crypto'
import { CompactSign, compactVerify } from 'jose'
import { PrivacyError } from '../../errors.js'
import { invalidInput } from '../../model/parse-input.js'
import { readScope, scopes } from '../../model/scopes.js'
import type { ActionContext } from '../action-context.js'
import type { ServiceKeys } from '../service-keys.js'
import { tookEffect } from '../until-written.js'
import { hashSecret, holdsSecret, isClientId, secretMark } from './client-credentials.js'
import { failureLimit } from './failure-limit.js'

export interface TokenOptions {
  readonly expireMinutes: number
  readonly rootClientId?: string | undefined
  readonly rootClientSecret?: string | undefined
  readonly serviceKeys: ServiceKeys
}

/** The client, and how it proves itself. */
export interface Credentials {
  readonly clientId: string
  /** One secret, or the possible readings of the one that was sent. */
  readonly clientSecret: string | readonly string[]
  /** The origin of the call, for counting failures. */
  readonly address?: string | undefined
}

/** A client that proved itself, with the scopes it has now. */
export interface Caller {
  readonly clientId: string
  readonly isRoot: boolean
  readonly scopes: readonly string[]
}

export interface IssuedToken {
  readonly accessToken: string
  /** Seconds. */
  readonly expiresIn: number
  readonly scopes: readonly string[]
}

/** The content of a valid token. Times are seconds since 1970. */
export interface TokenDescription extends Caller {
  readonly tokenId: string
  readonly issuedAt: number
  readonly expiresAt: number
}

interface Claims {
  readonly sub: string
  readonly scope: string
  readonly jti: string
  readonly iat: number
  readonly exp: number
  /** Mark of the secret the token was issued for. */
  readonly mark: string
}

/** Checked signatures are remembered until their tokens expire, at most this many. */
const mostRemembered = 10_000
const failuresPerMinute = 30
/** Later times have more digits, and would sort before all others. */
const latest = Date.UTC(9999, 11, 31)

/** Access tokens for clients (RFC 6749): signed, revocable, and never with more scopes than the client has now. */
export function tokenActions(context: ActionContext, options: TokenOptions) {
  const { storage, runtime } = context
  const { rootClientId, rootClientSecret, serviceKeys } = options
  const limit = failureLimit(runtime, { failures: failuresPerMinute, windowSeconds: 60 })
  const remembered = new Map<string, Claims>()
  // Compared where there is no such client, so that the answer takes as long.
  const noSecretHash = hashSecret(Buffer.from(runtime.randomBytes(32)).toString('hex'))
  const root = rootClientId !== undefined &&
    rootClientSecret !== undefined && {
      clientId: rootClientId,
      isRoot: true,
      scopes: scopes.map(({ name }) => name),
      secretHash: hashSecret(rootClientSecret),
    }

  async function find(clientId: string): Promise<(Caller & { secretHash: string }) | undefined> {
    if (root && clientId === root.clientId) return root
    const row = isClientId(clientId) ? await storage.table('client').get(clientId) : undefined
    return row && { clientId, isRoot: false, scopes: row.scopes, secretHash: row.secretHash }
  }

  async function authenticated({ clientId, clientSecret, address }: Credentials) {
    const client = await find(clientId)
    const secrets = typeof clientSecret === 'string' ? [clientSecret] : clientSecret
    const isRight = holdsSecret(client?.secretHash ?? noSecretHash, secrets)
    if (client && isRight) return client
    limit.failed(`client ${clientId.slice(0, 255)}`, ...(address === undefined ? [] : [`address ${address}`]))
    throw new PrivacyError('unauthenticated', 'The client ID or the client secret is wrong.', {
      reason: 'invalid_client',
    })
  }

  /** The claims of a token with our signature, whether or not it is still valid. */
  async function read(token: string): Promise<Claims> {
    const hash = createHash('sha256').update(token).digest('base64')
    const known = remembered.get(hash)
    if (known) return known
    const { payload } = await compactVerify(token, await serviceKeys('token-signing'), { algorithms: ['HS256'] }).catch(
      (error: unknown) => {
        if (isJoseError(error)) throw refused('malformed')
        throw error
      },
    )
    const claims = JSON.parse(new TextDecoder().decode(payload)) as Claims
    if (remembered.size >= mostRemembered) remembered.delete(remembered.keys().next().value as string)
    remembered.set(hash, claims)
    return claims
  }

  async function describe(token: string): Promise<TokenDescription> {
    const claims = await read(token)
    if (claims.exp * 1_000 <= runtime.now().getTime()) {
      throw new PrivacyError('token_expired', 'The access token has expired: ask for a new one.', { reason: 'expired' })
    }
    const [client, revoked] = await Promise.all([find(claims.sub), storage.table('revokedToken').get(claims.jti)])
    if (!client || revoked || secretMark(client.secretHash) !== claims.mark) throw refused('revoked')
    const granted = claims.scope.split(' ')
    return {
      clientId: client.clientId,
      isRoot: client.isRoot,
      scopes: client.scopes.filter((scope) => granted.includes(scope)),
      tokenId: claims.jti,
      issuedAt: claims.iat,
      expiresAt: claims.exp,
    }
  }

  /** Undefined for a token that is not ours, and for one that is no longer valid. */
  async function describeIfActive(token: string): Promise<TokenDescription | undefined> {
    try {
      return await describe(token)
    } catch (error) {
      if (['unauthenticated', 'token_expired'].includes(PrivacyError.from(error).code)) return undefined
      throw error
    }
  }

  return {
    async issue(
      credentials: Credentials,
      { scope }: { readonly scope?: string | undefined } = {},
    ): Promise<IssuedToken> {
      const client = await authenticated(credentials)
      const granted = scope?.trim() ? narrowed(client.scopes, scope) : client.scopes
      const issuedAt = runtime.now().getTime() / 1_000
      const lifetime = options.expireMinutes * 60
      const claims: Claims = {
        sub: client.clientId,
        scope: granted.join(' '),
        jti: runtime.newId(),
        iat: issuedAt,
        exp: issuedAt + lifetime,
        mark: secretMark(client.secretHash),
      }
      const accessToken = await new CompactSign(new TextEncoder().encode(JSON.stringify(claims)))
        .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' })
        .sign(await serviceKeys('token-signing'))
      return { accessToken, expiresIn: Math.max(1, Math.floor(lifetime)), scopes: granted }
    },

    verify: describe,

    async revoke(token: string, credentials: Credentials): Promise<void> {
      const client = await authenticated(credentials)
      const described = await describeIfActive(token)
      if (!described) return
      if (described.clientId !== client.clientId && !client.scopes.includes('client:update')) {
        const message = 'This token belongs to another client: only a client that may change clients can revoke it.'
        throw new PrivacyError('forbidden', message, { scope: 'client:update' })
      }
      const expiresAt = new Date(Math.min(described.expiresAt * 1_000, latest)).toISOString()
      const table = storage.table('revokedToken')
      await tookEffect(() => table.insert({ id: described.tokenId, version: 1, expiresAt }))
      // Expired tokens need not be remembered.
      const past = await table.find({ where: { expiresAt: { lt: runtime.now().toISOString() } }, limit: 100 })
      for (const { id } of past) await table.take(id)
    },

    async introspect(token: string, credentials: Credentials): Promise<TokenDescription | undefined> {
      const client = await authenticated(credentials)
      const described = await describeIfActive(token)
      const mayKnow = described?.clientId === client.clientId || client.scopes.includes('client:read')
      return mayKnow ? described : undefined
    },
  }
}

function refused(reason: 'malformed' | 'revoked'): PrivacyError<'unauthenticated'> {
  const message =
    reason === 'malformed'
      ? 'The access token was not issued by this service: ask the token endpoint for one.'
      : 'The access token was revoked, or its client is gone: ask the token endpoint for a new one.'
  return new PrivacyError('unauthenticated', message, { reason })
}

function isJoseError(error: unknown): boolean {
  return typeof error === 'object' && error !== null && String((error as { code?: unknown }).code).startsWith('ERR_J')
}

function narrowed(held: readonly string[], asked: string): string[] {
  const granted = asked
    .split(' ')
    .filter(Boolean)
    .map((text) => ({ text, scope: readScope(text) }))
  const issues = granted
    .filter(({ scope }) => scope === undefined || !held.includes(scope))
    .map(({ scope }) => ({
      loc: ['scope'],
      msg: scope === undefined ? 'names a scope that does not exist' : `is not granted to this client: '${scope}'`,
      type: 'invalid_scope',
    }))
  if (issues.length > 0) throw invalidInput('token request', issues)
  return [...new Set(granted.map(({ scope }) => scope as string))].sort()
}
