import { type DescribedManualWebhook, isPlainObject, type ManualField, type Warning } from '@habeas/core'
import * as z from 'zod'
import { asSent, type BodyInput, fromWire, wireWarnings } from '../body-input.js'
import { namedSchema, zodSchema } from '../schema.js'
import { connectionToWire } from './connection-record.js'
import { warningSchema } from './finding-schema.js'
import { wireRecord } from './wire-record.js'

/** Names of a field that differ on the wire. */
const fieldNames = { pii_field: 'piiField', dsr_package_label: 'dsrPackageLabel' } as const

/** A manual webhook as it is sent. */
export interface ManualWebhookInput {
  fields: readonly { pii_field: string; dsr_package_label?: string | null }[]
}

export const manualWebhookInput = namedSchema<ManualWebhookInput>('ManualWebhookInput', () => ({
  type: 'object',
  properties: {
    fields: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        properties: {
          pii_field: { type: 'string', minLength: 1, description: 'What the person reads who looks it up.' },
          dsr_package_label: {
            type: ['string', 'null'],
            description: 'What the data subject reads. By default the key derived from pii_field.',
          },
        },
        required: ['pii_field'],
      },
    },
  },
  required: ['fields'],
}))

/** Brings a definition, its fields included, under the names of the model. */
export function manualWebhookFromWire(body: unknown): BodyInput {
  if (!isPlainObject(body) || !Array.isArray(body['fields'])) return asSent(body)
  const fields = body['fields'].map((field) => fromWire(field, fieldNames))
  return {
    input: { ...body, fields: fields.map(({ input }) => input) },
    locate([first, index, ...rest]) {
      if (first === undefined || index === undefined) return first === undefined ? [] : [first]
      const field = first === 'fields' && typeof index === 'number' ? fields[index] : undefined
      return [first, index, ...(field && rest.length > 0 ? field.locate(rest) : rest)]
    },
  }
}

const field = wireRecord<ManualField>()({ pii_field: z.string(), dsr_package_label: z.string() })

const webhook = wireRecord<DescribedManualWebhook>()(
  {
    id: z.string(),
    connection_config: z.record(z.string(), z.unknown()),
    fields: z.array(field.schema),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  },
  {
    made: {
      id: ({ connectionKey }) => connectionKey,
      connection_config: ({ connection }) => ({ ...connectionToWire(connection) }),
    },
    elsewhere: { connectionKey: 'id', connection: 'connection_config' },
  },
)

export const manualWebhookRecord = zodSchema(webhook.schema, { name: 'ManualWebhook' })
export const writtenManualWebhookRecord = zodSchema(webhook.schema.extend({ warnings: z.array(warningSchema) }), {
  name: 'ManualWebhookWritten',
})
export const manualWebhookToWire = webhook.toWire

export function writtenManualWebhookToWire(
  webhook: DescribedManualWebhook & { readonly warnings: readonly Warning[] },
  input: BodyInput,
) {
  return { ...manualWebhookToWire(webhook), warnings: wireWarnings(webhook.warnings, input) }
}
