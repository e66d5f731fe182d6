import { isPlainObject, PrivacyError, readScope, type TokenDescription } from '@habeas/core'
import type { HttpCall } from './http-call.js'

/** The caller of an endpoint: the client of an access token, or a person whom the host has logged in. */
export interface EndpointCaller {
  /** What the audit trail calls them. */
  readonly name: string
  readonly scopes: readonly string[]
  /** Absent for a person whom the host has logged in. */
  readonly clientId?: string
}

export function clientCaller({ clientId, scopes }: TokenDescription): EndpointCaller {
  return { name: clientId, scopes, clientId }
}

/** The caller whom the host has logged in. Throws `internal` or `misconfigured` when `authorize` is wrong. */
export async function hostCaller({ login }: HttpCall): Promise<EndpointCaller | undefined> {
  if (!login) return undefined
  let authorized: unknown
  try {
    authorized = await login()
  } catch (cause) {
    // The error is about the host and says nothing about the rights of the caller.
    throw new PrivacyError('internal', "Option 'authorize' has thrown an error.", {}, { cause })
  }
  if (authorized === undefined) return undefined
  const { scopes, name } = loginOf(authorized)
  if (!Array.isArray(scopes)) throw wrong('must return a list of scopes, { scopes, name }, or undefined')
  return { name: nameOf(name), scopes: [...new Set(Array.from(scopes, scopeOf))] }
}

/** Reads own members only: `authorize` has not set what an object inherits. */
function loginOf(authorized: unknown): { readonly scopes?: unknown; readonly name?: unknown } {
  if (Array.isArray(authorized)) return { scopes: authorized, name: undefined }
  const own = (member: string) =>
    isPlainObject(authorized) && Object.hasOwn(authorized, member) ? authorized[member] : undefined
  return { scopes: own('scopes'), name: own('name') }
}

function scopeOf(text: unknown): string {
  const scope = typeof text === 'string' ? readScope(text) : undefined
  if (scope !== undefined) return scope
  const shown = typeof text === 'string' && /^[A-Za-z_:-]{1,64}$/.test(text) ? `'${text}'` : 'something'
  throw wrong(`has returned ${shown} as a scope, which is none: GET /oauth/scopes lists those there are`)
}

/** The audit trail keeps the name as it is, and each entry must stay one line. */
function nameOf(name: unknown): string {
  if (name === undefined) return 'host'
  if (
    typeof name === 'string' &&
    /^[^\p{Surrogate}\p{Control}\p{Line_Separator}\p{Paragraph_Separator}]{1,200}$/u.test(name)
  ) {
    return `host:${name}`
  }
  throw wrong('must return a name that is text of 1 to 200 characters in one line')
}

function wrong(what: string): PrivacyError<'misconfigured'> {
  return new PrivacyError('misconfigured', `Option 'authorize' ${what}.`, { option: 'authorize' })
}
