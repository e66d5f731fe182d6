import { sealContexts } from '../../crypto/seal-contexts.js'
import { type Issue, PrivacyError } from '../../errors.js'
import { keySchema } from '../../model/key.js'
import { invalidInput } from '../../model/parse-input.js'
import type { Policy } from '../../model/policy.js'
import {
  type NewPolicyWebhook,
  type PolicyWebhook,
  parsePolicyWebhookPatch,
  parsePolicyWebhooks,
  type WebhookPhase,
  webhookPhases,
} from '../../model/policy-webhook.js'
import type { Query, Storage } from '../../ports/storage.js'
import type { PolicyWebhooksRow, StoredPolicyWebhook } from '../../ports/webhook-rows.js'
import type { WebhookSender } from '../../ports/webhooks.js'
import type { ActionContext } from '../action-context.js'
import { listIssues, type Page, type Paging, refuseIssues } from '../paging.js'
import { tookEffect, untilWritten } from '../until-written.js'

/** A webhook of a policy as callers see it; no answer holds its secret. */
export interface ShownPolicyWebhook extends PolicyWebhook {
  /** Its place among the webhooks of its phase, from 0. */
  readonly order: number
  /** Whether its calls are signed. */
  readonly signed: boolean
}

/** The places of all webhooks of a phase after one was moved. */
export type WebhookOrder = readonly { readonly key: string; readonly order: number }[]

export interface PolicyWebhookOptions {
  /** Rejects with `not_found` for an unknown key. */
  readonly policy: (key: string) => Promise<Policy>
  readonly sender: Pick<WebhookSender, 'refusal'>
}

const webhooksId = (policyKey: string, phase: WebhookPhase) => `${policyKey}/${phase}`

/** The context to which a webhook's secret is sealed. */
export const webhookSealContext = (policyKey: string, phase: WebhookPhase, key: string) =>
  sealContexts.policyWebhooks(webhooksId(policyKey, phase), key)

/** The webhooks that runs under a policy call at their start and at their end, in order (docs/policy-webhooks.md). */
export function policyWebhookActions(context: ActionContext, { policy, sender }: PolicyWebhookOptions) {
  const { storage, secrets } = context

  async function stored(policyKey: string, phase: WebhookPhase): Promise<readonly StoredPolicyWebhook[]> {
    refuseUnknownPhase(phase)
    await policy(policyKey)
    return (await policyWebhooks(storage, policyKey))[phase]
  }

  async function sealed(policyKey: string, phase: WebhookPhase, key: string, secret: string): Promise<string> {
    const bytes = await secrets.seal(new TextEncoder().encode(secret), webhookSealContext(policyKey, phase, key))
    return Buffer.from(bytes).toString('base64')
  }

  /** A webhook as it is stored: a secret that is not given stays as it was, null removes it. */
  async function kept(
    policyKey: string,
    phase: WebhookPhase,
    { secret, ...webhook }: NewPolicyWebhook,
    before: StoredPolicyWebhook | undefined,
  ): Promise<StoredPolicyWebhook> {
    const sealedSecret =
      secret === undefined
        ? before?.sealedSecret
        : secret === null
          ? undefined
          : await sealed(policyKey, phase, webhook.key, secret)
    return { ...webhook, ...(sealedSecret !== undefined && { sealedSecret }) }
  }

  /** Applies `decide` to the stored webhooks and writes the result, repeating when other writes come first. */
  async function change(
    policyKey: string,
    phase: WebhookPhase,
    decide: (before: readonly StoredPolicyWebhook[]) => Promise<readonly StoredPolicyWebhook[]>,
  ): Promise<readonly StoredPolicyWebhook[]> {
    const id = webhooksId(policyKey, phase)
    refuseUnknownPhase(phase)
    return untilWritten('list of webhooks', id, async () => {
      await policy(policyKey)
      const table = storage.table('policyWebhooks')
      const row = await table.get(id)
      const webhooks = await decide(row?.webhooks ?? [])
      const next = { id, version: (row?.version ?? 0) + 1, webhooks }
      return (await tookEffect(() => (row ? table.replace(next) : table.insert(next)))) ? webhooks : undefined
    })
  }

  function refuseUrl(url: string, loc: Issue['loc']): Issue[] {
    const msg = sender.refusal(url)
    return msg === undefined ? [] : [{ loc, msg, type: 'refused_address' }]
  }

  return {
    async put(policyKey: string, phase: WebhookPhase, input: unknown): Promise<readonly ShownPolicyWebhook[]> {
      await stored(policyKey, phase)
      const { value } = parsePolicyWebhooks(input)
      const issues = value.flatMap(({ url }, index) => refuseUrl(url, [index, 'url']))
      if (issues.length > 0) throw invalidInput('list of webhooks', issues)
      const written = await change(policyKey, phase, async (before) => {
        const known = new Map(before.map((webhook) => [webhook.key, webhook]))
        return Promise.all(value.map((webhook) => kept(policyKey, phase, webhook, known.get(webhook.key))))
      })
      return written.map(shown)
    },

    async list(policyKey: string, phase: WebhookPhase, paging: Paging = {}): Promise<Page<ShownPolicyWebhook>> {
      refuseIssues(listIssues(paging))
      const all = (await stored(policyKey, phase)).map(shown)
      const { page = 1, size = 50 } = paging
      const items = all.slice((page - 1) * size, page * size)
      return { items, total: all.length, page, size, pages: Math.ceil(all.length / size) }
    },

    async get(policyKey: string, phase: WebhookPhase, key: string): Promise<ShownPolicyWebhook> {
      const all = (await stored(policyKey, phase)).map(shown)
      return all[placeOf(all, key)] as ShownPolicyWebhook
    },

    async patch(
      policyKey: string,
      phase: WebhookPhase,
      key: string,
      input: unknown,
    ): Promise<{ readonly webhook: ShownPolicyWebhook; readonly order: WebhookOrder }> {
      placeOf(await stored(policyKey, phase), key)
      const { order, ...members } = parsePolicyWebhookPatch(input).value
      const issues = members.url === undefined ? [] : refuseUrl(members.url, ['url'])
      if (issues.length > 0) throw invalidInput('webhook', issues)
      const written = await change(policyKey, phase, async (before) => {
        const place = placeOf(before, key)
        if (order !== undefined && order >= before.length) {
          const msg = `must be from 0 to ${before.length - 1}`
          throw invalidInput('webhook', [{ loc: ['order'], msg, type: 'too_big' }])
        }
        const { sealedSecret: _, ...webhook } = before[place] as StoredPolicyWebhook
        const changed = await kept(policyKey, phase, { ...webhook, ...members }, before[place])
        const others = before.filter((_, index) => index !== place)
        return others.toSpliced(order ?? place, 0, changed)
      })
      const all = written.map(shown)
      const moved = order === undefined ? [] : all.map(({ key, order }) => ({ key, order }))
      return { webhook: all[placeOf(all, key)] as ShownPolicyWebhook, order: moved }
    },

    async remove(policyKey: string, phase: WebhookPhase, key: string): Promise<void> {
      await change(policyKey, phase, async (before) => before.toSpliced(placeOf(before, key), 1))
    },
  }
}

