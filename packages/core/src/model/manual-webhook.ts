import * as z from 'zod'
import { always } from './document.js'
import type { InputOf } from './input-of.js'
import { deriveKey } from './key.js'
import { type Parsed, parseInput } from './parse-input.js'

/** One item that a person is asked to look up. */
export interface ManualField {
  /** The label for the person who looks it up. */
  readonly piiField: string
  /** The label for the data subject. It is unique in its webhook. */
  readonly dsrPackageLabel: string
}

/** The items that people look up for every access request because no connector can. They belong to one connection. */
export interface ManualWebhook {
  readonly connectionKey: string
  readonly fields: readonly ManualField[]
  readonly createdAt: string
  readonly updatedAt: string
}

const mostFields = 200
const longestLabel = 255

const labelSchema = z
  .string('must be text')
  .max(longestLabel)
  .refine((label) => label !== '__proto__', 'is a name that is not allowed')

/** A label that is not text has its own issue. No other check runs on it. */
const isLabel = (label: unknown) => label === undefined || typeof label === 'string'

const fieldSchema = z
  .object({
    piiField: labelSchema.refine((text) => text.trim() !== '', 'must not be empty'),
    /** Default: the key derived from `piiField`. */
    dsrPackageLabel: labelSchema.exactOptional(),
  })
  .superRefine((field, context) => {
    const { piiField, dsrPackageLabel: label } = { ...(field as Partial<ManualField> | undefined) }
    if (typeof piiField !== 'string' || piiField.trim() === '' || !isLabel(label)) return
    if (label?.trim() || deriveKey(piiField)) return
    const message = 'cannot be derived from this field: give a label'
    context.addIssue({ code: 'custom', path: ['dsrPackageLabel'], message, params: { type: 'missing' } })
  }, always)

const labelOf = ({ piiField, dsrPackageLabel: label }: z.output<typeof fieldSchema>): string | undefined =>
  label?.trim() ? label : deriveKey(piiField)

/** The schema of a manual webhook (specification, Manual webhook). */
const manualWebhookSchema = z
  .object({
    fields: z.array(fieldSchema).min(1).max(mostFields),
  })
  .superRefine((definition, context) => {
    const fields: unknown = (definition as { fields?: unknown } | undefined)?.fields
    const taken = { piiField: new Set<string>(), dsrPackageLabel: new Set<string>() }
    const note = (index: number, member: keyof typeof taken, value: string | undefined) => {
      if (value !== undefined && taken[member].has(value)) {
        const path = ['fields', index, member]
        context.addIssue({ code: 'custom', path, message: 'is used twice', params: { type: 'duplicate' } })
      }
      if (value !== undefined) taken[member].add(value)
    }
    for (const [index, field] of (Array.isArray(fields) ? fields : []).entries()) {
      if (typeof field?.piiField !== 'string' || !isLabel(field.dsrPackageLabel)) continue
      note(index, 'piiField', field.piiField)
      note(index, 'dsrPackageLabel', labelOf(field))
    }
  }, always)
  .transform(({ fields }) => ({
    fields: fields.map((field) => ({ piiField: field.piiField, dsrPackageLabel: labelOf(field) as string })),
  }))

/** The items to look up, as a caller writes them. */
export interface ManualWebhookInput extends InputOf<typeof manualWebhookSchema> {}
export interface ManualWebhookDefinition extends z.output<typeof manualWebhookSchema> {}

const readOnly = ['id', 'connectionKey', 'connection_config', 'createdAt', 'updatedAt', 'created_at', 'updated_at']

/** Reads a manual webhook. Every field then has a label. */
export function parseManualWebhook(input: unknown): Parsed<ManualWebhookDefinition> {
  return parseInput('manual webhook', manualWebhookSchema, input, { readOnly: [...readOnly, 'warnings', 'findings'] })
}
