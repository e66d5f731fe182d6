import { type Ask, failure, type SqlErasingDialect } from '@habeas/sql'
import { timescaleQueries } from './catalogue-query.js'
import { postgresDialect } from './dialect.js'
import { keptRows, listedRows } from './kept-rows.js'
import type { BoundKey } from './key-binding.js'
import type { KeptRows } from './live-catalogue.js'
import type { LiveColumn } from './live-column.js'
import { sameReferences } from './shapes.js'
import type { WireClient } from './wire.js'

/** PostgreSQL, with the chunks of hypertables as their parts. */
export const timescaleDialect: SqlErasingDialect<LiveColumn, BoundKey> = {
  ...postgresDialect,
  erasing: {
    ...postgresDialect.erasing,
    sameReferences: (referencedBy, { path }) => sameReferences(timescaleQueries, referencedBy, path),
  },
}

/**
 * Continuous aggregates over the tables of a schema, those over other aggregates included, and tables with compressed chunks. Both
 * views are the public ones, which keep their columns from version to version.
 */
const keptQuery = `
with recursive aggregate(schema, name, stored_schema, stored_name, view_schema, view_name) as (
  select hypertable_schema, hypertable_name, materialization_hypertable_schema, materialization_hypertable_name,
    view_schema, view_name
  from timescaledb_information.continuous_aggregates
), over_table as (
  select * from aggregate where schema = $1::text
  union
  select o.schema, o.name, a.stored_schema, a.stored_name, a.view_schema, a.view_name
  from over_table o join aggregate a on a.schema = o.stored_schema and a.name = o.stored_name
)
select name::text, 'aggregate', case when view_schema = $1::text then '' else view_schema || '.' end || view_name from over_table
union all
select distinct hypertable_name::text, 'compressed', hypertable_name::text
from timescaledb_information.chunks where hypertable_schema = $1::text and is_compressed
order by 1, 2, 3`

/** Asks for what keeps rows of hypertables as they were, and for what any table has. Nothing is ever refreshed or decompressed. */
export async function timescaleKeptRows(schema: string, ask: Ask): Promise<KeptRows> {
  const kept = new Map(await listedRows(keptQuery, schema, ask))
  for (const [table, copies] of await keptRows(schema, ask)) kept.set(table, [...(kept.get(table) ?? []), ...copies])
  return kept
}

/** Rejects where the database lacks TimescaleDB, so that nobody believes that its copies were looked for. */
export async function refuseOthers(client: WireClient): Promise<void> {
  const found = await client.query(`select to_regclass('timescaledb_information.chunks') is not null as there`)
  if ((found as { rows: { there: boolean }[] }).rows[0]?.there) return
  const message =
    'The database has no TimescaleDB 2: create the extension timescaledb in it, or make this a connection of the type postgres.'
  throw failure('database_missing', message)
}
