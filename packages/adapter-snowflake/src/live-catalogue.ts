import type { CatalogueCollection, ForeignKey, Value } from '@habeas/core'
import {
  type Ask,
  type ForeignKeyPartRow,
  failure,
  type KeyPartRow,
  type ListedTables,
  listedCatalogue,
  type SqlCatalogue,
  type ViewRow,
} from '@habeas/sql'
import { quoted } from './client-settings.js'
import { type Entity, type Hides, hiddenTables } from './hidden-rows.js'
import { keptElsewhere } from './kept-elsewhere.js'
import { type ListedSnowflakeColumn, liveColumn, type SnowflakeColumn } from './live-column.js'
import { behindView, namedFrom, type Path } from './shown-tables.js'
import { type Place, tableFacts } from './table-facts.js'

/** What the information schema and SHOW say. Keys are those that were declared: the service enforces none. */
export function liveCatalogue({ database, schema }: Place): SqlCatalogue<SnowflakeColumn> {
  const listed = listedCatalogue<ListedSnowflakeColumn, SnowflakeColumn>({
    schema,
    list: (ask, collection) => list(ask, { database, schema }, collection),
    live: liveColumn,
  })
  const path = (name: string) => [database, schema, name]
  return {
    async table(collection, ask) {
      const table = await listed.table(collection, ask)
      return table && { ...table, path: path(collection), rowKeys: [] }
    },
    async describe(ask) {
      const { catalogue, tables } = await listed.describe(ask)
      const facts = await tableFacts(ask, { database, schema })
      if (tables.size === 0) await usable(ask, { database, schema })
      const shown = new Map<string, readonly Path[]>()
      const entities: Entity[] = []
      for (const { name } of catalogue.collections) {
        const kind = facts.get(name)?.kind ?? 'table'
        // no policy stands on the table of a materialized view
        const behind = kind === 'view' ? await behindView(ask, { database, schema }, name) : { tables: [], views: [] }
        entities.push({ name, domain: kind === 'table' ? 'table' : 'view', behind })
        if (kind === 'view' && behind) shown.set(name, behind.tables)
      }
      const hidden = await hiddenTables(ask, { database, schema }, entities)
      const { kept, unasked } = await keptElsewhere(ask, { database, schema })
      const nameOf = (path: Path) => namedFrom({ database, schema }, path)
      return {
        catalogue: {
          collections: catalogue.collections.map((collection) => ({
            ...collection,
            // the service has none
            indexes: [],
            ...hiding(hidden.get(collection.name)),
            ...(facts.get(collection.name)?.known ?? { keysEnforced: false }),
            ...(kept.has(collection.name) && { keptIn: kept.get(collection.name)! }),
            ...(shown.has(collection.name) && {
              view: { writable: false, shows: shown.get(collection.name)!.map(nameOf).sort() },
            }),
          })),
          ...(unasked.length > 0 && { unasked }),
        },
        tables: new Map([...tables].map(([name, table]) => [name, { ...table, path: path(name), rowKeys: [] }])),
      }
    },
  }
}

function hiding(hides: Hides | undefined): Pick<CatalogueCollection, 'hidesRows' | 'policiesUnknown'> {
  if (hides === undefined) return {}
  return hides === 'unknown' ? { hidesRows: true, policiesUnknown: true } : { hidesRows: true }
}

async function usable(ask: Ask, { database, schema }: Place): Promise<void> {
  const [row] = await ask(
    `select count(*) from ${quoted(database)}.information_schema.schemata where schema_name = ?`,
    [schema],
  )
  if (Number(row?.[0]) > 0) return
  const message = `The database "${database}" has no schema "${schema}" that the role may use: check db_schema, which is folded to upper case unless it has capitals or is quoted.`
  throw failure('database_missing', message)
}

async function list(ask: Ask, place: Place, one: string | undefined): Promise<ListedTables<ListedSnowflakeColumn>> {
  const from = (view: string) => `${quoted(place.database)}.information_schema.${view}`
  const where = `where table_schema = ?${one === undefined ? '' : ' and table_name = ?'}`
  const parameters = one === undefined ? [place.schema] : [place.schema, one]
  const columns = await ask(
    `select table_name, column_name, ordinal_position, data_type, is_nullable, character_maximum_length, numeric_scale, collation_name from ${from('columns')} ${where}`,
    parameters,
  )
  const views = await ask(`select table_name from ${from('views')} ${where}`, parameters)
  const named = new Set(columns.map(([name]) => String(name)))
  return {
    columns: columns.map(listedColumn),
    views: views.flatMap(([name]): ViewRow[] =>
      named.has(String(name)) ? [{ collection: String(name), writable: false }] : [],
    ),
    ...(columns.length === 0 ? { keyParts: [], foreignKeyParts: [] } : await keys(ask, place, one, named)),
  }
}

function listedColumn(row: readonly (Value | undefined)[]): ListedSnowflakeColumn {
  const [collection, name, position, type, nullable, length, scale, collation] = row
  return {
    collection: String(collection),
    name: String(name),
    position: Number(position),
    type: String(type),
    nullable: nullable === 'YES',
    length: length == null ? null : Number(length),
    scale: scale == null ? null : Number(scale),
    collation: collation == null ? null : String(collation),
  }
}

type Shown = Readonly<Record<string, unknown>>

/** Only SHOW tells which columns a key has. It gives rows of at most 10,000 parts. */
async function keys(
  ask: Ask,
  { database, schema }: Place,
  one: string | undefined,
  tables: ReadonlySet<string>,
): Promise<Pick<ListedTables<ListedSnowflakeColumn>, 'keyParts' | 'foreignKeyParts'>> {
  const place = [database, schema, ...(one === undefined ? [] : [one])].map(quoted).join('.')
  const within = `in ${one === undefined ? 'schema' : 'table'} ${place}`
  const show = async (what: string): Promise<Shown[]> =>
    (await ask(`show ${what} keys ${within}`, [])).map(([row]) => lowered(JSON.parse(String(row))))
  const part =
    (use: KeyPartRow['use']) =>
    (row: Shown): KeyPartRow => ({
      collection: String(row['table_name']),
      key: String(row['constraint_name']),
      use,
      column: String(row['column_name']),
      position: Number(row['key_sequence']),
    })
  const isHere = (row: Shown, prefix = '') => row[`${prefix}schema_name`] === schema
  const [primary, unique, imported] = [await show('primary'), await show('unique'), await show('imported')]
  return {
    keyParts: [
      ...primary.filter((row) => isHere(row)).map(part('primary')),
      ...unique.filter((row) => isHere(row)).map(part('unique')),
    ].filter(({ collection }) => tables.has(collection)),
    foreignKeyParts: imported
      .filter((row) => isHere(row, 'fk_') && tables.has(String(row['fk_table_name'])))
      .map(foreignKeyPart),
  }
}

/** A deletion is carried on to nothing, whatever the rule of the key says. */
function foreignKeyPart(row: Shown): ForeignKeyPartRow {
  const onDelete: ForeignKey['onDelete'] = 'no action'
  return {
    collection: String(row['fk_table_name']),
    key: String(row['fk_name']),
    column: String(row['fk_column_name']),
    position: Number(row['key_sequence']),
    schema: String(row['pk_schema_name']),
    referencedCollection: String(row['pk_table_name']),
    referencedColumn: String(row['pk_column_name']),
    onDelete,
  }
}

function lowered(row: object): Shown {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name.toLowerCase(), value]))
}
