import type { PrivacyRequest } from '@habeas/core'
import * as z from 'zod'

/** Where an identity is still found after an erasure; null where it was not searched for. */
export const residualHitsSchema = z
  .array(z.object({ collection: z.string(), column: z.string(), row_count: z.int(), retained: z.int() }))
  .nullable()

export function residualHitsToWire(hits: PrivacyRequest['residualHits']) {
  return hits?.map(({ rowCount, ...hit }) => ({ ...hit, row_count: rowCount })) ?? null
}
