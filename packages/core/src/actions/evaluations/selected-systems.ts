import type { Issue } from '../../errors.js'
import type { SystemSelection } from '../../model/evaluation.js'
import { nearestHint } from '../../model/nearest-key.js'
import { invalidInput } from '../../model/parse-input.js'
import type { System } from '../../model/system.js'
import type { ResourceRow } from '../../ports/rows.js'
import type { Storage } from '../../ports/storage.js'

/** The systems that are named, and those of the named registries; all where nothing is named. */
export async function selectedSystems(
  storage: Storage,
  { systems, registries }: SystemSelection,
): Promise<readonly ResourceRow<System>[]> {
  const all = await storage.table('system').find()
  if (!systems && !registries) return all
  // all of them, so that the one that was probably meant is among them
  const stored = registries ? await storage.table('registry').find() : []
  const issues = [
    ...unknownKeys('system', 'systems', systems, all),
    ...unknownKeys('registry', 'registries', registries, stored),
  ]
  if (issues.length > 0) throw invalidInput('evaluation', issues)
  const named = new Set(systems)
  const ofRegistry = new Set(registries)
  return all.filter(({ id, document }) => named.has(id) || ofRegistry.has(document.registry_service_key ?? ''))
}

function unknownKeys(
  what: string,
  member: string,
  keys: readonly string[] | undefined,
  stored: readonly { readonly id: string }[],
): Issue[] {
  const known = new Set(stored.map(({ id }) => id))
  return (keys ?? []).flatMap((key, index) =>
    known.has(key)
      ? []
      : [
          {
            loc: [member, index],
            msg: `names the ${what} '${key}', which does not exist${nearestHint(key, known)}`,
            type: 'unknown_key',
          },
        ],
  )
}
