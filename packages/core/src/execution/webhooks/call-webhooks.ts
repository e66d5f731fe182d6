import type { ActionContext } from '../../actions/action-context.js'
import { noteAudit } from '../../actions/proof/audit-actions.js'
import { requestSubject } from '../../actions/requests/move-request.js'
import {
  derivedIdentityOf,
  newWebhookCall,
  replyTokenOf,
  webhookCallId,
  withDerivedIdentity,
} from '../../actions/webhooks/webhook-call-id.js'
import { PrivacyError } from '../../errors.js'
import type { Identity } from '../../model/identity.js'
import type { WebhookPhase } from '../../model/policy-webhook.js'
import type { StoredPolicyWebhook, WebhookCallRow } from '../../ports/webhook-rows.js'
import type { Lease } from '../run/hold-lease.js'
import type { RequestProgress } from '../run/request-progress.js'
import { type AskedWebhook, askWebhook, type WebhookSettings } from './ask-webhook.js'

export interface WebhookRun {
  readonly context: ActionContext
  readonly settings: WebhookSettings
  readonly requestId: string
  readonly policyKey: string
  readonly dataKey: Uint8Array
  readonly signal: AbortSignal
  readonly write: Lease['write']
  readonly progress: Pick<RequestProgress, 'span'>
}

/** The identities of a request, with the properties that webhooks have added. */
interface KnownIdentities {
  readonly identities: readonly Identity[]
  /** Names of the properties that webhooks have added. The operator of the webhook vouches for their values. */
  readonly derived: readonly string[]
}

/** The outcome of calling the webhooks of a phase. */
export type WebhooksEnd =
  | ({ readonly halted?: never } & KnownIdentities)
  | { readonly halted: { readonly webhook: string; readonly resumeBy: string } }

/**
 * Calls the webhooks of a phase one after the other. A webhook that has answered is not called again, even when a later step
 * failed. The identities that it has added are stored sealed with the request. Rejects with `connection_failed`.
 */
export async function callWebhooks(
  phase: WebhookPhase,
  webhooks: readonly StoredPolicyWebhook[],
  identities: readonly Identity[],
  run: WebhookRun,
): Promise<WebhooksEnd> {
  const found = gathered(identities, run.dataKey)
  const calls = webhooks.length > 0 ? await callsOf(run) : new Map<string, WebhookCallRow>()
  for (const webhook of webhooks) {
    const call = calls.get(webhookCallId(run.requestId, phase, webhook.key)) ?? (await begin(phase, webhook, run))
    const ended = call.state === 'called' ? await ask(call, phase, webhook, found.known().identities, run) : call
    if (ended.state === 'halted') return { halted: { webhook: webhook.key, resumeBy: ended.resumeBy as string } }
    // After the run, more identities are of no use.
    if (phase === 'pre_execution') found.add(ended)
  }
  return found.known()
}

/** The identities of a request, with the properties that webhooks have added so far. Calls no webhook. */
export async function identitiesSoFar(
  webhooks: readonly StoredPolicyWebhook[],
  identities: readonly Identity[],
  run: Pick<WebhookRun, 'context' | 'requestId' | 'dataKey'>,
): Promise<KnownIdentities> {
  const found = gathered(identities, run.dataKey)
  const calls = webhooks.length > 0 ? await callsOf(run) : new Map<string, WebhookCallRow>()
  for (const { key } of webhooks) found.add(calls.get(webhookCallId(run.requestId, 'pre_execution', key)))
  return found.known()
}

/** Identity objects are alternatives for one person, so an added property belongs to each of them. */
function gathered(identities: readonly Identity[], dataKey: Uint8Array) {
  let added: Identity = {}
  return {
    add(call: WebhookCallRow | undefined) {
      added = { ...added, ...(call && derivedIdentityOf(call, dataKey)) }
    },
    known: (): KnownIdentities => ({
      identities: identities.map((identity) => ({ ...identity, ...added })),
      derived: Object.keys(added),
    }),
  }
}

async function callsOf({
  context,
  requestId,
}: Pick<WebhookRun, 'context' | 'requestId'>): Promise<ReadonlyMap<string, WebhookCallRow>> {
  const rows = await context.storage.table('webhookCall').find({ where: { requestId: { equals: requestId } } })
  return new Map(rows.map((row) => [row.id, row]))
}

/** Stores the call before it is made, so that every attempt sends the same keys, even after a crash. */
async function begin(
  phase: WebhookPhase,
  webhook: StoredPolicyWebhook,
  { context, requestId, dataKey, write }: WebhookRun,
): Promise<WebhookCallRow> {
  const row = newWebhookCall(requestId, phase, webhook, dataKey, context.runtime)
  await write((within) => within.table('webhookCall').insert(row))
  return row
}

async function ask(
  call: WebhookCallRow,
  phase: WebhookPhase,
  webhook: StoredPolicyWebhook,
  identities: readonly Identity[],
  run: WebhookRun,
): Promise<WebhookCallRow> {
  const { context, settings, requestId, policyKey, dataKey, signal, progress } = run
  const question = { requestId, policyKey, phase, webhook, identities, idempotencyKey: call.idempotencyKey }
  const replyToken = replyTokenOf(call, dataKey)
  const asked = await progress.span('habeas.webhook', { 'habeas.webhook': webhook.key }, () =>
    askWebhook({ ...question, replyToken }, { ...context, settings, signal }),
  )
  return keep(call, asked, run)
}

/** Stores an answer with an entry in the audit trail, which shows who received data of the request. */
async function keep(call: WebhookCallRow, answer: AskedWebhook, run: WebhookRun): Promise<WebhookCallRow> {
  const { context, settings, dataKey, requestId } = run
  const { runtime } = context
  // A request halts only if the call carried a token to resume it.
  const halts = answer.halt && call.sealedToken !== undefined
  const resumeBy = new Date(runtime.now().getTime() + settings.resumeMinutes * 60_000).toISOString()
  const row: WebhookCallRow = {
    ...withDerivedIdentity(call, answer.derivedIdentity, dataKey, runtime),
    version: call.version + 1,
    state: halts ? 'halted' : 'answered',
    ...(halts && { resumeBy }),
  }
  const kept = await run.write(async (within) => {
    if (!(await within.table('webhookCall').replace(row))) return false
    await noteAudit(context, within, {
      actor: 'system',
      action: halts ? 'webhook_halted' : 'webhook_answered',
      subject: requestSubject(requestId),
      detail: { webhook: call.webhook, status: String(answer.status) },
    })
    return true
  })
  if (!kept) throw new PrivacyError('unavailable', `The run of request '${requestId}' was taken over.`)
  return row
}
