import type { CatalogueCollection } from '@habeas/core'
import type { Ask } from '@habeas/sql'
import { namedFrom, type Path } from './shown-tables.js'
import { isUnasked } from './snowflake-errors.js'
import type { Place } from './table-facts.js'

type Kept = NonNullable<CatalogueCollection['keptIn']>[number]

/** The clones and streams that the role may see, by table: what an erasure does not reach. And which of them it may not. */
export interface KeptElsewhere {
  readonly kept: ReadonlyMap<string, readonly Kept[]>
  readonly unasked: readonly ('clone' | 'stream')[]
}

export async function keptElsewhere(ask: Ask, place: Place): Promise<KeptElsewhere> {
  const kept = new Map<string, Kept[]>()
  const unasked: ('clone' | 'stream')[] = []
  for (const [kind, look] of [
    ['clone', clones],
    ['stream', streams],
  ] as const) {
    try {
      for (const [table, name] of await look(ask, place)) kept.set(table, [...(kept.get(table) ?? []), { name, kind }])
    } catch (error) {
      if (!isUnasked(error)) throw error
      unasked.push(kind)
    }
  }
  return { kept, unasked }
}

/** Tables and their relatives: the service names what all clones of a table were made from in the end. */
async function clones(ask: Ask, { database, schema }: Place): Promise<readonly Pair[]> {
  const from = 'snowflake.account_usage.table_storage_metrics'
  const both = ['own', 'other'].map((name) => `${name}.table_dropped is null and ${name}.deleted = false`).join(' and ')
  const rows = await ask(
    `select own.table_name, other.table_catalog, other.table_schema, other.table_name from ${from} as own join ${from} as other on own.clone_group_id = other.clone_group_id and own.id <> other.id where own.table_catalog = ? and own.table_schema = ? and ${both}`,
    [database, schema],
  )
  return rows.map(([table, ...path]) => [
    String(table),
    namedFrom({ database, schema }, path.map(String) as unknown as Path),
  ])
}

/** A stream of a view shows rows of all tables behind it. */
async function streams(ask: Ask, place: Place): Promise<readonly Pair[]> {
  const rows = (await ask('show streams in account', [])).map(([row]) => JSON.parse(String(row)) as object)
  return rows.flatMap((row) => {
    const member = new Map(Object.entries(row).map(([name, value]) => [name.toLowerCase(), String(value ?? '')]))
    const [database = '', schema = '', name = ''] = ['database_name', 'schema_name', 'name'].map((each) =>
      member.get(each),
    )
    const sources = ['table_name', 'base_tables'].flatMap((each) => pathsIn(member.get(each) ?? ''))
    const here = sources.filter(([inDatabase, inSchema]) => inDatabase === place.database && inSchema === place.schema)
    const tables = here.map((path) => path.slice(2).join('.'))
    return [...new Set(tables)].map((table): Pair => [table, namedFrom(place, [database, schema, name])])
  })
}

type Pair = readonly [table: string, name: string]

/** The paths in a list such as `SHOP.PUBLIC.PEOPLE, SHOP."a,b"."say ""c"""`: names in quotes may hold commas, dots and quotes. */
function pathsIn(list: string): string[][] {
  const paths: string[][] = [[]]
  for (const [part, inQuotes] of list.matchAll(/"((?:[^"]|"")*)"|[^".,]+|,/g)) {
    if (part === ',') paths.push([])
    else if (inQuotes !== undefined) paths.at(-1)?.push(inQuotes.replaceAll('""', '"'))
    else if (part.trim() !== '') paths.at(-1)?.push(part.trim())
  }
  return paths
}
