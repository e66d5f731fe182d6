import { type ConnectionConfig, type ConnectionTestResult, schemas, type WrittenConnection } from '@habeas/core'
import * as z from 'zod'
import { type BodyInput, wireWarnings } from '../body-input.js'
import { type JsonSchema, namedSchema, sentJsonSchema, zodSchema } from '../schema.js'
import { findingSchema, warningSchema } from './finding-schema.js'
import { wireRecord } from './wire-record.js'

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

const connection = wireRecord<ConnectionConfig>()(
  {
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
  },
  { made: { last_test_timestamp: ({ lastTestAt }) => lastTestAt }, elsewhere: { lastTestAt: 'last_test_timestamp' } },
)
const test = wireRecord<ConnectionTestResult>()({
  msg: z.string(),
  test_status: z.enum(['succeeded', 'failed', 'skipped']).nullable(),
  failure_reason: z.string().nullable(),
})

export const connectionRecord = zodSchema(connection.schema, { name: 'Connection' })
export const writtenConnectionRecord = zodSchema(
  connection.schema.extend({ findings: z.array(findingSchema), warnings: z.array(warningSchema) }),
  { name: 'ConnectionWritten' },
)
export const testRecord = zodSchema(test.schema, { name: 'ConnectionTest' })
export const connectionTypeRecord = zodSchema(
  z.object({ identifier: z.string(), type: z.enum(['database', 'saas', 'manual']), human_readable: z.string() }),
  { name: 'ConnectionType' },
)

export const connectionToWire = connection.toWire
export const testToWire = test.toWire

export function writtenConnectionToWire(connection: WrittenConnection, input: BodyInput) {
  return {
    ...connectionToWire(connection),
    findings: connection.findings.map((finding) => ({ ...finding, loc: finding.loc.map(wireName) })),
    warnings: wireWarnings(connection.warnings, input),
  }
}

const wireName = (part: string | number) => (part === 'connectionType' ? 'connection_type' : part)
