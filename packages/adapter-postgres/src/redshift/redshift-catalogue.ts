import type { CatalogueCollection, Value } from '@habeas/core'
import {
  type Ask,
  type ForeignKeyPartRow,
  type KeyPartRow,
  type ListedTables,
  listedCatalogue,
  type SqlCatalogue,
  type ViewRow,
} from '@habeas/sql'
import { schemaFailure } from '../live-catalogue.js'
import { hiddenTables } from './hidden-tables.js'
import { type ListedRedshiftColumn, type RedshiftColumn, redshiftColumn } from './redshift-column.js'

/*
 * All of these run on the leader node, which refuses to join its own tables with those of the compute nodes. Lists of columns are
 * read as text, since there is no function that unfolds them.
 */

const columnsQuery = (one: boolean) => `
select table_name, column_name, ordinal_position, data_type, is_nullable, character_maximum_length, numeric_scale, column_default
from pg_catalog.svv_columns where table_schema = $1${one ? ' and table_name = $2' : ''}`

const tablesQuery = `
select table_name, table_type from pg_catalog.svv_tables where table_schema = $1`

/** Declared keys, and the numbers of their columns. The server enforces none of them. */
const keysQuery = (one: boolean) => `
select c.relname, k.conname, k.contype, k.conkey, fs.nspname, fc.relname, k.confkey
from pg_catalog.pg_constraint k
join pg_catalog.pg_class c on c.oid = k.conrelid
join pg_catalog.pg_namespace s on s.oid = c.relnamespace
left join pg_catalog.pg_class fc on fc.oid = k.confrelid
left join pg_catalog.pg_namespace fs on fs.oid = fc.relnamespace
where s.nspname = $1 and k.contype in ('p', 'u', 'f')${one ? ' and c.relname = $2' : ''}`

const namesQuery = `
select s.nspname, c.relname, a.attnum, a.attname
from pg_catalog.pg_attribute a
join pg_catalog.pg_class c on c.oid = a.attrelid
join pg_catalog.pg_namespace s on s.oid = c.relnamespace
where a.attnum > 0 and c.oid in (select conrelid from pg_catalog.pg_constraint union select confrelid from pg_catalog.pg_constraint)`

/** The tables that each view selects from. The catalogue does not list those of a late-binding view. */
const viewsQuery = `
select distinct c.relname, os.nspname, o.relname
from pg_catalog.pg_class c
join pg_catalog.pg_namespace s on s.oid = c.relnamespace
join pg_catalog.pg_rewrite r on r.ev_class = c.oid
join pg_catalog.pg_depend d on d.objid = r.oid and d.refobjid <> c.oid
join pg_catalog.pg_class o on o.oid = d.refobjid
join pg_catalog.pg_namespace os on os.oid = o.relnamespace
where s.nspname = $1 and c.relkind = 'v'`

const largeQuery = `
select c.relname from pg_catalog.pg_class c join pg_catalog.pg_namespace s on s.oid = c.relnamespace
where s.nspname = $1 and c.reltuples > 10000`

const materializedQuery = `select name from pg_catalog.stv_mv_info where schema = $1`

const accessQuery = `
select case when has_schema_privilege(nspname, 'usage') then 1 else 0 end from pg_catalog.pg_namespace where nspname = $1`

/** The tables of a schema, as the catalogue of the leader node lists them. */
export function redshiftCatalogue(schema: string): SqlCatalogue<RedshiftColumn> {
  const listed = listedCatalogue<ListedRedshiftColumn, RedshiftColumn>({
    schema,
    list: (ask, collection) => list(ask, schema, collection),
    live: redshiftColumn,
  })
  async function usable(ask: Ask) {
    const [access] = await ask(accessQuery, [schema])
    if (Number(access?.[0] ?? 0) !== 1) throw schemaFailure(schema, access !== undefined)
  }
  return {
    usable,
    async table(collection, ask) {
      const table = await listed.table(collection, ask)
      return table && { ...table, rowKeys: [], lockable: false }
    },
    async describe(ask) {
      const { catalogue, tables } = await listed.describe(ask)
      if (tables.size === 0) await usable(ask)
      const types = new Map((await ask(tablesQuery, [schema])).map(([name, type]) => [String(name), String(type)]))
      const large = new Set((await ask(largeQuery, [schema])).map(([name]) => String(name)))
      const hidden = await hiddenTables(schema, ask)
      return {
        catalogue: {
          collections: catalogue.collections.map((collection) => ({
            ...collection,
            // there are none: a sort key leaves blocks out, and no index finds a row
            indexes: [],
            keysEnforced: false as const,
            ...(large.has(collection.name) && { large: true as const }),
            ...hidden(collection.name),
            ...unwritable(types.get(collection.name)),
          })),
        },
        tables: new Map([...tables].map(([name, table]) => [name, { ...table, rowKeys: [], lockable: false }])),
      }
    },
  }
}

