import type { CatalogueCollection } from '@habeas/core'
import {
  type AnyForeignKeyPartRow,
  type Ask,
  type ForeignKeyPartRow,
  failure,
  incomingForeignKeys,
  type ListedTables,
  listedCatalogue,
  type SqlCatalogue,
} from '@habeas/sql'
import { type ColumnRow, catalogueRows } from './catalogue-rows.js'
import { isLoose, liveColumn, type MssqlColumn } from './live-column.js'
import { tableFacts } from './table-facts.js'
import { shownTables } from './view-tables.js'

type Listed = ListedTables<ColumnRow>

/** Reads the tables of a schema from the catalogue of the server. */
export function liveCatalogue(schema: string): SqlCatalogue<MssqlColumn> {
  const rows = catalogueRows(schema)
  const catalogueOf = (tables: Listed) =>
    listedCatalogue<ColumnRow, MssqlColumn>({ schema, list: async () => tables, live: liveColumn, isLoose })

  async function listed(ask: Ask, one?: string): Promise<Listed> {
    const columns = await rows.columns(ask, one)
    if (columns.length === 0) return { columns, keyParts: [], foreignKeyParts: [] }
    return { columns, keyParts: await rows.keyParts(ask, one), foreignKeyParts: [] }
  }

  return {
    async table(collection, ask) {
      const table = await catalogueOf(await listed(ask, collection)).table(collection, ask)
      if (!table) return undefined
      const [facts] = await rows.tables(ask, collection)
      return facts?.isView ? { ...table, lockable: false } : table
    },
    async describe(ask) {
      const rights = await rows.rights(ask)
      if (!rights.schema) throw schemaFailure(schema)
      const all = await listed(ask)
      const keys = await rows.foreignKeys(ask)
      const tables = new Map((await rows.tables(ask)).map((table) => [table.name, table]))
      const named = [...tables.values()].filter(({ isView }) => isView)
      const parts = named.length > 0 ? await rows.views(ask) : []
      const shown = shownTables(parts ?? [], rights)
      const views = named.map(({ name }) => {
        const { tables } = shown([schema, name])
        return { collection: name, writable: false, ...(tables && { shows: tables }) }
      })
      const { catalogue, tables: live } = await catalogueOf({
        ...all,
        foreignKeyParts: ownKeys(keys, schema),
        views,
      }).describe(ask)
      const incoming = incomingForeignKeys(keys.filter((key) => key.tableSchema !== schema && key.schema === schema))
      const collections = catalogue.collections.map((collection): CatalogueCollection => {
        const { name } = collection
        const table = tables.get(name)
        const own = all.columns.filter((column) => column.collection === name)
        const keys = incoming.get(name)
        const nullOnce = onceNull(collection)
        const hides = collection.view && shown([schema, name]).hides
        return {
          ...collection,
          columns: collection.columns.map((column) => {
            const known = live.get(name)?.columns.get(column.name)
            return { ...column, ...(known?.folds && known.indexed && { foldedIndex: 'case' as const }) }
          }),
          ...(nullOnce.length > 0 && { nullOnce }),
          ...(table && tableFacts(table, own, rights, schema)),
          ...(hides && { hidesRows: true as const }),
          ...(collection.view && !parts && { hidesRows: true as const, policiesUnknown: true as const }),
          ...(keys && { incomingForeignKeys: keys }),
        }
      })
      return { catalogue: { collections }, tables: live }
    },
  }
}

function ownKeys(rows: readonly AnyForeignKeyPartRow[], schema: string): ForeignKeyPartRow[] {
  return rows
    .filter(({ tableSchema }) => tableSchema === schema)
    .map(({ tableSchema: _, onUpdate, ...part }) => ({ ...part, ...(onUpdate !== 'no action' && { onUpdate }) }))
}

/** A unique index of this server takes null for a value like any other. */
function onceNull({ columns, uniqueKeys }: Pick<CatalogueCollection, 'columns' | 'uniqueKeys'>): string[][] {
  const nullable = new Set(columns.filter((column) => column.nullable).map(({ name }) => name))
  const names = uniqueKeys.flatMap((key) => (key.length === 1 ? key.filter((name) => nullable.has(name)) : []))
  return [...new Set(names)].map((name) => [name])
}

function schemaFailure(schema: string) {
  return failure(
    'missing_collection',
    `The database has no schema "${schema}", or the user may not see it: check db_schema.`,
  )
}
