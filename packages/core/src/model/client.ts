import * as z from 'zod'
import type { InputOf } from './input-of.js'
import { type Parsed, type ParseOptions, parseInput } from './parse-input.js'
import { readScope, scopes } from './scopes.js'

/** An OAuth client. Its secret is shown once and stored as a hash. */
export interface Client {
  readonly clientId: string
  readonly name?: string
  readonly scopes: readonly string[]
  /** The scopes it may grant to clients it creates or changes. */
  readonly grantableScopes: readonly string[]
  /** The client that created it. Absent when the host did. */
  readonly createdBy?: string
  readonly createdAt: string
  readonly updatedAt: string
}

const scopesSchema = z
  .array(
    z.string().transform((text, context): string => {
      const scope = readScope(text)
      if (scope !== undefined) return scope
      context.addIssue({ code: 'custom', message: 'is not a scope: GET /oauth/scopes lists all of them' })
      return z.NEVER
    }),
  )
  .max(scopes.length + 10)
  .transform((list) => [...new Set(list)].sort())

/** The scopes and the name of a new client. */
export const newClientSchema = z.strictObject({
  name: z.string().max(255).exactOptional(),
  scopes: scopesSchema.default([]),
  grantableScopes: scopesSchema.exactOptional(),
})

/** The new scopes of an existing client. They replace all earlier ones. */
export const clientScopesSchema = z.strictObject({
  scopes: scopesSchema,
  grantableScopes: scopesSchema.exactOptional(),
})

/** A new client: a bare list of scopes, or an object. */
export type ClientInput = readonly string[] | InputOf<typeof newClientSchema>
/** The new scopes of an existing client: a bare list, or an object. */
export type ClientScopesInput = readonly string[] | InputOf<typeof clientScopesSchema>
export type NewClient = z.output<typeof newClientSchema>
export type ClientScopes = z.output<typeof clientScopesSchema>

/** Reads a bare list of scopes, or an object `{scopes, grantableScopes?, name?}`. */
export function parseClient(input: unknown): Parsed<NewClient> {
  return parseInput('client', newClientSchema, ...written(input))
}

export function parseClientScopes(input: unknown): Parsed<ClientScopes> {
  return parseInput('list of scopes', clientScopesSchema, ...written(input))
}

/** Turns a bare list into an object, and maps the places of issues back to the list. */
function written(input: unknown): [input: unknown, options: ParseOptions] {
  if (!Array.isArray(input)) return [input, { readOnly: [] }]
  return [{ scopes: input }, { readOnly: [], locate: ([, ...rest]) => rest }]
}
