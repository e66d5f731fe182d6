import type { ErasureReceipt } from '@habeas/core'
import * as z from 'zod'
import { zodSchema } from '../schema.js'
import { coverageSchema, coverageToWire } from './coverage.js'
import { lookedForSchema, lookedForToWire } from './looked-for.js'
import { residualHitsSchema, residualHitsToWire } from './residual-hit.js'
import { undecidedSchema, undecidedToWire } from './undecided.js'

const time = z.iso.datetime().nullable()

export const receiptRecord = zodSchema(
  z.object({
    request_id: z.string(),
    external_id: z.string().nullable(),
    status: z.enum(['complete', 'error']),
    failure: z.string().nullable(),
    requested_at: z.iso.datetime(),
    started_at: time,
    finished_at: z.iso.datetime(),
    policy: z.object({ key: z.string(), name: z.string(), hash: z.string() }),
    plan_hash: z.string(),
    collections: z.array(
      z.object({
        dataset: z.string(),
        collection: z.string(),
        found: z.int(),
        before: z.int().nullable(),
        after: z.int().nullable(),
        started_at: time,
        finished_at: time,
        outcomes: z.array(z.object({ outcome: z.string(), row_count: z.int(), reason: z.string().nullable() })),
        undecided: undecidedSchema,
        /** Elements of lists in rows of the person that are not theirs. */
        elements_left: z.int(),
        fields: z.array(
          z.object({
            field: z.string(),
            strategy: z.string().nullable(),
            outcome: z.string(),
            reason: z.string().nullable(),
          }),
        ),
      }),
    ),
    residual_hits: residualHitsSchema,
    incomplete: z.boolean(),
    found_nothing: z.boolean(),
    looked_for: lookedForSchema,
    /** Fields in which an identity of the request is left in rows of the person. */
    identity_remains: z.array(z.string()),
    /** Names of properties that found nothing by themselves, since no row confirmed them. */
    unconfirmed: z.array(z.string()),
    coverage: coverageSchema.nullable(),
    totals: z.record(z.string(), z.int()),
  }),
  { name: 'ErasureReceipt' },
)

export function receiptToWire(receipt: ErasureReceipt) {
  return {
    request_id: receipt.requestId,
    external_id: receipt.externalId ?? null,
    status: receipt.status,
    failure: receipt.failure ?? null,
    requested_at: receipt.requestedAt,
    started_at: receipt.startedAt ?? null,
    finished_at: receipt.finishedAt,
    policy: { ...receipt.policy },
    plan_hash: receipt.planHash,
    collections: receipt.collections.map((each) => ({
      dataset: each.dataset,
      collection: each.collection,
      found: each.found,
      before: each.before ?? null,
      after: each.after ?? null,
      started_at: each.startedAt ?? null,
      finished_at: each.finishedAt ?? null,
      outcomes: each.outcomes.map(({ outcome, rowCount, reason }) => ({
        outcome: outcome as string,
        row_count: rowCount,
        reason: reason ?? null,
      })),
      undecided: undecidedToWire(each.undecided),
      elements_left: each.elementsLeft ?? 0,
      fields: each.fields.map(({ field, strategy, outcome, reason }) => ({
        field,
        strategy: (strategy as string | undefined) ?? null,
        outcome: outcome as string,
        reason: reason ?? null,
      })),
    })),
    residual_hits: residualHitsToWire(receipt.residualHits),
    incomplete: receipt.incomplete === true,
    found_nothing: receipt.foundNothing === true,
    looked_for: lookedForToWire(receipt.lookedFor),
    identity_remains: [...(receipt.identityRemains ?? [])],
    unconfirmed: [...(receipt.unconfirmed ?? [])],
    coverage: receipt.coverage ? coverageToWire(receipt.coverage) : null,
    totals: { ...receipt.totals } as Record<string, number>,
  }
}
