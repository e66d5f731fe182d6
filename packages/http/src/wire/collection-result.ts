import type { CollectionResult, FieldResult, KeptCopy, LookedFor, ResidualHit } from '@habeas/core'
import * as z from 'zod'
import { madeBy, wireRecord } from './wire-record.js'

export const outcome = wireRecord<CollectionResult['outcomes'][number]>()({
  outcome: z.string(),
  row_count: z.int(),
  reason: z.string().nullable(),
})

export const fieldResult = wireRecord<FieldResult>()({
  field: z.string(),
  strategy: z.string().nullable(),
  outcome: z.string(),
  reason: z.string().nullable(),
})

/** Rows that stay as they are, since their owner is undecided. `row_count` is null where they were not counted. */
export const undecided = wireRecord<NonNullable<CollectionResult['undecided']>[number]>()({
  reference: z.string(),
  row_count: z.int().nullable(),
  reason: z.string(),
})

/** Where an identity is still found after an erasure. The count comes last. */
export const residualHit = madeBy(
  z.object({ collection: z.string(), column: z.string(), row_count: z.int(), retained: z.int() }),
  ({ rowCount, ...hit }: ResidualHit) => ({ ...hit, row_count: rowCount }),
)

/** By what an erasure has looked for rows, where it found none. */
export const lookedFor = wireRecord<LookedFor>()({
  property: z.string(),
  spellings: z.array(z.string()),
  fields: z.array(z.string()),
})

export const keptCopy = wireRecord<KeptCopy>()({
  name: z.string(),
  kind: z.string(),
})

export const writeLimit = z.enum(['transactions', 'row_locks', 'fencing'])

/** What became of a collection, without the account of a receipt. */
export const collectionResult = wireRecord<CollectionResult>()(
  {
    dataset: z.string(),
    collection: z.string(),
    action_type: z.enum(['access', 'erasure']),
    outcomes: z.array(outcome.schema),
    elements_left: z.int(),
    near_matches: z.int(),
    undecided: z.array(undecided.schema),
    other_values: z.array(undecided.schema),
  },
  {
    made: {
      elements_left: ({ elementsLeft = 0 }) => elementsLeft,
      near_matches: ({ nearMatches = 0 }) => nearMatches,
    },
    elsewhere: {
      fields: 'the receipt',
      before: 'the receipt',
      after: 'the receipt',
      writeLimits: 'the receipt',
      keptUntil: 'the receipt',
      keptCopies: 'the receipt',
      startedAt: 'the receipt',
      finishedAt: 'the receipt',
    },
  },
)
