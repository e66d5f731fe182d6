import type { Identity, LegalHold } from '@habeas/core'
import * as z from 'zod'
import { namedSchema, zodSchema } from '../schema.js'
import { identitySchema } from './identity-schema.js'
import { wireRecord } from './wire-record.js'

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
    identities: {
      type: 'array',
      items: identity,
      minItems: 1,
      description: 'The hold covers everybody whom one of them names.',
    },
    identity,
    reason: {
      type: 'string',
      minLength: 1,
      maxLength: 1_000,
      description: 'Why the data is held, for the people who look after the hold.',
    },
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

/** With the identities, where they may be seen. */
const hold = wireRecord<LegalHold, { readonly identities?: readonly Identity[] | undefined }>()(
  {
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
    identities: z.array(identitySchema).nullable(),
  },
  { made: { identities: (_, { identities }) => identities } },
)

export const legalHoldRecord = zodSchema(hold.schema, { name: 'LegalHold' })
export const legalHoldToWire = hold.toWire
