import { createHash } from 'node:crypto'
import { isPrivacyError } from '../errors.js'
import type { Catalogue } from '../model/catalogue.js'
import type { Storage } from '../ports/storage.js'
import type { Plan } from '../rules/plan.js'

/** A remembered plan as the storage gave it back: one that shares what it keeps need not copy it again. */
const stored = new WeakMap<Plan, unknown>()

/** Remembered, since a catalogue is kept for minutes and may be large. */
const hashes = new WeakMap<Catalogue, string>()

/** Stores the plan of a run with the live catalogues it was made with (§7.1), each catalogue once. */
export async function storePlan(
  storage: Storage,
  requestId: string,
  plan: Plan,
  catalogues: ReadonlyMap<string, Catalogue>,
): Promise<void> {
  const ids: Record<string, string> = Object.create(null)
  for (const [connection, catalogue] of catalogues) ids[connection] = await storeCatalogue(storage, catalogue)
  const table = storage.table('requestPlan')
  const known = await table.get(requestId)
  const version = (known?.version ?? 0) + 1
  const row = { id: requestId, version, plan: stored.get(plan) ?? plan, catalogues: { ...ids } }
  if (known) await table.replace(row)
  else await table.insert(row)
  if (stored.has(plan)) return
  const kept = await table.get(requestId)
  if (kept?.version === version) stored.set(plan, kept.plan)
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
