import type { CollectionResult } from '@habeas/core'
import * as z from 'zod'

/** Rows of which nobody has said whose they are: left alone. `row_count` is null where they were not counted. */
export const undecidedSchema = z.array(
  z.object({ reference: z.string(), row_count: z.int().nullable(), reason: z.string() }),
)

export function undecidedToWire(undecided: CollectionResult['undecided'] = []) {
  return undecided.map(({ reference, rowCount, reason }) => ({ reference, row_count: rowCount, reason }))
}
