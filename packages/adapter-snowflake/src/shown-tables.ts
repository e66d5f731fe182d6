import type { Ask } from '@habeas/sql'
import { quoted } from './client-settings.js'
import { isUnasked } from './snowflake-errors.js'
import type { Place } from './table-facts.js'

/** The place of a table or view: database, schema and name. */
export type Path = readonly [database: string, schema: string, name: string]

/** A place as it is named from a schema: other schemas have their name in front. */
export function namedFrom({ database, schema }: Place, [inDatabase, inSchema, name]: Path): string {
  if (inDatabase !== database) return `${inDatabase}.${inSchema}.${name}`
  return inSchema === schema ? name : `${inSchema}.${name}`
}

/** What a view shows. */
export interface Behind {
  readonly tables: readonly Path[]
  /** The views between, each of which may have policies of its own. */
  readonly views: readonly Path[]
}

/** The tables behind a view, and the views between. Undefined where the role may not ask, or nothing is said. */
export async function behindView(ask: Ask, { database, schema }: Place, view: string): Promise<Behind | undefined> {
  const tables = new Map<string, Path>()
  const views: Path[] = []
  const seen = new Set<string>()
  const waiting: Path[] = [[database, schema, view]]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const key = JSON.stringify(next)
    if (seen.has(key)) continue
    seen.add(key)
    const references = await referencesOf(ask, next)
    if (!references || references.length === 0) return undefined
    for (const [type, ...path] of references) {
      if (type !== 'VIEW') tables.set(JSON.stringify(path), path)
      else {
        waiting.push(path)
        views.push(path)
      }
    }
  }
  return { tables: [...tables.values()], views }
}

async function referencesOf(ask: Ask, path: Path) {
  const names = 'database_name => ?, schema_name => ?, object_name => ?'
  const columns = ['type', 'name'].map((each) => `referenced_object_${each}`)
  const places = ['database', 'schema'].map((each) => `referenced_${each}_name`)
  const sql = `select ${[columns[0], ...places, columns[1]].join(', ')} from table(get_object_references(${names}))`
  try {
    const rows = await ask(sql, path.map(quoted))
    return rows.map((row) => row.map(String) as [type: string, ...Path])
  } catch (error) {
    if (isUnasked(error)) return undefined
    throw error
  }
}
