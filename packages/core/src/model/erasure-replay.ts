import * as z from 'zod'
import { parseInput } from './parse-input.js'
import { timestampSchema } from './timestamp-schema.js'

const erasureReplaySchema = z.strictObject({
  /** When what was restored had been backed up: what was erased before is not in it. */
  since: timestampSchema,
  /** What this restoration is called: the same name again submits nothing twice. Default: `since`. */
  name: z
    .string()
    .regex(/^[A-Za-z0-9_.:-]{1,100}$/, 'must be 1 to 100 letters, digits, "_", ".", ":" or "-"')
    .exactOptional(),
})

/** Reads which erasures are to be run again. */
export function parseErasureReplay(input: unknown): { readonly since: string; readonly name: string } {
  const { since, name = since } = parseInput('replay', erasureReplaySchema, input, { readOnly: [] }).value
  return { since, name }
}

/** What became of a replay. Counts and ids, never a value. */
export interface ErasureReplay {
  /** Candidates that were looked at. */
  readonly candidates: number
  /** Candidates that are no identity, such as one without a value: they were left out. */
  readonly unreadable: number
  /** Ids of the requests that were submitted. */
  readonly submitted: readonly string[]
  /** Erasures that came back and were submitted under this name before. */
  readonly alreadySubmitted: number
  /** Erasures that came back and could not be submitted, and why. */
  readonly failed: readonly { readonly requestId: string; readonly message: string }[]
}
