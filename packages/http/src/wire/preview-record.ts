import type { Plan, PlannedCollection, Preview, Review } from '@habeas/core'
import * as z from 'zod'
import { zodSchema } from '../schema.js'
import { keptCopy, writeLimit } from './collection-result.js'
import { coverage } from './coverage.js'
import { findingSchema } from './finding-schema.js'
import { open, ownerSchema, ownerToWire } from './owner-schema.js'
import { asItIs, notShown, wireRecord } from './wire-record.js'

type Erasure = NonNullable<PlannedCollection['erasure']>

const texts = z.array(z.string())

const mask = wireRecord<Erasure['masks'][number]>()(
  { field: z.string(), strategy: z.string(), rule: z.string(), data_categories: texts },
  {
    made: { strategy: ({ strategy }) => strategy.strategy },
    elsewhere: notShown('path', 'inferred', 'maxLength', 'unsampled', 'list', 'retain'),
  },
)
const retained = wireRecord<Erasure['retained'][number]>()(
  { field: z.string(), reason: z.string() },
  { elsewhere: { path: 'field' } },
)

/** What an erasure does to the rows of a collection. */
const erasure = wireRecord<Erasure>()(
  {
    how: z.enum(['mask', 'delete']),
    key: texts,
    key_source: z.string(),
    masks: z.array(mask.schema),
    retained: z.array(retained.schema),
    retain: z.string().nullable(),
    on_shared: z.enum(['retain', 'erase']),
    read_only: z.boolean(),
    /** A person erases the rows, and says how many. */
    by_hand: z.boolean(),
    /** What the database lacks to protect the writes. */
    write_limits: z.array(writeLimit),
    /** For how many days the database itself keeps what is erased. */
    kept_days: z.int().nullable(),
    /** What in the database keeps rows as they are, and is not reached. */
    kept_copies: z.array(keptCopy.schema),
    pointed_to_by: texts,
  },
  {
    made: {
      key: ({ key }) => key.map(({ column }) => column),
      retain: ({ retain }) => retain?.reason,
      pointed_to_by: ({ pointedToBy }) => [
        ...new Set(pointedToBy.map(({ address, collection }) => address ?? collection)),
      ],
    },
    elsewhere: notShown(
      'keeps',
      'targeted',
      'all',
      'view',
      'generated',
      'rewritten',
      'referencedBy',
      'cascadedBy',
      'instead',
    ),
  },
)

const read = wireRecord<PlannedCollection['read'][number]>()({ field: z.string(), reasons: texts })
const targeted = wireRecord<PlannedCollection['targeted'][number]>()({ field: z.string(), data_categories: texts })

/** Only the whole plan tells who owns the rows of a collection. */
const collection = wireRecord<PlannedCollection & { readonly plan: Plan }>()(
  {
    address: z.string(),
    dataset: z.string(),
    collection: z.string(),
    connection_key: z.string(),
    columns: texts,
    read: z.array(read.schema),
    not_read: texts,
    entered_by: z.array(texts),
    owner: asItIs(ownerSchema),
    references: z.array(asItIs(z.object({ to: z.string(), fields: texts, lookup: z.boolean() }))),
    targeted: z.array(targeted.schema),
    delivered: z.array(asItIs(z.object({ rule: z.string(), fields: texts }))),
    others: z.boolean(),
    /** What an erasure does to its rows; null where it does nothing. */
    erasure: erasure.schema.nullable(),
  },
  {
    made: {
      entered_by: ({ identities }) => identities.map(({ property }) => [property]),
      owner: ({ plan, ...planned }) => ownerToWire(planned, plan),
      references: ({ links }) =>
        links.map(({ to, fields, kind }) => ({ to, fields: fields.map(({ name }) => name), lookup: kind === 'part' })),
      delivered: ({ deliver }) =>
        deliver.map(({ rule, paths }) => ({ rule, fields: paths.map((path) => path.join('.')) })),
    },
    elsewhere: {
      identities: 'entered_by',
      judging: 'owner',
      links: 'references',
      deliver: 'delivered',
      open: 'open of the plan',
      plan: 'the plan',
      doubts: 'coverage of the plan',
      mixed: 'coverage of the plan',
      ...notShown('entries', 'arrays', 'ownedLists', 'unownedLists', 'kept', 'knownBy', 'sharedBy'),
    },
  },
)

const component = wireRecord<Plan['components'][number]>()(
  { members: texts, cyclic: z.boolean() },
  { elsewhere: notShown('needs', 'after') },
)
const identity = wireRecord<Plan['identities'][number]>()({
  properties: texts,
  alone: texts,
  confirmed_by: texts,
  unconfirmable: texts,
})
const unsearched = wireRecord<Plan['unsearched'][number]>()({
  address: z.string(),
  reason: z.string(),
  detail: z.string().nullable(),
  targeted: z.boolean(),
})

type Filter = NonNullable<Plan['filters']>[number]
const bound = z.union([z.string(), z.number()]).nullable()
const range = wireRecord<Filter['ranges'][number]>()(
  { field: z.string(), start: bound, end: bound, empty: z.boolean() },
  { elsewhere: notShown('interval') },
)
/** The ranges of a table that are searched. `all`: they leave no row out. */
const filter = wireRecord<Filter>()(
  { address: z.string(), ranges: z.array(range.schema), all: z.boolean() },
  { elsewhere: { connectionKey: 'the collection', collection: 'address', ...notShown('kind') } },
)

const plan = wireRecord<Plan>()(
  {
    collections: z.array(collection.schema),
    components: z.array(component.schema),
    /** Collections in the order of writing, those that are written as one together; null where nothing is erased. */
    erasure_order: z.array(texts).nullable(),
    identities: z.array(identity.schema),
    open: z.array(open.schema),
    coverage: coverage.schema,
    filters: z.array(filter.schema),
    unsearched: z.array(unsearched.schema),
    findings: z.array(findingSchema),
  },
  {
    made: {
      collections: (plan) => plan.collections.map((each) => ({ ...each, plan })),
      erasure_order: ({ erasure }) => erasure?.map(({ members }) => members),
    },
    elsewhere: { erasure: 'erasure_order', ...notShown('found') },
  },
)

const bytes = z.number().nullable()
/** Bytes that a server bills for each statement; null where it could not say, or there is no such statement. */
const cost = wireRecord<Preview['costs'][number]>()({
  address: z.string(),
  find: bytes,
  count: bytes,
  write: bytes,
  read_again: bytes,
  most: bytes,
})
const previewShape = { plan: plan.schema, text: z.string(), mermaid: z.string(), costs: z.array(cost.schema) }
const preview = wireRecord<Preview>()(previewShape)
const review = wireRecord<Review>()(
  { ...previewShape, plan_hash: z.string(), unproven_identities: texts },
  { made: { unproven_identities: ({ unproven }) => unproven }, elsewhere: { unproven: 'unproven_identities' } },
)

/** What a run would read, from where, in what order, and what not. */
export const previewRecord = zodSchema(preview.schema, { name: 'Preview' })
export const previewToWire = preview.toWire

/** The same for a request that waits for its approval. */
export const reviewRecord = zodSchema(review.schema, { name: 'Review' })
export const reviewToWire = review.toWire
