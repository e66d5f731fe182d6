import type { RunProof } from '../../actions/proof/evidence-actions.js'
import { canonicalHash } from '../../crypto/canonical-hash.js'
import type { Policy } from '../../model/policy.js'
import type { Storage, Write } from '../../ports/storage.js'
import type { Plan } from '../../rules/plan/plan.js'

export interface PlanStore {
  readonly storage: Storage
  /** Applies the writes, or rejects. */
  readonly store: (writes: readonly Write[]) => Promise<unknown>
}

/** Remembered plans as the storage returned them. A storage that shares its rows need not copy these again. */
const stored = new WeakMap<Plan, object>()

/** Stores the plan of a run with the policy it was made with, and returns both for the entry at the end of the run. */
export async function storePlan(
  { storage, store }: PlanStore,
  requestId: string,
  plan: Plan,
  policy: Policy,
): Promise<RunProof> {
  await store([planWrite(requestId, plan, policy)])
  if (storage.outlivesProcess === false && !stored.has(plan)) {
    const kept = await storage.table('requestPlan').get(requestId)
    if (kept) stored.set(plan, kept.plan as object)
  }
  return { plan: stored.get(plan) ?? plan, policyHash: canonicalHash(policy) }
}

/** Returns the write of a plan, which replaces the one before. */
export function planWrite(requestId: string, plan: Plan, policy: Policy): Write {
  const row = { id: requestId, version: 1, plan: stored.get(plan) ?? plan, policyHash: canonicalHash(policy) }
  return { kind: 'requestPlan', put: [row] }
}

/** Returns the id of the plan that somebody reviewed last, from which it shows what has changed since. */
export function reviewedPlan(requestId: string): string {
  return `${requestId}/reviewed`
}
