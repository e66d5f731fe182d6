import { type Client, type ClientCredentials, schemas } from '@habeas/core'
import * as z from 'zod'
import { namedSchema, sentJsonSchema, zodSchema } from '../schema.js'
import { wireRecord } from './wire-record.js'

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

const client = wireRecord<Client>()({
  client_id: z.string(),
  name: z.string().nullable(),
  scopes: z.array(z.string()),
  grantable_scopes: z.array(z.string()),
  created_by: z.string().nullable(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
})
const credentials = wireRecord<ClientCredentials>()({ client_id: z.string(), client_secret: z.string() })

export const clientRecord = zodSchema(client.schema, { name: 'Client' })
export const credentialsRecord = zodSchema(credentials.schema, { name: 'ClientCredentials' })
export const clientToWire = client.toWire
export const credentialsToWire = credentials.toWire
