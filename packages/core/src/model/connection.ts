import * as z from 'zod'
import { always } from './document.js'
import type { InputOf } from './input-of.js'
import { deriveKey, optionalKeySchema } from './key.js'
import { type Parsed, parseInput } from './parse-input.js'

/** Every kind of connection in the interface, whether or not its connector is registered. */
export const connectionTypes = [
  { type: 'postgres', name: 'PostgreSQL', category: 'database' },
  { type: 'timescale', name: 'TimescaleDB', category: 'database' },
  { type: 'redshift', name: 'Amazon Redshift', category: 'database' },
  { type: 'mysql', name: 'MySQL', category: 'database' },
  { type: 'mariadb', name: 'MariaDB', category: 'database' },
  { type: 'mssql', name: 'Microsoft SQL Server', category: 'database' },
  { type: 'mongodb', name: 'MongoDB', category: 'database' },
  { type: 'bigquery', name: 'Google BigQuery', category: 'database' },
  { type: 'snowflake', name: 'Snowflake', category: 'database' },
  { type: 'manual', name: 'Manual collection', category: 'manual' },
  { type: 'manual_webhook', name: 'Manual webhook', category: 'manual' },
] as const satisfies readonly { type: string; name: string; category: 'database' | 'saas' | 'manual' }[]

export type ConnectionType = (typeof connectionTypes)[number]['type']

/** A link to an external database. Its secrets are stored apart, encrypted. */
export interface Connection {
  readonly key: string
  readonly name: string
  readonly description?: string
  /** A listed kind, or one that a connector of the host adds. */
  readonly connectionType: ConnectionType | (string & {})
  readonly access: 'read' | 'write'
  /** When true, the service skips its collections. */
  readonly disabled: boolean
  readonly createdAt: string
  readonly updatedAt: string
  readonly lastTestAt?: string
  readonly lastTestSucceeded?: boolean
}

const listedTypes = connectionTypes.map(({ type }) => type)
const webhookKey = /^[A-Za-z0-9_.]+$/

const shape = (customTypes: readonly string[]) => ({
  key: optionalKeySchema,
  name: z.string().exactOptional(),
  description: z.string().exactOptional(),
  connectionType: z.enum([...listedTypes, ...customTypes]),
  access: z.enum(['read', 'write']).default('read'),
  disabled: z.boolean().default(false),
})

function checkKey(input: { key?: unknown; name?: unknown; connectionType?: unknown }, context: z.core.$RefinementCtx) {
  if (typeof input !== 'object' || input === null) return
  const { key, name, connectionType } = input
  const fault = (message: string, type: string) =>
    context.addIssue({ code: 'custom', path: ['key'], message, params: { type } })
  if (!key && !(typeof name === 'string' && deriveKey(name))) {
    fault(
      name
        ? 'cannot be derived from this name: give a key'
        : 'is required, unless a name is given from which it can be derived',
      'missing',
    )
  }
  if (connectionType === 'manual_webhook' && typeof key === 'string' && key && !webhookKey.test(key)) {
    fault('must consist of letters, digits, "_" and "." for a manual webhook', 'invalid_value')
  }
}

const keyOf = ({ key, name }: { key?: string | undefined; name?: string | null | undefined }) =>
  key || (deriveKey(name ?? '') as string)

/** The schema of a new connection. `customTypes` are further kinds for which a connector is registered. */
export function connectionSchema(customTypes: readonly string[] = []) {
  return z
    .object(shape(customTypes))
    .superRefine(checkKey, always)
    .transform(({ key, name, ...rest }) => {
      const complete = keyOf({ key, name })
      return { key: complete, name: name?.trim() ? name : complete, ...rest }
    })
}

/** The schema of a change of a connection: an omitted member stays, null clears it or restores the default. */
export function connectionPatchSchema(customTypes: readonly string[] = []) {
  const { key, name, description, connectionType, access, disabled } = shape(customTypes)
  return z
    .object({
      key,
      name: name.unwrap().nullable().exactOptional(),
      description: description.unwrap().nullable().exactOptional(),
      connectionType: connectionType.exactOptional(),
      access: access.unwrap().nullable().exactOptional(),
      disabled: disabled.unwrap().nullable().exactOptional(),
    })
    .superRefine(checkKey, always)
    .transform(({ key, name, access, disabled, ...patch }) => {
      const complete = keyOf({ key, name })
      return {
        key: complete,
        ...(name !== undefined && { name: name?.trim() ? name : complete }),
        ...(access !== undefined && { access: access ?? 'read' }),
        ...(disabled !== undefined && { disabled: disabled ?? false }),
        ...patch,
      }
    })
}

/** A connection as a caller writes it. `CustomType`: kinds that connectors of the host add. */
export interface ConnectionInput<CustomType extends string = never>
  extends Omit<InputOf<ReturnType<typeof connectionSchema>>, 'connectionType'> {
  connectionType: ConnectionType | CustomType
}
/** A change of a connection: an omitted member stays, null restores the default. */
export interface ConnectionPatchInput<CustomType extends string = never>
  extends Omit<InputOf<ReturnType<typeof connectionPatchSchema>>, 'connectionType'> {
  connectionType?: ConnectionType | CustomType | null | undefined
}
export type NewConnection = z.output<ReturnType<typeof connectionSchema>>
export type ConnectionPatch = z.output<ReturnType<typeof connectionPatchSchema>>

export function parseConnection(input: unknown, customTypes?: readonly string[]): Parsed<NewConnection> {
  return parseInput('connection', connectionSchema(customTypes), input)
}

/** Reads a change of a connection. The result always has a key: the given one, or one derived from the name. */
export function parseConnectionPatch(input: unknown, customTypes?: readonly string[]): Parsed<ConnectionPatch> {
  return parseInput('connection', connectionPatchSchema(customTypes), input)
}
