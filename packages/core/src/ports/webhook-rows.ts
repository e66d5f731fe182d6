import type { PolicyWebhook } from '../model/policy-webhook.js'
import type { StoredRow } from './stored-row.js'

/** A webhook of a policy as it is stored. */
export interface StoredPolicyWebhook extends PolicyWebhook {
  /** Its secret, sealed by the Secrets port under `policy-webhook:POLICY/PHASE/KEY`; base64. */
  readonly sealedSecret?: string
}

/** The webhooks that a policy calls before or after a run, in order. `id` is `POLICY/PHASE`. */
export interface PolicyWebhooksRow extends StoredRow {
  readonly webhooks: readonly StoredPolicyWebhook[]
}

/** The progress of calling one policy webhook for one request. `id` is `REQUEST/PHASE/WEBHOOK`. */
export interface WebhookCallRow extends StoredRow {
  readonly requestId: string
  /** The webhook's key. */
  readonly webhook: string
  /** Only an answered webhook is not called again. A halted one waits for the receiver of its reply token. */
  readonly state: 'called' | 'halted' | 'answered'
  /** The same for every attempt, so that the receiver recognises a repeated call. */
  readonly idempotencyKey: string
  /** A halted request may be resumed until this time. */
  readonly resumeBy?: string
  /** The token that lets a halted request continue, sealed under the request's data key; base64. */
  readonly sealedToken?: string
  /** The identities that the answer adds, as JSON, sealed under the request's data key; base64. */
  readonly sealedIdentity?: string
}
