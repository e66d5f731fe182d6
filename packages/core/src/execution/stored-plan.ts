import { createHash } from 'node:crypto'
import { isPrivacyError } from '../errors.js'
import type { Catalogue } from '../model/catalogue.js'
import type { Storage } from '../ports/storage.js'
import type { Plan } from '../rules/plan.js'

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
  const row = { id: requestId, plan, catalogues: { ...ids } }
  if (known) await table.replace({ ...row, version: known.version + 1 })
  else await table.insert({ ...row, version: 1 })
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
