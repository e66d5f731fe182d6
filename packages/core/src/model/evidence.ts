import * as z from 'zod'
import type { AuditEntry } from './audit-entry.js'
import type { ErasureReceipt } from './erasure-receipt.js'
import type { ExecutionLog, PrivacyRequest } from './privacy-request.js'

/**
 * Everything that is stored about one request, in one signed document that anybody can check without the service:
 * actions, plan and results. It holds no identities.
 */
export interface Evidence {
  readonly format: 'habeas-evidence/1'
  readonly exportedAt: string
  /**
   * The request as its callers see it, with the results of its last run. It leaves out the members that depend on the
   * current day.
   */
  readonly request: Omit<PrivacyRequest, 'daysLeft'>
  /** `hash` is of the policy's document that the last run applied. Null before the first run. */
  readonly policy: { readonly key: string; readonly hash: string | null }
  /** The plan of the last run. It holds no values. */
  readonly plan: object | null
  readonly receipt: ErasureReceipt | null
  /** The whole chain of entries about the request. */
  readonly audit: readonly AuditEntry[]
  /** Oldest first. */
  readonly log: readonly ExecutionLog[]
  /** The last entry of the chain. */
  readonly head: { readonly sequence: number; readonly hash: string }
  readonly signature: {
    readonly algorithm: 'Ed25519'
    /** The service's public key, base64url. Compare it with the key you know. */
    readonly publicKey: string
    /** Signature over the canonical JSON of everything except `signature`, base64url. */
    readonly value: string
  }
}

/** Stored data of any version. No check reads it, only the signature covers it. */
const anything = z.looseObject({})
const detail = z.record(z.string(), z.union([z.string(), z.array(z.string())]))

/** The parts of a bundle that a check reads. */
export const evidenceSchema = z.looseObject({
  format: z.literal('habeas-evidence/1'),
  exportedAt: z.string(),
  request: z.looseObject({ id: z.string(), status: z.string(), results: z.array(anything).optional() }),
  policy: z.looseObject({ key: z.string(), hash: z.string().nullable() }),
  plan: anything.nullable(),
  receipt: z.looseObject({ requestId: z.string(), planHash: z.string() }).nullable(),
  audit: z
    .array(
      z.object({
        id: z.string(),
        sequence: z.int(),
        previousHash: z.string().nullable(),
        hash: z.string(),
        createdAt: z.string(),
        actor: z.string(),
        action: z.string(),
        subject: z.string(),
        detail,
      }),
    )
    .min(1),
  log: z.array(anything),
  head: z.object({ sequence: z.int(), hash: z.string() }),
  // The signature does not cover this part, so no other member is allowed here.
  signature: z.strictObject({ algorithm: z.literal('Ed25519'), publicKey: z.string(), value: z.string() }),
})
