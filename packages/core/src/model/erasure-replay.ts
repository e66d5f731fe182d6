import * as z from 'zod'
import { parseInput } from './parse-input.js'
import { timestampSchema } from './timestamp-schema.js'

const erasureReplaySchema = z.strictObject({
  /** When the restored backup was made. It does not contain what was erased before. */
  since: timestampSchema,
  /** A name for this restoration. A second call with the same name submits nothing twice. Default: `since`. */
  name: z
    .string()
    .regex(/^[A-Za-z0-9_.:-]{1,100}$/, 'must be 1 to 100 letters, digits, "_", ".", ":" or "-"')
    .exactOptional(),
})

/** Reads the input of a replay of erasures. */
export function parseErasureReplay(input: unknown): { readonly since: string; readonly name: string } {
  const { since, name = since } = parseInput('replay', erasureReplaySchema, input, { readOnly: [] }).value
  return { since, name }
}

/** The result of a replay. It holds counts and ids, never a value. */
export interface ErasureReplay {
  /** Candidates that were checked. */
  readonly candidates: number
  /** Candidates that were left out because they are not an identity, such as one without a value. */
  readonly unreadable: number
  /** Ids of the requests that were submitted. */
  readonly submitted: readonly string[]
  /** Erasures whose data came back and that were already submitted under this name. */
  readonly alreadySubmitted: number
  /** Erasures whose data came back and that could not be submitted, with the reason. */
  readonly failed: readonly { readonly requestId: string; readonly message: string }[]
}
