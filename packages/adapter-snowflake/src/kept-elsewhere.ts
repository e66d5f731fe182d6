import type { CatalogueCollection } from '@habeas/core'
import type { Ask } from '@habeas/sql'
import { namedFrom, type Path } from './shown-tables.js'
import { isUnasked } from './snowflake-errors.js'
import type { Place } from './table-facts.js'

type Kept = NonNullable<CatalogueCollection['keptIn']>[number]

/** Names, by table, the clones and streams that the role may see: what an erasure does not reach. */
export async function keptElsewhere(ask: Ask, place: Place): Promise<ReadonlyMap<string, readonly Kept[]>> {
  const found = new Map<string, Kept[]>()
  const add = (table: string, kept: Kept) => found.set(table, [...(found.get(table) ?? []), kept])
  for (const [table, name] of await unlessUnasked(() => clones(ask, place))) add(table, { name, kind: 'clone' })
  for (const [table, name] of await unlessUnasked(() => streams(ask, place))) add(table, { name, kind: 'stream' })
  return found
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
    const sources = `${member.get('table_name')},${member.get('base_tables')}`.split(',').map(plain)
    const here = `${place.database}.${place.schema}.`
    const tables = sources.filter((source) => source.startsWith(here)).map((source) => source.slice(here.length))
    return [...new Set(tables)].map((table): Pair => [table, namedFrom(place, [database, schema, name])])
  })
}

type Pair = readonly [table: string, name: string]

function plain(path: string): string {
  return path.trim().replaceAll('"', '')
}

async function unlessUnasked(ask: () => Promise<readonly Pair[]>): Promise<readonly Pair[]> {
  try {
    return await ask()
  } catch (error) {
    if (isUnasked(error)) return []
    throw error
  }
}
