import * as z from 'zod'
import { always } from './document.js'
import type { InputOf } from './input-of.js'
import { deriveKey } from './key.js'
import { type Parsed, parseInput } from './parse-input.js'

/** One thing a person is asked to look up. */
export interface ManualField {
  /** What the person who looks it up reads. */
  readonly piiField: string
  /** What the data subject reads; unique within its webhook. */
  readonly dsrPackageLabel: string
}

/** What people have to look up for every access request, because no connector can. It belongs to one connection. */
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

/** Of a label that is no text is said so, and nothing else. */
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
    const message = 'cannot be derived from this field: give one'
    context.addIssue({ code: 'custom', path: ['dsrPackageLabel'], message, params: { type: 'missing' } })
  }, always)

const labelOf = ({ piiField, dsrPackageLabel: label }: z.output<typeof fieldSchema>): string | undefined =>
  label?.trim() ? label : deriveKey(piiField)

/** What a manual webhook asks for (specification, Manual webhook). */
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

/** What people are asked for, as a caller writes it. */
export interface ManualWebhookInput extends InputOf<typeof manualWebhookSchema> {}
export interface ManualWebhookDefinition extends z.output<typeof manualWebhookSchema> {}

const readOnly = ['id', 'connectionKey', 'connection_config', 'createdAt', 'updatedAt', 'created_at', 'updated_at']

/** Reads what a manual webhook asks for. Every field has its label afterwards. */
export function parseManualWebhook(input: unknown): Parsed<ManualWebhookDefinition> {
  return parseInput('manual webhook', manualWebhookSchema, input, { readOnly: [...readOnly, 'warnings', 'findings'] })
}
