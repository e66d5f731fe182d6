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
  /** Why a law or a contract requires this. Every plan and result shows it. */
  reason: z.string().min(1),
  /** A date, or a date field of the row and the ISO 8601 period that must pass after it. */
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
  /** `collection.path`, the path with dots. */
  field: z.string().regex(/^[^.].*\.[^.]+$/s, 'must be collection.field'),
  /**
   * What the reference says about owners. `from`: this row belongs to the owner of the row it refers to. `to`: the
   * referenced row belongs to the owner of this row. `both`: this row names the person it refers to. `none`: no
   * statement, and the reference is never followed. Without a direction, a plan infers one or leaves it open.
   */
  direction: z.enum(['from', 'to', 'both', 'none']).exactOptional(),
  /** References from one collection to another with the same group must match together. */
  group: name.exactOptional(),
  /** Further conditions on this collection. The reference holds only where they are met. */
  when: z.record(name, scalarSchema).exactOptional(),
})

/** A date, an instant with its offset, or `NOW()` less some days, hours or minutes. */
const boundText = z
  .string()
  .regex(
    /^(?:\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d:\d\d))?|NOW\(\)(?: - [1-9]\d{0,6} (?:DAY|HOUR|MINUTE)S?)?)$/,
    'must be a date, an instant such as 2024-01-31T00:00:00Z, NOW(), or NOW() less a number of DAYS, HOURS or MINUTES',
  )
  .refine((text) => text.startsWith('NOW') || !Number.isNaN(Date.parse(text)), 'must be a date that exists')

const boundSchema = z.union([boundText, z.int()], { error: 'must be a text or a whole number' })

export const partitionRangeSchema = z
  .strictObject({
    /** The column by which the table is partitioned. */
    field: name,
    /** The first value that is searched. */
    start: boundSchema.exactOptional(),
    /** The last value that is searched. */
    end: boundSchema.exactOptional(),
    /** Rows without a value are searched. */
    empty: z.literal(true).exactOptional(),
    /** How the ancestor cut a range into several queries. One statement covers it here, so it changes nothing. */
    interval: z.string().exactOptional(),
  })
  .refine(
    ({ start, end, empty }) => empty !== undefined || start !== undefined || end !== undefined,
    'needs a start, an end, or empty',
  )
  .refine(
    ({ start, end, empty }) => empty === undefined || (start === undefined && end === undefined),
    'is either empty or has a start or an end',
  )

/** Why nobody has to describe something, or why it holds no personal data. */
const waiverSchema = z.strictObject({
  reason: z.string().trim().min(1),
  /** The last day on which the reason counts. */
  until: z.iso.date().exactOptional(),
})

export const datasetMetaSchema = z.strictObject({
  /** Datasets to search before this one. */
  after: z.array(keySchema).default([]),
})

export const collectionMetaSchema = z.strictObject({
  /**
   * Fields that say whose row it is. The first one that holds a value decides. Each is an identity field, a field with
   * a reference, or any field of a group of references. Empty: the rows belong to nobody.
   */
  owner: z.array(name).exactOptional(),
  after: z.array(collectionAddress).default([]),
  erase_after: z.array(collectionAddress).default([]),
  /** When true, the collection is never searched. */
  skip_processing: z.boolean().default(false),
  /** Why it need not be described. It counts as `skip_processing`. */
  waived: waiverSchema.exactOptional(),
  /** `delete`: whole rows are deleted instead of masked. */
  erase: z.enum(['mask', 'delete']).exactOptional(),
  /** What an erasure does with rows that rows outside the request also refer to. */
  on_shared: z.enum(['retain', 'erase']).default('retain'),
  /** Delivers another person's rows in an access. They are never followed and never erased. */
  others: z.boolean().default(false),
  retain: retainSchema.exactOptional(),
  /** The ranges of the partitioning column that are searched. Rows outside of all of them are neither found nor erased. */
  partition_filter: z.array(partitionRangeSchema).min(1).exactOptional(),
})

export const fieldMetaSchema = z.strictObject({
  /** The identity property whose values this field holds. */
  identity: name.exactOptional(),
  primary_key: z.boolean().default(false),
  references: z.array(referenceSchema).default([]),
  data_type: dataTypeSchema,
  /** Longest text in characters. */
  length: z.int().min(1).exactOptional(),
  /** When true, the server compares both sides in lower case. Default: only for e-mail identities. */
  case_insensitive: z.boolean().exactOptional(),
  /** Values that mean "none" and are never followed. */
  placeholders: z.array(scalarSchema).default([]),
  /** Delivers every element of an array, not only the matched ones. */
  return_all_elements: z.boolean().default(false),
  read_only: z.boolean().default(false),
  /** A person has reviewed the field. A proposal for it counts as refused unless it is described here. */
  reviewed: z.boolean().default(false),
  /** The same with its reason. It counts as `reviewed`. */
  waived: waiverSchema.exactOptional(),
  masking_strategy: fieldMaskingSchema.exactOptional(),
  retain: retainSchema.exactOptional(),
})

export type PartitionRange = z.output<typeof partitionRangeSchema>
export type Waiver = z.output<typeof waiverSchema>
export type Retain = z.output<typeof retainSchema>
export type Reference = z.output<typeof referenceSchema>
export type FieldMeta = z.output<typeof fieldMetaSchema>