function unwritable(type: string | undefined): Pick<CatalogueCollection, 'unwritable'> {
  if (type === undefined || type === 'BASE TABLE' || type === 'TABLE' || type === 'VIEW') return {}
  return { unwritable: `It is no table of this database (${type.toLowerCase()}): erase where its rows lie.` }
}

async function list(ask: Ask, schema: string, one: string | undefined): Promise<ListedTables<ListedRedshiftColumn>> {
  const parameters = one === undefined ? [schema] : [schema, one]
  const columns = await ask(columnsQuery(one !== undefined), parameters)
  if (columns.length === 0) return { columns: [], keyParts: [], foreignKeyParts: [] }
  const named = new Set(columns.map(([name]) => String(name)))
  return {
    columns: columns.map(listedColumn),
    ...(await keys(ask, one !== undefined, parameters)),
    views: await views(ask, schema, named),
  }
}

function listedColumn(row: readonly (Value | undefined)[]): ListedRedshiftColumn {
  const [collection, name, position, type, nullable, length, scale, initial] = row
  return {
    collection: String(collection),
    name: String(name),
    position: Number(position),
    type: String(type),
    nullable: nullable === 'YES',
    length: length == null ? null : Number(length),
    scale: scale == null ? null : Number(scale),
    generated: /^"?(?:default_)?identity"?\(/.test(String(initial)),
  }
}

async function keys(
  ask: Ask,
  one: boolean,
  parameters: readonly string[],
): Promise<Pick<ListedTables<ListedRedshiftColumn>, 'keyParts' | 'foreignKeyParts'>> {
  const declared = await ask(keysQuery(one), parameters)
  if (declared.length === 0) return { keyParts: [], foreignKeyParts: [] }
  const names = new Map(
    (await ask(namesQuery, [])).map(([schema, table, number, name]) => [
      JSON.stringify([schema, table, Number(number)]),
      String(name),
    ]),
  )
  const [schema] = parameters
  const columnsOf = (of: Value | undefined, table: Value | undefined, numbers: Value | undefined) =>
    String(numbers)
      .split(/[^0-9]+/)
      .filter(Boolean)
      .map((number) => names.get(JSON.stringify([of, table, Number(number)])) ?? '')
  const keyParts: KeyPartRow[] = []
  const foreignKeyParts: ForeignKeyPartRow[] = []
  for (const [table, name, type, own, otherSchema, other, referenced] of declared) {
    const collection = String(table)
    const columns = columnsOf(schema, table, own)
    const to = type === 'f' ? columnsOf(otherSchema, other, referenced) : []
    for (const [at, column] of columns.entries()) {
      const part = { collection, key: String(name), column, position: at + 1 }
      if (type !== 'f') keyParts.push({ ...part, use: type === 'p' ? 'primary' : 'unique' })
      else
        foreignKeyParts.push({
          ...part,
          schema: String(otherSchema),
          referencedCollection: String(other),
          referencedColumn: to[at]!,
          // no deletion is carried on
          onDelete: 'no action',
        })
    }
  }
  return { keyParts, foreignKeyParts }
}

async function views(ask: Ask, schema: string, named: ReadonlySet<string>): Promise<ViewRow[]> {
  const types = await ask(tablesQuery, [schema])
  const listed = types.flatMap(([name, type]) => (type === 'VIEW' && named.has(String(name)) ? [String(name)] : []))
  if (listed.length === 0) return []
  const behind = await ask(viewsQuery, [schema])
  const stored = new Set((await ask(materializedQuery, [schema])).map(([name]) => String(name)))
  return listed.map((collection): ViewRow => {
    const shows = behind.flatMap(([view, of, table]) =>
      view === collection ? [[String(of), String(table)] as const] : [],
    )
    return {
      collection,
      writable: false,
      ...(shows.length > 0 && { shows }),
      ...(stored.has(collection) && { stored: true as const }),
    }
  })
}
