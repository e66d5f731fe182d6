import { failure, type SqlCatalogue } from '@habeas/sql'
import { catalogueOf, catalogueRow, liveTable } from './catalogue.js'
import { schemaAccessQuery, schemaQuery, tableQuery } from './catalogue-query.js'
import type { LiveColumn } from './live-column.js'

/** Reads the tables of a schema, each as one row of the catalogue query. */
export function liveCatalogue(schema: string): SqlCatalogue<LiveColumn> {
  return {
    async table(collection, ask) {
      const [found] = await ask(tableQuery, [schema, collection])
      return found && liveTable(schema, catalogueRow(found))
    },
    async describe(ask) {
      const rows = (await ask(schemaQuery, [schema])).map(catalogueRow)
      if (rows.length === 0) {
        const [access] = await ask(schemaAccessQuery, [schema])
        if (access?.[0] !== true) throw schemaFailure(schema, access !== undefined)
      }
      return {
        catalogue: catalogueOf(schema, rows),
        tables: new Map(rows.map((row) => [row.name, liveTable(schema, row)])),
      }
    },
  }
}

function schemaFailure(schema: string, exists: boolean) {
  return exists
    ? failure('permission', `The user of the connection may not use the schema "${schema}": grant USAGE on it.`)
    : failure('database_missing', `The database has no schema "${schema}": correct db_schema of the connection.`)
}
