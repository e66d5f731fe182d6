import { type ConnectionConfig, type ConnectionTestResult, schemas, type WrittenConnection } from '@habeas/core'
import * as z from 'zod'
import { type BodyInput, wireWarnings } from '../body-input.js'
import { type JsonSchema, namedSchema, sentJsonSchema, zodSchema } from '../schema.js'
import { findingSchema, warningSchema } from './notices.js'

/** Names that differ on the wire. */
export const connectionNames = { connection_type: 'connectionType' } as const

/** A connection as it is sent. */
export interface ConnectionInput {
  key?: string | null
  name?: string | null
  description?: string | null
  connection_type?: string
  access?: 'read' | 'write' | null
  disabled?: boolean | null
}

export const connectionInput = namedSchema<ConnectionInput>('ConnectionInput', () => ({
  ...connectionPatch.json(),
  required: ['connection_type'],
}))
/** As it is sent to change one that exists. */
export const connectionPatch = namedSchema<ConnectionInput>('ConnectionPatch', () => {
  const { properties, required: _, ...rest } = sentJsonSchema(schemas.connection)
  const { connectionType, ...others } = properties as JsonSchema
  return { ...rest, properties: { ...others, connection_type: connectionType } }
})

const connectionShape = {
  key: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  connection_type: z.string(),
  access: z.enum(['read', 'write']),
  disabled: z.boolean(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  last_test_timestamp: z.iso.datetime().nullable(),
  last_test_succeeded: z.boolean().nullable(),
}

export const connectionRecord = zodSchema(z.object(connectionShape), { name: 'Connection' })
export const writtenConnectionRecord = zodSchema(
  z.object({ ...connectionShape, findings: z.array(findingSchema), warnings: z.array(warningSchema) }),
  { name: 'ConnectionWritten' },
)
export const testRecord = zodSchema(
  z.object({
    msg: z.string(),
    test_status: z.enum(['succeeded', 'failed', 'skipped']).nullable(),
    failure_reason: z.string().nullable(),
  }),
  { name: 'ConnectionTest' },
)
export const connectionTypeRecord = zodSchema(
  z.object({ identifier: z.string(), type: z.enum(['database', 'saas', 'manual']), human_readable: z.string() }),
  { name: 'ConnectionType' },
)

export function connectionToWire(connection: ConnectionConfig) {
  return {
    key: connection.key,
    name: connection.name,
    description: connection.description ?? null,
    connection_type: connection.connectionType,
    access: connection.access,
    disabled: connection.disabled,
    created_at: connection.createdAt,
    updated_at: connection.updatedAt,
    last_test_timestamp: connection.lastTestAt ?? null,
    last_test_succeeded: connection.lastTestSucceeded ?? null,
  }
}

export function writtenConnectionToWire(connection: WrittenConnection, input: BodyInput) {
  return {
    ...connectionToWire(connection),
    findings: connection.findings.map((finding) => ({ ...finding, loc: finding.loc.map(wireName) })),
    warnings: wireWarnings(connection.warnings, input),
  }
}

const wireName = (part: string | number) => (part === 'connectionType' ? 'connection_type' : part)

export function testToWire({ msg, testStatus, failureReason }: ConnectionTestResult) {
  return { msg, test_status: testStatus, failure_reason: failureReason }
}
