import type { CatalogueCollection } from '@habeas/core'
import { type Ask, failure, type SqlCatalogue } from '@habeas/sql'
import { catalogueOf, catalogueRow, liveTable } from './catalogue.js'
import { type CatalogueQueries, otherSchemasQuery, schemaAccessQuery } from './catalogue-query.js'
import type { LiveColumn } from './live-column.js'

/** What keeps rows of the tables of a schema as they were, by the name of the table. */
export type KeptRows = ReadonlyMap<string, NonNullable<CatalogueCollection['keptIn']>>

/** Reads the tables of a schema, each as one row of the catalogue query. `kept` asks what keeps their rows elsewhere. */
export function liveCatalogue(
  schema: string,
  queries: CatalogueQueries,
  kept: (schema: string, ask: Ask) => Promise<KeptRows> = async () => new Map(),
): SqlCatalogue<LiveColumn> {
  async function usable(ask: Ask) {
    const [access] = await ask(schemaAccessQuery, [schema])
    if (access?.[0] !== true) throw schemaFailure(schema, access !== undefined)
  }
  return {
    usable,
    async table(collection, ask) {
      const [found] = await ask(queries.table, [schema, collection])
      return found && liveTable(schema, catalogueRow(found))
    },
    async describe(ask) {
      const rows = (await ask(queries.schema, [schema])).map(catalogueRow)
      if (rows.length === 0) await usable(ask)
      const keptIn = await kept(schema, ask)
      const collections = catalogueOf(schema, rows).collections.map((collection) => {
        const kept = keptIn.get(collection.name)
        return kept ? { ...collection, keptIn: kept } : collection
      })
      const otherSchemas = (await ask(otherSchemasQuery, [schema])).map(([name]) => String(name))
      return {
        catalogue: { collections, schema, otherSchemas },
        tables: new Map(rows.map((row) => [row.name, liveTable(schema, row)])),
      }
    },
  }
}

export function schemaFailure(schema: string, exists: boolean) {
  return exists
    ? failure('permission', `The user of the connection may not use the schema "${schema}": grant USAGE on it.`)
    : failure('database_missing', `The database has no schema "${schema}": correct db_schema of the connection.`)
}
