import * as z from 'zod'
import { always, uniqueBy } from './document.js'
import type { InputOf } from './input-of.js'
import { deriveKey, optionalKeySchema } from './key.js'
import { type Parsed, parseInput } from './parse-input.js'

/** When a policy calls its webhooks: before anything is planned, or once the packages are written. */
export const webhookPhases = ['pre_execution', 'post_execution'] as const
export type WebhookPhase = (typeof webhookPhases)[number]

/** What a run calls (docs/policy-webhooks.md). */
export interface PolicyWebhook {
  /** Unique within its policy and phase. */
  readonly key: string
  readonly name: string
  /** `two_way`: its answer is read and may halt the run; `one_way`: it is told, and its answer ignored. */
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
  /** What calls are signed with. Null: they are not signed. */
  secret: z.string().min(1).max(1_000).nullable().exactOptional(),
}

const itemSchema = z
  .strictObject(members)
  .superRefine((item, context) => {
    if (typeof item !== 'object' || item === null || keyOf(item)) return
    const message = item.name
      ? 'cannot be derived from this name: give one'
      : 'is required, or a name to derive it from'
    context.addIssue({ code: 'custom', path: ['key'], message, params: { type: 'missing' } })
  }, always)
  .transform((item) => {
    const key = keyOf(item) as string
    return { ...item, key, name: item.name?.trim() ? item.name : key }
  })

const keyOf = ({ key, name }: { key?: unknown; name?: unknown }): string | undefined =>
  typeof key === 'string' && key !== '' ? key : typeof name === 'string' ? deriveKey(name) : undefined

/** The webhooks of one phase, in the order in which they are called. */
const policyWebhooksSchema = z.array(itemSchema).max(mostWebhooks).superRefine(uniqueBy('key'), always)

const patchSchema = z.strictObject({
  name: members.name,
  direction: members.direction.exactOptional(),
  url: members.url.exactOptional(),
  secret: members.secret,
  /** Its place among the webhooks of its phase, from 0. */
  order: z.int().min(0).exactOptional(),
})

/** A webhook as a caller writes it. */
export interface PolicyWebhookInput extends InputOf<typeof itemSchema> {}
/** A change of one webhook: what is left out stays. */
export interface PolicyWebhookPatchInput extends InputOf<typeof patchSchema> {}
export interface NewPolicyWebhook extends z.output<typeof itemSchema> {}
export interface PolicyWebhookPatch extends z.output<typeof patchSchema> {}

/** Members of our own answers that may come back. */
const readOnly = ['key', 'signed', 'warnings']

export function parsePolicyWebhooks(input: unknown): Parsed<readonly NewPolicyWebhook[]> {
  return parseInput('list of webhooks', policyWebhooksSchema, Array.isArray(input) ? input.map(withoutShown) : input)
}

/** An answered webhook may be changed and sent back: what only the service says is then ignored. */
function withoutShown(item: unknown): unknown {
  if (typeof item !== 'object' || item === null) return item
  const { signed, order, ...rest } = item as Record<string, unknown>
  return rest
}

/** Reads a change of one webhook. Throws `invalid_input` naming what is unknown, for a typo would change who is told what. */
export function parsePolicyWebhookPatch(input: unknown): Parsed<PolicyWebhookPatch> {
  return parseInput('webhook', patchSchema, input, { readOnly })
}
