import * as z from 'zod'
import { always, uniqueBy } from './document.js'
import type { InputOf } from './input-of.js'
import { deriveKey, optionalKeySchema } from './key.js'
import { type Parsed, parseInput } from './parse-input.js'

/** When a policy calls its webhooks: before planning, or after the packages are written. */
export const webhookPhases = ['pre_execution', 'post_execution'] as const
export type WebhookPhase = (typeof webhookPhases)[number]

/** A program of the host that a run calls (docs/policy-webhooks.md). */
export interface PolicyWebhook {
  /** Unique in its policy and phase. */
  readonly key: string
  readonly name: string
  /** `two_way`: the run reads its answer and may halt. `one_way`: the run notifies it and ignores its answer. */
  readonly direction: 'one_way' | 'two_way'
  readonly url: string
}

const mostWebhooks = 50

const urlSchema = z
  .string()
  .max(2_000)
  .superRefine((text, context) => {
    const message = urlFault(text)
    if (message !== undefined) context.addIssue({ code: 'custom', message })
  })
  .transform((text) => new URL(text).href)

function urlFault(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) return 'must be a URL that begins with https://'
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or password: use `secret`'
  return url.hash === '' ? undefined : 'must not have a part after "#"'
}

const members = {
  key: optionalKeySchema,
  name: z.string().max(255).exactOptional(),
  direction: z.enum(['one_way', 'two_way']),
  url: urlSchema,
  /** The secret that signs the calls. Null: calls are not signed. */
  secret: z.string().min(1).max(1_000).nullable().exactOptional(),
}

const itemSchema = z
  .strictObject(members)
  .superRefine((item, context) => {
    if (typeof item !== 'object' || item === null || keyOf(item)) return
    const message = item.name
      ? 'cannot be derived from this name: give a key'
      : 'is required, unless a name is given from which it can be derived'
    context.addIssue({ code: 'custom', path: ['key'], message, params: { type: 'missing' } })
  }, always)
  .transform((item) => {
    const key = keyOf(item) as string
    return { ...item, key, name: item.name?.trim() ? item.name : key }
  })

const keyOf = ({ key, name }: { key?: unknown; name?: unknown }): string | undefined =>
  typeof key === 'string' && key !== '' ? key : typeof name === 'string' ? deriveKey(name) : undefined

/** The webhooks of one phase, in calling order. */
const policyWebhooksSchema = z.array(itemSchema).max(mostWebhooks).superRefine(uniqueBy('key'), always)

const patchSchema = z.strictObject({
  name: members.name,
  direction: members.direction.exactOptional(),
  url: members.url.exactOptional(),
  secret: members.secret,
  /** Its position among the webhooks of its phase, from 0. */
  order: z.int().min(0).exactOptional(),
})

/** A webhook as a caller writes it. */
export interface PolicyWebhookInput extends InputOf<typeof itemSchema> {}
/** A change of one webhook. An omitted member stays. */
export interface PolicyWebhookPatchInput extends InputOf<typeof patchSchema> {}
export interface NewPolicyWebhook extends z.output<typeof itemSchema> {}
export interface PolicyWebhookPatch extends z.output<typeof patchSchema> {}

/** Members of our own answers that a caller may send back. */
const readOnly = ['key', 'signed', 'warnings']

export function parsePolicyWebhooks(input: unknown): Parsed<readonly NewPolicyWebhook[]> {
  return parseInput('list of webhooks', policyWebhooksSchema, Array.isArray(input) ? input.map(withoutShown) : input)
}

/**
 * A caller may change and send back a webhook that the service answered. Members that only the service sets are
 * dropped.
 */
function withoutShown(item: unknown): unknown {
  if (typeof item !== 'object' || item === null) return item
  const { signed, order, ...rest } = item as Record<string, unknown>
  return rest
}

/**
 * Reads a change of one webhook. Throws `invalid_input` for unknown members, because a typo could send data to the
 * wrong receiver.
 */
export function parsePolicyWebhookPatch(input: unknown): Parsed<PolicyWebhookPatch> {
  return parseInput('webhook', patchSchema, input, { readOnly })
}
