import { isPrivacyError } from '@habeas/core'
import type { Ask } from '@habeas/sql'
import { quoted } from './client-settings.js'

const tablesAtOnce = 20

/** What a role needs on the account, or the service leaves out policies without a word. */
const needed = ['APPLY MASKING POLICY', 'APPLY PROJECTION POLICY', 'APPLY ROW ACCESS POLICY']

/** A table or view whose policies are asked for. */
export interface Entity {
  readonly name: string
  readonly domain: 'table' | 'view'
}

/**
 * Returns the tables of which a policy may hide rows, or mask values. Where the role may not see every policy, these are all
 * tables: what cannot be asked cannot be ruled out.
 */
export async function hiddenTables(
  ask: Ask,
  { database, schema }: { readonly database: string; readonly schema: string },
  entities: readonly Entity[],
): Promise<ReadonlySet<string>> {
  if (entities.length === 0) return new Set()
  if (!(await seesPolicies(ask))) return new Set(entities.map(({ name }) => name))
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

/** Whether the role itself may apply every policy of the account. Roles that it has in turn are not looked at. */
async function seesPolicies(ask: Ask): Promise<boolean> {
  const [[role] = []] = await ask('select current_role()', [])
  if (role == null) return false
  try {
    const shown = await ask(`show grants to role ${quoted(String(role))}`, [])
    const granted = new Set(shown.map(([row]) => privilegeOf(JSON.parse(String(row)))))
    return needed.every((privilege) => granted.has(privilege))
  } catch (error) {
    if (!isUnasked(error)) throw error
    return false
  }
}

/** The privilege on the account that a row of SHOW GRANTS names. */
function privilegeOf(row: object): unknown {
  const members = new Map(Object.entries(row).map(([name, value]) => [name.toLowerCase(), value]))
  return members.get('granted_on') === 'ACCOUNT' ? members.get('privilege') : undefined
}

/** The role may not ask, or the edition of the account has no policies to ask for by this role. */
function isUnasked(error: unknown): boolean {
  if (!isPrivacyError(error, 'connection_failed')) return false
  const { code } = Object(error.cause) as { code?: unknown }
  return error.details.reason === 'permission' || ['002003', '002140', '001044'].includes(String(code))
}
