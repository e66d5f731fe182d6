import { type Client, type ClientCredentials, schemas } from '@habeas/core'
import * as z from 'zod'
import { namedSchema, sentJsonSchema, zodSchema } from '../schema.js'

/** Names that differ on the wire. */
export const clientNames = { grantable_scopes: 'grantableScopes' } as const

/** A bare list of scopes, or an object. */
export type ClientInput =
  | readonly string[]
  | { scopes?: readonly string[]; grantable_scopes?: readonly string[]; name?: string }

const either = (schema: z.ZodType) => {
  const { properties, ...rest } = sentJsonSchema(schema) as { properties: Record<string, unknown> }
  const { grantableScopes, ...others } = properties
  return {
    anyOf: [
      { type: 'array', items: { type: 'string' } },
      { ...rest, properties: { ...others, grantable_scopes: grantableScopes } },
    ],
  }
}

export const clientInput = namedSchema<ClientInput>('ClientInput', () => either(schemas.client))
export const clientScopesInput = namedSchema<ClientInput>('ClientScopesInput', () => either(schemas.clientScopes))

const scopes = z.array(z.string())

export const clientRecord = zodSchema(
  z.object({
    client_id: z.string(),
    name: z.string().nullable(),
    scopes,
    grantable_scopes: scopes,
    created_by: z.string().nullable(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  }),
  { name: 'Client' },
)
export const credentialsRecord = zodSchema(z.object({ client_id: z.string(), client_secret: z.string() }), {
  name: 'ClientCredentials',
})

export function clientToWire(client: Client) {
  return {
    client_id: client.clientId,
    name: client.name ?? null,
    scopes: [...client.scopes],
    grantable_scopes: [...client.grantableScopes],
    created_by: client.createdBy ?? null,
    created_at: client.createdAt,
    updated_at: client.updatedAt,
  }
}

export function credentialsToWire({ clientId, clientSecret }: ClientCredentials) {
  return { client_id: clientId, client_secret: clientSecret }
}
