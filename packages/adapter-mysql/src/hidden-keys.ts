import { isPrivacyError } from '@habeas/core'
import type { AnyForeignKeyPartRow, Ask } from '@habeas/sql'
import type { ServerKind } from './server-version.js'

/** Foreign keys of tables on which the user has no right. Undefined where the server does not tell it of them. */
export type HiddenKeys = readonly AnyForeignKeyPartRow[] | undefined

/**
 * Asks InnoDB itself for the foreign keys to tables of a database, which it tells users with PROCESS. The information schema lists
 * those of tables alone on which the user has a right, and a deletion cascades to the others all the same.
 */
export async function hiddenKeys(
  ask: Ask,
  kind: ServerKind,
  schema: string,
  seen: readonly Pick<AnyForeignKeyPartRow, 'tableSchema' | 'key'>[],
): Promise<HiddenKeys> {
  if (await seesEveryTable(ask, kind)) return []
  const known = new Set(seen.map(({ tableSchema, key }) => nameOf(tableSchema, key)))
  try {
    const all = await innodbKeys(ask, kind, schema)
    return all.filter(({ tableSchema, key }) => !known.has(nameOf(tableSchema, key)))
  } catch (error) {
    if (!isPrivacyError(error, 'connection_failed') || error.details.reason !== 'permission') throw error
    return undefined
  }
}

/** A server may ignore the case of names, and write them otherwise in one place than in another. */
const nameOf = (schema: string, key: string) => JSON.stringify([schema, key]).toLowerCase()

/** Whether the user has a right on all databases. A user who may read the database `mysql` sees the rights of others as well. */
async function seesEveryTable(ask: Ask, kind: ServerKind): Promise<boolean> {
  const rows = await ask(
    `select 1 from information_schema.user_privileges
    where privilege_type in ('SELECT', 'INSERT', 'UPDATE', 'DELETE', 'REFERENCES')
    and cast(replace(grantee, '''@''', '@') as binary) = cast(concat('''', current_user(), '''') as binary)`,
    [],
  )
  return rows.length > 0 && !(kind === 'mysql' && (await revokesPartly(ask)))
}

/** Whether a right on all databases may have been taken away for some of them. */
async function revokesPartly(ask: Ask): Promise<boolean> {
  const [row] = await ask('select @@global.partial_revokes', [])
  return Number(row?.[0]) === 1
}

async function innodbKeys(ask: Ask, kind: ServerKind, schema: string): Promise<AnyForeignKeyPartRow[]> {
  const table = kind === 'mysql' ? 'innodb_foreign' : 'innodb_sys_foreign'
  // MariaDB keeps names in the letters that files may have
  const plain = (name: string) =>
    kind === 'mysql' ? name : `convert(convert(cast(${name} as binary) using filename) using utf8mb4)`
  const part = (name: string, at: 1 | -1) => plain(`substring_index(${name}, '/', ${at})`)
  const flag = (bit: number, to: string) => `when k.type & ${bit} then '${to}'`
  const found = await ask(
    `select json_object(
      'tableSchema', ${part('k.for_name', 1)}, 'collection', ${part('k.for_name', -1)},
      'key', substring(k.id, locate('/', k.id) + 1), 'column', c.for_col_name, 'position', c.pos,
      'schema', ${part('k.ref_name', 1)}, 'referencedCollection', ${part('k.ref_name', -1)},
      'referencedColumn', c.ref_col_name,
      'onDelete', case ${flag(1, 'cascade')} ${flag(2, 'set null')} else 'no action' end,
      'onUpdate', case ${flag(4, 'cascade')} ${flag(8, 'set null')} else 'no action' end)
    from information_schema.${table} k join information_schema.${table}_cols c on c.id = k.id
    where ${part('k.ref_name', 1)} = ?`,
    [schema],
  )
  return found.map(([row]) => JSON.parse(String(row)) as AnyForeignKeyPartRow)
}
