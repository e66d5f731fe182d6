import { canonicalHash } from '../../crypto/canonical-hash.js'
import type { Policy } from '../../model/policy.js'
import type { Plan } from '../../rules/plan/plan.js'
import type { Lease } from './hold-lease.js'

/** Remembered plans as the storage returned them. A storage that shares its rows need not copy these again. */
const stored = new WeakMap<Plan, unknown>()

/** Stores the plan of a run with the policy it was made with. */
export async function storePlan(write: Lease['write'], requestId: string, plan: Plan, policy: Policy): Promise<void> {
  const kept = await write(async (within) => {
    const table = within.table('requestPlan')
    const known = await table.get(requestId)
    const version = (known?.version ?? 0) + 1
    const policyHash = canonicalHash(policy)
    const row = { id: requestId, version, plan: stored.get(plan) ?? plan, policyHash }
    if (known) await table.replace(row)
    else await table.insert(row)
    return stored.has(plan) ? undefined : table.get(requestId)
  })
  if (kept) stored.set(plan, kept.plan)
}

/** Returns the id of the plan that somebody reviewed last, from which it shows what has changed since. */
export function reviewedPlan(requestId: string): string {
  return `${requestId}/reviewed`
}
