import * as z from 'zod'
import { always } from './document.js'
import { identitiesOf, identitiesShape, identityFaults } from './identity.js'
import type { InputOf } from './input-of.js'
import { wellFormedTextSchema } from './is-well-formed-text.js'
import { parseInput } from './parse-input.js'
import { timestampSchema } from './timestamp-schema.js'

/** `expired`: its end has passed. Only an active hold stops erasures. */
export const legalHoldStatuses = ['active', 'released', 'expired'] as const
export type LegalHoldStatus = (typeof legalHoldStatuses)[number]

/** Why the data of some people must not be erased for now, as callers see it. Times are ISO 8601 in UTC. */
export interface LegalHold {
  /** `hold_` and a UUIDv7. */
  readonly id: string
  readonly status: LegalHoldStatus
  /** Free text for the people who manage the hold. The requests that wait do not repeat it. */
  readonly reason: string
  /** The caller's own reference for the matter. */
  readonly reference?: string
  /** Names of the identity properties of the hold. Their values are stored apart. */
  readonly properties: readonly string[]
  /** The last moment of the hold, if it has an end. */
  readonly until?: string
  readonly createdAt: string
  readonly createdBy: string
  readonly endedAt?: string
  readonly releasedBy?: string
  readonly releaseReason?: string
}

const legalHoldSchema = z
  .strictObject({
    ...identitiesShape,
    reason: wellFormedTextSchema.max(1_000).refine((reason) => reason.trim() !== '', 'must not be blank'),
    reference: wellFormedTextSchema.min(1).max(255).exactOptional(),
    until: timestampSchema.exactOptional(),
  })
  .superRefine((hold, context) => {
    if (typeof hold !== 'object' || hold === null) return
    for (const { path, message, type } of identityFaults(hold)) {
      context.addIssue({ code: 'custom', path: [path], message, params: { type } })
    }
  }, always)
  .transform(({ identity, identities, ...rest }) => ({
    ...rest,
    identities: identitiesOf({ ...(identity && { identity }), ...(identities && { identities }) }),
  }))

/** A new hold: whose data it keeps, and why. */
export interface LegalHoldInput extends InputOf<typeof legalHoldSchema> {}

/**
 * Reads a legal hold. It is strict, because a typo in `until` would make the hold endless. No message repeats an
 * identity.
 */
export function parseLegalHold(input: unknown): z.output<typeof legalHoldSchema> {
  return parseInput('legal hold', legalHoldSchema, input, { readOnly: [] }).value
}
