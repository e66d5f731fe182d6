import type { DescribedManualWebhook, WrittenManualWebhook } from '../actions/manual/manual-webhook-actions.js'
import type { Page, Paging } from '../actions/paging.js'
import type { ShownPolicyWebhook, WebhookOrder } from '../actions/webhooks/policy-webhooks.js'
import type { PatchOf } from '../model/input-of.js'
import type { ManualWebhookInput } from '../model/manual-webhook.js'
import type { PolicyWebhookInput, PolicyWebhookPatchInput, WebhookPhase } from '../model/policy-webhook.js'

/** Programs that a run calls at its start and at its end, in order. */
export interface PolicyWebhooks {
  /**
   * Replaces all webhooks of a phase; they are called in the order of the list, and an empty list calls none. A secret
   * that is left out stays with the webhook of that key. Rejects with `invalid_input`, also for a URL that would not be
   * called.
   */
  put(
    policyKey: string,
    phase: WebhookPhase,
    webhooks: readonly PolicyWebhookInput[],
  ): Promise<readonly ShownPolicyWebhook[]>
  /** One page, in the order in which they are called. */
  list(policyKey: string, phase: WebhookPhase, paging?: Paging): Promise<Page<ShownPolicyWebhook>>
  /** Rejects with `not_found` where the policy has no webhook with that key in the phase. */
  get(policyKey: string, phase: WebhookPhase, key: string): Promise<ShownPolicyWebhook>
  /** Changes one; `order` moves it, and the others make room. Rejects with `not_found` and `invalid_input`. */
  patch(
    policyKey: string,
    phase: WebhookPhase,
    key: string,
    change: PolicyWebhookPatchInput,
  ): Promise<{ readonly webhook: ShownPolicyWebhook; readonly order: WebhookOrder }>
  /** Rejects with `not_found` for an unknown webhook. Its earlier answers stay. */
  remove(policyKey: string, phase: WebhookPhase, key: string): Promise<void>
}

/**
 * Data that people look up for access requests where no connector can: one for each connection of the type
 * `manual_webhook`.
 */
export interface ManualWebhooks {
  /**
   * Rejects with `conflict` where the connection has one already, and with `unsupported` where the connection is of
   * another type.
   */
  create(connectionKey: string, input: ManualWebhookInput): Promise<WrittenManualWebhook>
  /** Creates or changes; the list of fields is replaced as a whole. An upload for other fields must be repeated. */
  patch(connectionKey: string, input: PatchOf<ManualWebhookInput>): Promise<WrittenManualWebhook>
  /** Rejects with `not_found` for an unknown connection, or one that asks for nothing. */
  get(connectionKey: string): Promise<DescribedManualWebhook>
  /** Those whose connections are enabled, by key. */
  list(): Promise<readonly DescribedManualWebhook[]>
  /** Rejects with `not_found` for an unknown one. Requests that waited for nothing else continue. */
  remove(connectionKey: string): Promise<void>
}