/** The webhooks that runs under a policy call in each phase, in order. */
export async function policyWebhooks(
  storage: Storage,
  policyKey: string,
): Promise<Readonly<Record<WebhookPhase, readonly StoredPolicyWebhook[]>>> {
  return byPhase(policyKey, await storage.table('policyWebhooks').find(webhooksOf(policyKey)))
}

/** The query for the webhooks of a policy. */
export function webhooksOf(policyKey: string): Query<'policyWebhooks'> {
  return { where: { id: { in: webhookPhases.map((phase) => webhooksId(policyKey, phase)) } } }
}

/** The webhooks of a policy in each phase, in order, given what is stored of them. */
export function byPhase(
  policyKey: string,
  rows: readonly PolicyWebhooksRow[],
): Readonly<Record<WebhookPhase, readonly StoredPolicyWebhook[]>> {
  const of = (phase: WebhookPhase) => rows.find(({ id }) => id === webhooksId(policyKey, phase))?.webhooks ?? []
  return { pre_execution: of('pre_execution'), post_execution: of('post_execution') }
}

/** Runs inside the transaction that deletes their policy. */
export async function removePolicyWebhooks(within: Storage, policyKey: string): Promise<void> {
  for (const phase of webhookPhases) await within.table('policyWebhooks').take(webhooksId(policyKey, phase))
}

function shown({ key, name, direction, url, sealedSecret }: StoredPolicyWebhook, order: number): ShownPolicyWebhook {
  return { key, name, direction, url, order, signed: sealedSecret !== undefined }
}

function placeOf(webhooks: readonly PolicyWebhook[], key: string): number {
  const place = keySchema.safeParse(key).success ? webhooks.findIndex((webhook) => webhook.key === key) : -1
  if (place !== -1) return place
  const id = key.slice(0, 255)
  throw new PrivacyError('not_found', `There is no webhook '${id}' here.`, { kind: 'policy webhook', id })
}

function refuseUnknownPhase(phase: string): void {
  if ((webhookPhases as readonly string[]).includes(phase)) return
  const msg = `must be one of ${webhookPhases.join(', ')}`
  throw invalidInput('phase', [{ loc: ['phase'], msg, type: 'invalid_value' }])
}
