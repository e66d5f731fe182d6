import type { ErasureReceipt, ReceiptCollection } from '@habeas/core'
import * as z from 'zod'
import { zodSchema } from '../schema.js'
import { fieldResult, keptCopy, lookedFor, outcome, residualHit, undecided, writeLimit } from './collection-result.js'
import { coverage } from './coverage.js'
import { asItIs, notShown, wireRecord } from './wire-record.js'

const time = z.iso.datetime().nullable()

const collection = wireRecord<ReceiptCollection>()(
  {
    dataset: z.string(),
    collection: z.string(),
    found: z.int(),
    before: z.int().nullable(),
    after: z.int().nullable(),
    started_at: time,
    finished_at: time,
    outcomes: z.array(outcome.schema),
    undecided: z.array(undecided.schema),
    /** Elements of lists in rows of the person that are not theirs. */
    elements_left: z.int(),
    /** What the database lacks to protect the writes. */
    write_limits: z.array(writeLimit),
    /** The day until which the database itself keeps what was erased. */
    kept_until: z.iso.date().nullable(),
    /** What in the database still keeps old values of these rows. */
    kept_copies: z.array(keptCopy.schema),
    fields: z.array(fieldResult.schema),
  },
  { made: { elements_left: ({ elementsLeft = 0 }) => elementsLeft } },
)

const receipt = wireRecord<ErasureReceipt>()(
  {
    request_id: z.string(),
    external_id: z.string().nullable(),
    status: z.enum(['complete', 'error']),
    failure: z.string().nullable(),
    requested_at: z.iso.datetime(),
    started_at: time,
    finished_at: z.iso.datetime(),
    policy: asItIs(z.object({ key: z.string(), name: z.string(), hash: z.string() })),
    plan_hash: z.string(),
    collections: z.array(collection.schema),
    residual_hits: z.array(residualHit).nullable(),
    incomplete: z.boolean(),
    found_nothing: z.boolean(),
    looked_for: z.array(lookedFor.schema),
    /** Fields in which an identity of the request is left in rows of the person. */
    identity_remains: z.array(z.string()),
    /** Names of properties that found nothing by themselves, since no row confirmed them. */
    unconfirmed: z.array(z.string()),
    coverage: coverage.schema.nullable(),
    totals: z.record(z.string(), z.int()),
  },
  { elsewhere: notShown('format') },
)

export const receiptRecord = zodSchema(receipt.schema, { name: 'ErasureReceipt' })
export const receiptToWire = receipt.toWire
