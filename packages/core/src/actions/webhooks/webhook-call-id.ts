import { openText, sealText } from '../../crypto/data-key.js'
import type { Identity } from '../../model/identity.js'
import type { WebhookPhase } from '../../model/policy-webhook.js'
import type { Runtime } from '../../ports/runtime.js'
import type { StoredPolicyWebhook, WebhookCallRow } from '../../ports/webhook-rows.js'

/** The parts of a call that are personal, or give power, are sealed under its request's data key. */
const tokenLabel = (id: string) => `${id}/token`
const identityLabel = (id: string) => `${id}/identity`

export function webhookCallId(requestId: string, phase: WebhookPhase, key: string): string {
  return `${requestId}/${phase}/${key}`
}

/**
 * A call that is about to be made. A receiver that may halt the request gets a token with it, the same in every
 * attempt.
 */
export function newWebhookCall(
  requestId: string,
  phase: WebhookPhase,
  { key, direction }: StoredPolicyWebhook,
  dataKey: Uint8Array,
  runtime: Runtime,
): WebhookCallRow {
  const id = webhookCallId(requestId, phase, key)
  const mayHalt = phase === 'pre_execution' && direction === 'two_way'
  const token = () => Buffer.from(runtime.randomBytes(32)).toString('base64url')
  return {
    id,
    version: 1,
    requestId,
    webhook: key,
    state: 'called',
    idempotencyKey: runtime.newId(),
    ...(mayHalt && { sealedToken: sealText(dataKey, runtime, tokenLabel(id), token()) }),
  }
}

/** The token with which a call may be answered later; undefined where it may not. */
export function replyTokenOf({ id, sealedToken }: WebhookCallRow, dataKey: Uint8Array): string | undefined {
  return sealedToken === undefined ? undefined : openText(dataKey, tokenLabel(id), sealedToken)
}

/** The identities that a call has added so far. */
export function derivedIdentityOf({ id, sealedIdentity }: WebhookCallRow, dataKey: Uint8Array): Identity | undefined {
  return sealedIdentity === undefined ? undefined : JSON.parse(openText(dataKey, identityLabel(id), sealedIdentity))
}

/** The call with further added identities; later properties replace earlier ones. */
export function withDerivedIdentity(
  call: WebhookCallRow,
  added: Identity | undefined,
  dataKey: Uint8Array,
  runtime: Runtime,
): WebhookCallRow {
  if (added === undefined) return call
  const all = { ...derivedIdentityOf(call, dataKey), ...added }
  return { ...call, sealedIdentity: sealText(dataKey, runtime, identityLabel(call.id), JSON.stringify(all)) }
}
