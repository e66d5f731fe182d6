import { isPrivacyError } from '@habeas/core'
import type { Ask } from '@habeas/sql'
import { quoted } from './client-settings.js'

const tablesAtOnce = 20

/** A table or view whose policies are asked for. */
export interface Entity {
  readonly name: string
  readonly domain: 'table' | 'view'
}

/**
 * Tables of which a row access policy may hide rows, or a masking policy values. Where the role may not ask, that is said of
 * every table: what cannot be asked cannot be ruled out.
 */
export async function hiddenTables(
  ask: Ask,
  { database, schema }: { readonly database: string; readonly schema: string },
  entities: readonly Entity[],
): Promise<ReadonlySet<string>> {
  const hidden = new Set<string>()
  for (let from = 0; from < entities.length; from += tablesAtOnce) {
    const some = entities.slice(from, from + tablesAtOnce)
    const references = `${quoted(database)}.information_schema.policy_references`
    const parts = some.map(
      ({ domain }) =>
        `select ref_entity_name from table(${references}(ref_entity_name => ?, ref_entity_domain => '${domain}')) where policy_kind in ('ROW_ACCESS_POLICY', 'MASKING_POLICY', 'AGGREGATION_POLICY', 'PROJECTION_POLICY')`,
    )
    const names = some.map(({ name }) => [database, schema, name].map(quoted).join('.'))
    try {
      for (const [name] of await ask(parts.join(' union all '), names)) hidden.add(String(name))
    } catch (error) {
      if (!isUnasked(error)) throw error
      for (const { name } of some) hidden.add(name)
    }
  }
  return hidden
}

/** The role may not ask, or the edition of the account has no policies to ask for by this role. */
function isUnasked(error: unknown): boolean {
  if (!isPrivacyError(error, 'connection_failed')) return false
  const { code } = Object(error.cause) as { code?: unknown }
  return error.details.reason === 'permission' || ['002003', '002140', '001044'].includes(String(code))
}
