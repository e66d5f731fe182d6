import type { Ask } from '@habeas/sql'
import { quoted } from './client-settings.js'
import type { Behind, Path } from './shown-tables.js'
import { isUnasked } from './snowflake-errors.js'
import type { Place } from './table-facts.js'

const tablesAtOnce = 20

/** What a role needs on the account, or the service leaves out policies without a word. */
const needed = ['AGGREGATION', 'MASKING', 'PROJECTION', 'ROW ACCESS'].map((kind) => `APPLY ${kind} POLICY`)

const kinds = ['ROW_ACCESS', 'MASKING', 'AGGREGATION', 'PROJECTION', 'JOIN'].map((kind) => `'${kind}_POLICY'`)

/** A table or view whose policies are asked for. */
export interface Entity {
  readonly name: string
  readonly domain: 'table' | 'view'
  /** What it shows, which is nothing unless it is a view. Undefined where that is not known. */
  readonly behind: Behind | undefined
}

/** Whether policies may hide rows or mask values: some do, or nobody can tell. */
export type Hides = 'some' | 'unknown'

/**
 * Returns the tables of which a policy may hide rows, or mask values. Where the role may not see every policy, these are all
 * tables: what cannot be asked cannot be ruled out.
 */
export async function hiddenTables(
  ask: Ask,
  { database, schema }: Place,
  entities: readonly Entity[],
): Promise<ReadonlyMap<string, Hides>> {
  if (entities.length === 0) return new Map()
  if (!(await seesPolicies(ask))) return new Map(entities.map(({ name }) => [name, 'unknown']))
  const subjects = new Map<string, Subject>()
  const keyOf = (path: Path) => JSON.stringify(path)
  for (const { behind } of entities) {
    for (const path of behind?.tables ?? []) subjects.set(keyOf(path), { path, domain: 'table' })
    for (const path of behind?.views ?? []) subjects.set(keyOf(path), { path, domain: 'view' })
  }
  for (const { name, domain } of entities) {
    const path: Path = [database, schema, name]
    subjects.set(keyOf(path), { path, domain })
  }
  const all = [...subjects.values()]
  const policies = new Map<Subject, Hides>()
  for (let from = 0; from < all.length; from += tablesAtOnce) {
    await askTogether(ask, all.slice(from, from + tablesAtOnce), policies)
  }
  return new Map(
    entities.flatMap(({ name, behind }): [string, Hides][] => {
      const paths: Path[] = [[database, schema, name], ...(behind?.tables ?? []), ...(behind?.views ?? [])]
      const known = paths.map((path) => policies.get(subjects.get(keyOf(path))!))
      if (known.includes('some')) return [[name, 'some']]
      return known.includes('unknown') || !behind ? [[name, 'unknown']] : []
    }),
  )
}

interface Subject {
  readonly path: Path
  readonly domain: 'table' | 'view'
}

async function askTogether(ask: Ask, some: readonly Subject[], policies: Map<Subject, Hides>): Promise<void> {
  const parts = some.map(
    ({ path: [database], domain }, at) =>
      `select ${at} from table(${quoted(database)}.information_schema.policy_references(ref_entity_name => ?, ref_entity_domain => '${domain}')) where policy_kind in (${kinds.join(', ')})`,
  )
  const names = some.map(({ path }) => path.map(quoted).join('.'))
  try {
    for (const [at] of await ask(parts.join(' union all '), names)) policies.set(some[Number(at)]!, 'some')
  } catch (error) {
    if (!isUnasked(error)) throw error
    for (const subject of some) policies.set(subject, 'unknown')
  }
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
