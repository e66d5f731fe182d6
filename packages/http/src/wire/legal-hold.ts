import type { Identity, LegalHold } from '@habeas/core'
import * as z from 'zod'
import { namedSchema, zodSchema } from '../schema.js'

/** A legal hold as it is sent. One `identity` is the same as `identities` with one element. */
export interface LegalHoldInput {
  identities?: readonly Identity[]
  identity?: Identity
  reason: string
  reference?: string | null
  until?: string | null
}

const identity = {
  type: 'object',
  additionalProperties: { type: ['string', 'number', 'boolean'] },
  description: 'Properties of one person, under their names.',
}

export const legalHoldInput = namedSchema<LegalHoldInput>('LegalHoldInput', () => ({
  type: 'object',
  properties: {
    identities: { type: 'array', items: identity, minItems: 1, description: 'Whoever one of them names is held.' },
    identity,
    reason: { type: 'string', minLength: 1, maxLength: 1_000, description: 'For whoever looks after it.' },
    reference: { type: ['string', 'null'], maxLength: 255, description: 'What you call the matter.' },
    until: { type: ['string', 'null'], description: 'When it ends by itself, an ISO 8601 date or date-time.' },
  },
  required: ['reason'],
}))

export const releaseInput = namedSchema<{ reason?: string | null }>('LegalHoldRelease', () => ({
  type: 'object',
  properties: { reason: { type: ['string', 'null'], maxLength: 1_000 } },
}))

const time = z.iso.datetime().nullable()

export const legalHoldRecord = zodSchema(
  z.object({
    id: z.string(),
    status: z.enum(['active', 'released', 'expired']),
    reason: z.string(),
    reference: z.string().nullable(),
    /** Names of the properties by which its people are known. */
    properties: z.array(z.string()),
    until: time,
    created_at: z.iso.datetime(),
    created_by: z.string(),
    ended_at: time,
    released_by: z.string().nullable(),
    release_reason: z.string().nullable(),
    identities: z.array(z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))).nullable(),
  }),
  { name: 'LegalHold' },
)

export function legalHoldToWire(hold: LegalHold, identities?: readonly Identity[]) {
  return {
    id: hold.id,
    status: hold.status,
    reason: hold.reason,
    reference: hold.reference ?? null,
    properties: [...hold.properties],
    until: hold.until ?? null,
    created_at: hold.createdAt,
    created_by: hold.createdBy,
    ended_at: hold.endedAt ?? null,
    released_by: hold.releasedBy ?? null,
    release_reason: hold.releaseReason ?? null,
    identities: identities ? identities.map((each) => ({ ...each })) : null,
  }
}
