import type { ShownPolicyWebhook, WebhookOrder } from '@habeas/core'
import * as z from 'zod'
import { listOf, namedSchema, zodSchema } from '../schema.js'

const direction = {
  enum: ['one_way', 'two_way'],
  description: 'two_way: the answer is read and may halt the run; one_way: it is ignored.',
}
const url = { type: 'string', format: 'uri', description: 'Begins with https:// and leads to a public address.' }
const secret = { type: ['string', 'null'], description: 'Calls are signed with it. Never returned; null removes it.' }
const name = { type: ['string', 'null'] }
const key = { type: ['string', 'null'], description: 'By default derived from the name.' }

/** A webhook as it is sent. */
export interface PolicyWebhookInput {
  key?: string | null
  name?: string | null
  direction: 'one_way' | 'two_way'
  url: string
  secret?: string | null
}

export const policyWebhooksInput = listOf(
  namedSchema<PolicyWebhookInput>('PolicyWebhookInput', () => ({
    type: 'object',
    properties: { key, name, direction, url, secret },
    required: ['direction', 'url'],
  })),
)

/** A change of one webhook. */
export interface PolicyWebhookPatchInput extends Partial<Omit<PolicyWebhookInput, 'key'>> {
  order?: number
}

export const policyWebhookPatchInput = namedSchema<PolicyWebhookPatchInput>('PolicyWebhookPatch', () => ({
  type: 'object',
  properties: { name, direction, url, secret, order: { type: 'integer', minimum: 0, description: 'From 0.' } },
}))

const webhook = z.object({
  key: z.string(),
  name: z.string(),
  direction: z.enum(['one_way', 'two_way']),
  url: z.string(),
  order: z.int(),
  signed: z.boolean(),
})

export const policyWebhookRecord = zodSchema(webhook, { name: 'PolicyWebhook' })
export const patchedPolicyWebhookRecord = zodSchema(
  z.object({ resource: webhook, new_order: z.array(z.object({ key: z.string(), order: z.int() })) }),
  { name: 'PolicyWebhookPatched' },
)

export function patchedToWire({ webhook, order }: { webhook: ShownPolicyWebhook; order: WebhookOrder }) {
  return { resource: webhook, new_order: [...order] }
}
