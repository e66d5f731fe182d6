import { createHash } from 'node:crypto'
import { isPrivacyError } from '../errors.js'
import type { Catalogue } from '../model/catalogue.js'
import type { Policy } from '../model/policy.js'
import type { Storage } from '../ports/storage.js'
import { canonicalHash } from '../results/canonical-hash.js'
import type { Plan } from '../rules/plan.js'
import type { Lease } from './lease.js'

/** A remembered plan as the storage gave it back: one that shares what it keeps need not copy it again. */
const stored = new WeakMap<Plan, unknown>()

/** Remembered, since a catalogue is kept for minutes and may be large. */
const hashes = new WeakMap<Catalogue, string>()

/** Stores the plan of a run with the policy and the live catalogues it was made with, each catalogue once. */
export async function storePlan(
  { storage, write }: { readonly storage: Storage; readonly write: Lease['write'] },
  requestId: string,
  plan: Plan,
  { catalogues, policy }: { readonly catalogues: ReadonlyMap<string, Catalogue>; readonly policy: Policy },
): Promise<void> {
  const ids: Record<string, string> = Object.create(null)
  for (const [connection, catalogue] of catalogues) ids[connection] = await storeCatalogue(storage, catalogue)
  const kept = await write(async (within) => {
    const table = within.table('requestPlan')
    const known = await table.get(requestId)
    const version = (known?.version ?? 0) + 1
    const policyHash = canonicalHash(policy)
    const row = { id: requestId, version, plan: stored.get(plan) ?? plan, policyHash, catalogues: { ...ids } }
    if (known) await table.replace(row)
    else await table.insert(row)
    return stored.has(plan) ? undefined : table.get(requestId)
  })
  if (kept) stored.set(plan, kept.plan)
}

/** Where the plan lies that somebody looked at last, to tell what has changed since. */
export function reviewedPlan(requestId: string): string {
  return `${requestId}/reviewed`
}

async function storeCatalogue(storage: Storage, catalogue: Catalogue): Promise<string> {
  const id = hashes.get(catalogue) ?? createHash('sha256').update(JSON.stringify(catalogue)).digest('base64url')
  hashes.set(catalogue, id)
  const table = storage.table('catalogue')
  if (await table.get(id)) return id
  try {
    await table.insert({ id, version: 1, catalogue })
  } catch (error) {
    if (!isPrivacyError(error, 'conflict')) throw error
  }
  return id
}
