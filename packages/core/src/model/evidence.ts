import * as z from 'zod'
import type { AuditEntry } from './audit-entry.js'
import type { ErasureReceipt } from './erasure-receipt.js'
import type { ExecutionLog, PrivacyRequest } from './privacy-request.js'

/**
 * Everything that is kept about one request, in one signed document that can be checked without the service: who did what,
 * what was planned, what came of it. Without identities.
 */
export interface Evidence {
  readonly format: 'habeas-evidence/1'
  readonly exportedAt: string
  /** As its callers see it, with the results of its last run; without what depends on the day it is looked at. */
  readonly request: Omit<PrivacyRequest, 'daysLeft'>
  /** `hash` is of the policy's document as the last run applied it; null before the first. */
  readonly policy: { readonly key: string; readonly hash: string | null }
  /** Of the last run, without values. */
  readonly plan: object | null
  readonly receipt: ErasureReceipt | null
  /** The whole chain about the request. */
  readonly audit: readonly AuditEntry[]
  /** Oldest first. */
  readonly log: readonly ExecutionLog[]
  /** The end of the chain. */
  readonly head: { readonly sequence: number; readonly hash: string }
  readonly signature: {
    readonly algorithm: 'Ed25519'
    /** Of the service, base64url: to be compared with the one it is known by. */
    readonly publicKey: string
    /** Of the canonical JSON of all but the signature, base64url. */
    readonly value: string
  }
}

/** Stored data of whatever version: what is not looked at here is covered by the signature alone. */
const anything = z.looseObject({})
const detail = z.record(z.string(), z.union([z.string(), z.array(z.string())]))

/** As much of a bundle as a check looks at. */
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
        ...{ id: z.string(), sequence: z.int(), previousHash: z.string().nullable(), hash: z.string() },
        ...{ createdAt: z.string(), actor: z.string(), action: z.string(), subject: z.string(), detail },
      }),
    )
    .min(1),
  log: z.array(anything),
  head: z.object({ sequence: z.int(), hash: z.string() }),
  // The only part that no signature covers: nothing else may stand there.
  signature: z.strictObject({ algorithm: z.literal('Ed25519'), publicKey: z.string(), value: z.string() }),
})
