import type { KeptCopy } from '@habeas/core'
import type { Ask } from '@habeas/sql'
import type { KeptRows } from './live-catalogue.js'

/** A function in PL/pgSQL without these words only gives other values to the row that is written. */
const copying = '\\m(old|select|insert|update|delete|merge|execute|perform|call|copy)\\M'

/**
 * Triggers that see the old values of rows of a schema, as rows of a trigger or as a transition table, and columns with numbers
 * of large objects. Triggers of partitions and chunks count for the table around them, those of extensions that are copied there too.
 */
const keptQuery = `
select distinct r.relname::text, 'trigger', t.tgname::text
from pg_catalog.pg_trigger t
join pg_catalog.pg_class r on r.oid = coalesce(pg_catalog.pg_partition_root(t.tgrelid)::oid, t.tgrelid)
join pg_catalog.pg_namespace s on s.oid = r.relnamespace
join pg_catalog.pg_proc p on p.oid = t.tgfoid
join pg_catalog.pg_namespace n on n.oid = p.pronamespace
join pg_catalog.pg_language l on l.oid = p.prolang
where s.nspname = $1::text and not t.tgisinternal and t.tgenabled <> 'D' and t.tgtype::int4 & 24 > 0
  and (t.tgtype::int4 & 1 > 0 or t.tgoldtable is not null)
  and n.nspname <> 'pg_catalog' and n.nspname not like '\\_timescaledb\\_%'
  and (l.lanname <> 'plpgsql' or t.tgoldtable is not null or p.prosrc ~* '${copying}')
union all
select c.relname::text, 'large_object', a.attname::text
from pg_catalog.pg_attribute a
join pg_catalog.pg_class c on c.oid = a.attrelid and c.relkind in ('r', 'p', 'v', 'm', 'f')
join pg_catalog.pg_namespace s on s.oid = c.relnamespace
join pg_catalog.pg_type t on t.oid = a.atttypid
where s.nspname = $1::text and a.attnum > 0 and not a.attisdropped
  and (t.oid = 'pg_catalog.oid'::pg_catalog.regtype or t.typbasetype = 'pg_catalog.oid'::pg_catalog.regtype)
order by 1, 2, 3`

/** Asks for what keeps values of the rows of tables after they were erased there. */
export const keptRows = (schema: string, ask: Ask): Promise<KeptRows> => listedRows(keptQuery, schema, ask)

/** Gives what a query lists as rows of a table, a kind and a name. */
export async function listedRows(query: string, schema: string, ask: Ask): Promise<KeptRows> {
  const kept = new Map<string, KeptCopy[]>()
  for (const [table, kind, name] of (await ask(query, [schema])) as [string, KeptCopy['kind'], string][])
    kept.set(table, [...(kept.get(table) ?? []), { name, kind }])
  return kept
}
