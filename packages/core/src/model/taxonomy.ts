import * as z from 'zod'
import { isPlainObject } from './clean-input.js'
import { always, keyed, ownedShape } from './document.js'
import { documentReader } from './document-reader.js'
import type { InputOf } from './input-of.js'
import { keySchema } from './key.js'

const itemShape = {
  ...ownedShape,
  /** The parent of this item. Default: the dotted prefix of its key. */
  parent_key: keySchema.exactOptional(),
}

/** Completes an item of the taxonomy. An item of a caller is never a built-in one. */
function item<Output extends { service_key?: string; name?: string; parent_key?: string }, Input>(
  schema: z.ZodType<Output, Input>,
) {
  const notItsOwnParent = schema.superRefine((value, context) => {
    if (!isPlainObject(value) || value.parent_key === undefined || value.parent_key !== value.service_key) return
    context.addIssue({ code: 'custom', path: ['parent_key'], message: 'must not be the key itself' })
  }, always)
  return keyed(notItsOwnParent).transform((value): typeof value & { is_default: boolean } => {
    const key = value.service_key
    const prefix = key.slice(0, Math.max(0, key.lastIndexOf('.')))
    return {
      ...value,
      ...(value.parent_key === undefined && keySchema.safeParse(prefix).success && { parent_key: prefix }),
      is_default: false,
    }
  })
}

export const dataCategorySchema = item(z.object(itemShape))

export const dataUseSchema = item(
  z.object({
    ...itemShape,
    legal_basis: z
      .enum(['Consent', 'Contract', 'Legal Obligation', 'Vital Interest', 'Public Interest', 'Legitimate Interests'])
      .exactOptional(),
    special_category: z
      .enum([
        'Consent',
        'Employment',
        'Vital Interests',
        'Non-profit Bodies',
        'Public by Data Subject',
        'Legal Claims',
        'Substantial Public Interest',
        'Medical',
        'Public Health Interest',
      ])
      .exactOptional(),
    recipients: z.array(z.string()).default([]),
    legitimate_interest: z.boolean().exactOptional(),
    legitimate_interest_impact_assessment: z
      .url({ protocol: /^https?$/, error: 'must be a URL that begins with https:// or http://' })
      .exactOptional(),
  }),
)

export const rightSchema = z.enum([
  'Informed',
  'Access',
  'Rectification',
  'Erasure',
  'Portability',
  'Restrict Processing',
  'Withdraw Consent',
  'Object',
  'Object to Automated Processing',
])

export const dataSubjectSchema = item(
  z.object({
    ...itemShape,
    rights: z
      .object({
        strategy: z.enum(['ALL', 'EXCLUDE', 'INCLUDE', 'NONE']),
        values: z.array(rightSchema).default([]),
      })
      .exactOptional(),
    automated_decisions_or_profiling: z.boolean().exactOptional(),
  }),
)

export const dataQualifierSchema = item(z.object(itemShape))

export interface DataCategory extends z.output<typeof dataCategorySchema> {}
export interface DataUse extends z.output<typeof dataUseSchema> {}
export interface DataSubject extends z.output<typeof dataSubjectSchema> {}
export interface DataQualifier extends z.output<typeof dataQualifierSchema> {}

/** A data category as a person writes it. */
export interface DataCategoryInput extends InputOf<typeof dataCategorySchema> {}
/** A data use as a person writes it. */
export interface DataUseInput extends InputOf<typeof dataUseSchema> {}
/** A data subject as a person writes it. */
export interface DataSubjectInput extends InputOf<typeof dataSubjectSchema> {}
/** A data qualifier as a person writes it. */
export interface DataQualifierInput extends InputOf<typeof dataQualifierSchema> {}

export const parseDataCategory = documentReader('data category', dataCategorySchema)
export const parseDataUse = documentReader('data use', dataUseSchema)
export const parseDataSubject = documentReader('data subject', dataSubjectSchema)
export const parseDataQualifier = documentReader('data qualifier', dataQualifierSchema)
