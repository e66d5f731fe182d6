import * as z from 'zod'
import { dataTypeSchema } from './data-type.js'
import { keySchema } from './key.js'
import { fieldMaskingSchema } from './masking-strategy.js'

const name = z.string().min(1)

const scalarSchema = z.union([z.string(), z.number(), z.boolean()], {
  error: 'must be text, a number, true or false',
})

const collectionAddress = z.string().regex(/^[^.:].*[.:].+$/s, 'must be dataset:collection or dataset.collection')

const retainSchema = z.strictObject({
  /** Why the law or a contract keeps this; shown in every plan and result. */
  reason: z.string().min(1),
  /** A date, or per row a date field and the ISO 8601 period that must have passed since. */
  until: z
    .union(
      [
        z.iso.date(),
        z.strictObject({
          after: name,
          period: z
            .string()
            .regex(
              /^P(?=\d)(\d+Y)?(\d+M)?(\d+W)?(\d+D)?$/,
              'must be an ISO 8601 period of days or longer, such as P10Y',
            ),
        }),
      ],
      { error: 'must be a date such as 2030-12-31, or an object {after, period}' },
    )
    .exactOptional(),
})

export const referenceSchema = z.strictObject({
  dataset: keySchema,
  /** `collection.path`, the path in dotted form. */
  field: z.string().regex(/^[^.].*\.[^.]+$/s, 'must be collection.field'),
  /**
   * What the reference says about whose rows are. `from`: this row belongs to whoever owns what it points to. `to`: what
   * it points to belongs to this row's person. `both`: this row names the person it points to. `none`: neither, it is never
   * followed. Without one, a plan infers it or leaves it open.
   */
  direction: z.enum(['from', 'to', 'both', 'none']).exactOptional(),
  /** References of one collection to one other collection with the same group must match together. */
  group: name.exactOptional(),
  /** Further equalities on this collection, without which the reference does not hold. */
  when: z.record(name, scalarSchema).exactOptional(),
})

export const datasetMetaSchema = z.strictObject({
  /** Datasets that are searched before this one. */
  after: z.array(keySchema).default([]),
})

export const collectionMetaSchema = z.strictObject({
  /**
   * Fields that say whose a row is, the first that holds a value decides: identity fields or fields with a reference, of a
   * group of references any one. Empty: its rows are nobody's.
   */
  owner: z.array(name).exactOptional(),
  after: z.array(collectionAddress).default([]),
  erase_after: z.array(collectionAddress).default([]),
  /** Never searched. */
  skip_processing: z.boolean().default(false),
  /** `delete`: whole rows go instead of being masked. */
  erase: z.enum(['mask', 'delete']).exactOptional(),
  /** What an erasure does with rows that rows outside the request point to as well. */
  on_shared: z.enum(['retain', 'erase']).default('retain'),
  /** Delivers rows that are somebody else's to an access; they are never followed and never erased. */
  others: z.boolean().default(false),
  retain: retainSchema.exactOptional(),
  /** A condition the database wants with every query; kept as it was written. */
  partition_filter: z
    .unknown()
    .refine((filter) => filter !== undefined, 'must not be empty')
    .exactOptional(),
})

export const fieldMetaSchema = z.strictObject({
  /** The identity property whose values stand in this field. */
  identity: name.exactOptional(),
  primary_key: z.boolean().default(false),
  references: z.array(referenceSchema).default([]),
  data_type: dataTypeSchema,
  /** Longest text in characters. */
  length: z.int().min(1).exactOptional(),
  /** Both sides are compared lower-cased, by the server. Absent: for e-mail identities only. */
  case_insensitive: z.boolean().exactOptional(),
  /** Values that stand for "none" and are never followed. */
  placeholders: z.array(scalarSchema).default([]),
  /** Delivers every element of an array, not only those that matched. */
  return_all_elements: z.boolean().default(false),
  read_only: z.boolean().default(false),
  /** A person has looked at the field: what is proposed for it counts as refused unless it is described here. */
  reviewed: z.boolean().default(false),
  masking_strategy: fieldMaskingSchema.exactOptional(),
  retain: retainSchema.exactOptional(),
})

export type Retain = z.output<typeof retainSchema>
export type Reference = z.output<typeof referenceSchema>
export type FieldMeta = z.output<typeof fieldMetaSchema>
