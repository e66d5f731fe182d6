const listedWith = (isPart: string) =>
  `s.nspname = $1::text and c.relkind in ('r', 'p', 'v', 'm', 'f') and not ${isPart}`

/**
 * The columns of a foreign key as pairs: its own column, and the one it refers to. The last pair of a key with PERIOD is
 * left out, because a period is contained in the one it refers to and need not equal it.
 */
const keyColumns = `(
  select json_agg(json_build_array(a.attname, fa.attname) order by k.position)
  from unnest(f.conkey, f.confkey) with ordinality as k(own, other, position)
  join pg_catalog.pg_attribute a on a.attrelid = f.conrelid and a.attnum = k.own
  join pg_catalog.pg_attribute fa on fa.attrelid = f.confrelid and fa.attnum = k.other
  where not (f.period and k.position = cardinality(f.conkey))
)`

/** Names of the columns of a foreign key. Their numbers cannot be compared, since each partition has its own. */
const keyNames = (key: string) => `(
  select array_agg(a.attname order by k.position) from unnest(${key}.conkey) with ordinality as k(number, position)
  join pg_catalog.pg_attribute a on a.attrelid = ${key}.conrelid and a.attnum = k.number
)`

const otherTable = (key: string) => `coalesce(pg_catalog.pg_partition_root(${key}.confrelid)::oid, ${key}.confrelid)`

/** Whether some partitions lack a foreign key, so that it does not hold for every row of the table. */
const ofSomePartitions = `f.conrelid <> pg_catalog.pg_partition_root(f.conrelid)::oid and exists (
  select from pg_catalog.pg_partition_tree(pg_catalog.pg_partition_root(f.conrelid)) p where p.isleaf and not exists (
    select from pg_catalog.pg_constraint g where g.contype = 'f' and g.conrelid = p.relid
    and ${otherTable('g')} = ${otherTable('f')} and ${keyNames('g')} = ${keyNames('f')}
  )
)`

/** Whether the class `c` in the schema `n` is a chunk of TimescaleDB, as far as its name says so. */
const inChunkSchema = `n.nspname = '_timescaledb_internal'`

/** The same by the catalogue of TimescaleDB, since a hypertable may have its chunks in any schema. */
const isListedChunk = `(n.nspname, c.relname) in (select chunk_schema, chunk_name from timescaledb_information.chunks)`

/** Whether the foreign key `f` is the copy that a chunk has of one of its hypertable. */
const isCopied = (isChunk: string) => `exists (
  select from pg_catalog.pg_inherits i
  join pg_catalog.pg_class c on c.oid = i.inhrelid
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  join pg_catalog.pg_constraint h on h.conrelid = i.inhparent and h.contype = 'f' and h.conname = f.conname and h.confrelid = f.confrelid
  where i.inhrelid = f.conrelid and ${isChunk}
)`

/**
 * Every parent with a table that inherits from it, and whether that table is a part of its parent: a partition, or a chunk
 * of TimescaleDB. Any other table has rows of its own, which are not read through its parent.
 */
const inherits = (isChunk: string) => `
select i.inhparent, i.inhrelid, p.relkind = 'p' or ${isChunk}
from pg_catalog.pg_inherits i
join pg_catalog.pg_class p on p.oid = i.inhparent
join pg_catalog.pg_class c on c.oid = i.inhrelid
join pg_catalog.pg_namespace n on n.oid = c.relnamespace`

/** Whether a schema is neither the server's own nor one of TimescaleDB. Tables of a session lie in one of the server. */
const isOthers = (schema: string) => `${schema}.nspname !~ '^(pg_|information_schema$|_?timescaledb)'`

/** A server looks at this many rows one by one in a few hundredths of a second. */
const largeRows = 10_000

/** Expressions of indexes that find a text in any case, or in any case and with any outer blanks (see comparison.ts). */
const folded = {
  case: ['lower(%I)', 'lower((%I)::text)'],
  'case and blanks': ['lower(btrim(%I, %L::text))', 'lower(btrim((%I)::text, %L::text))'],
} as const

/** Returns the column of such an expression that is the first part of an index; null where there is none. */
const foldedColumn = (what: keyof typeof folded) => `(
  select min(a.attname) from pg_catalog.pg_attribute a
  where x.indkey[0] = 0 and a.attrelid = c.oid and pg_catalog.pg_get_indexdef(x.indexrelid, 1, false) in (
    ${folded[what].map((expression) => `pg_catalog.format('${expression}', a.attname, E' \\t\\r\\n')`).join(', ')}
  )
)`

/** The foreign keys that carry a deletion on, by name and columns. The text does not depend on the search path. */
const carriers = `coalesce(string_agg(
  pg_catalog.format('%I.%I %I %s %s>%s', kn.nspname, kc.relname, f.conname, f.confdeltype, f.conkey, f.confkey), ', '
  order by kn.nspname collate "C", kc.relname collate "C", f.conname collate "C"
), '')`
const carrying = (isChunk: string) => `join pg_catalog.pg_constraint f on f.confrelid = b.shown
  and f.contype = 'f' and f.conparentid = 0 and f.confdeltype in ('c', 'n', 'd') and not ${isCopied(isChunk)}
  join pg_catalog.pg_class kc on kc.oid = f.conrelid
  join pg_catalog.pg_namespace kn on kn.oid = kc.relnamespace`

/**
 * Returns the query for all tables of a schema (`$1`), or for `one` of them (`$2`). It gives one row for each table, with
 * its parts as JSON, so that the whole catalogue takes one round trip. Partitions are read through their parent, which has
 * their foreign keys and the foreign keys that refer to them. A domain counts as the type behind it.
 *
 * `behind` lists the tables whose rows a listed table shows: itself, its partitions, and the tables that a view reads, with
 * those that inherit from them. A foreign key that refers to one of these reaches rows of the listed table.
 *
 * `seen` lists the tables that a view reads, each with the role whose policies apply there: the owner of the view, or with
 * `security_invoker` the role that asks.
 *
 * `holder` goes the other way: from a table to its parts, to tables that inherit from it, and to views that read it. `held`
 * lists all that a listed table leads to so, whatever schema it lies in.
 */
const tables = (one: boolean, isChunk: string, isPart: string): string => `
with recursive domain(type, base, modifier, required) as (
  select oid, typbasetype, typtypmod, typnotnull from pg_catalog.pg_type where typtype = 'd'
  union all
  select d.type, t.typbasetype, case when d.modifier < 0 then t.typtypmod else d.modifier end, d.required or t.typnotnull
  from domain d join pg_catalog.pg_type t on t.oid = d.base where t.typtype = 'd'
), resolved as (
  select d.* from domain d join pg_catalog.pg_type t on t.oid = d.base where t.typtype <> 'd'
), shown(by, shown, part) as (${inherits(isChunk)}
  union all
  select r.ev_class, d.refobjid, true from pg_catalog.pg_rewrite r
  join pg_catalog.pg_depend d on d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass and d.objid = r.oid
  where r.rulename = '_RETURN' and d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass
), behind(listed, shown) as (
  select c.oid, c.oid from pg_catalog.pg_class c join pg_catalog.pg_namespace s on s.oid = c.relnamespace
  where ${listedWith(isPart)}
  union
  select b.listed, o.shown from behind b join shown o on o.by = b.shown and (o.part or b.shown <> b.listed)
), seen(listed, shown, role) as (
  select c.oid, c.oid, u.oid from pg_catalog.pg_class c join pg_catalog.pg_namespace s on s.oid = c.relnamespace
  join pg_catalog.pg_roles u on u.rolname = current_user
  where ${listedWith(isPart)} and c.relkind in ('v', 'm')
  union
  select v.listed, o.shown, case when exists (
    select from pg_catalog.pg_options_to_table(c.reloptions)
    where option_name = 'security_invoker' and option_value::boolean
  ) then v.role else c.relowner end
  from seen v join pg_catalog.pg_class c on c.oid = v.shown and c.relkind in ('v', 'm') join shown o on o.by = c.oid
), holder(held, by, part) as (
  select case when viewed then o.shown else o.by end, case when viewed then o.by else o.shown end, o.part and not viewed
  from shown o join pg_catalog.pg_class c on c.oid = o.by cross join lateral (select c.relkind in ('v', 'm')) k(viewed)
), held(listed, by, part) as (
  select c.oid, c.oid, true from pg_catalog.pg_class c join pg_catalog.pg_namespace s on s.oid = c.relnamespace
  where ${listedWith(isPart)}
  union
  select h.listed, o.by, o.part from held h join holder o on o.held = h.by
), foreign_key as (
  select f.*, coalesce(pg_catalog.pg_partition_root(f.conrelid)::oid, f.conrelid) as own, ${otherTable('f')} as other,
    coalesce((to_jsonb(f) ->> 'conperiod')::boolean, false) as period, ${ofSomePartitions} as partial
  from pg_catalog.pg_constraint f where f.contype = 'f' and f.conparentid = 0 and not ${isCopied(isChunk)}
)
select c.relname::text, (
  select coalesce(json_agg(json_build_array(
    a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), n.nspname, e.typname, case when e.typtype = 'e' then (
      select coalesce(json_agg(v.enumlabel order by v.enumsortorder), '[]') from pg_catalog.pg_enum v where v.enumtypid = e.oid
    ) end, b.typcategory = 'A' and b.typelem <> 0,
    case when a.atttypmod < 0 then coalesce(r.modifier, -1) else a.atttypmod end,
    not (a.attnotnull or coalesce(r.required, false)), a.attgenerated <> '' or a.attidentity = 'a',
    case when not l.collisdeterministic then pg_catalog.format('%I.%I', ln.nspname, l.collname) end, a.attgenerated <> ''
  ) order by a.attnum), '[]')
  from pg_catalog.pg_attribute a
  left join resolved r on r.type = a.atttypid
  join pg_catalog.pg_type b on b.oid = coalesce(r.base, a.atttypid)
  join pg_catalog.pg_type e on e.oid = case when b.typcategory = 'A' and b.typelem <> 0 then b.typelem else b.oid end
  join pg_catalog.pg_namespace n on n.oid = e.typnamespace
  left join pg_catalog.pg_collation l on l.oid = a.attcollation
  left join pg_catalog.pg_namespace ln on ln.oid = l.collnamespace
  where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
), (
  select coalesce(json_agg(json_build_array(
    i.relname, x.indisprimary, x.indisunique, x.indpred is null and x.indisvalid, m.amname, (
      select json_agg(a.attname order by k.position)
      from unnest(x.indkey::int2[]) with ordinality as k(number, position)
      left join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = k.number
      where k.position <= x.indnkeyatts
    ), ${foldedColumn('case and blanks')}, ${foldedColumn('case')}
  ) order by not x.indisprimary, i.relname), '[]')
  from pg_catalog.pg_index x
  join pg_catalog.pg_class i on i.oid = x.indexrelid
  join pg_catalog.pg_am m on m.oid = i.relam
  where x.indrelid = c.oid
), (
  select coalesce(json_agg(json_build_array(
    case when f.conrelid = c.oid then f.conname else f.conrelid::pg_catalog.regclass::text || '.' || f.conname end,
    fn.nspname, fc.relname, f.confdeltype, f.confupdtype, ${keyColumns}
  ) order by f.conrelid <> c.oid, f.conname), '[]')
  from foreign_key f
  join pg_catalog.pg_class fc on fc.oid = f.other
  join pg_catalog.pg_namespace fn on fn.oid = fc.relnamespace
  where f.own = c.oid and f.partial is not true
), (
  select coalesce(json_agg(json_build_array(
    f.conname, fn.nspname, fc.relname, f.confdeltype, f.confupdtype, ${keyColumns}
  ) order by fn.nspname, fc.relname, f.conname), '[]')
  from behind b
  join foreign_key f on f.confrelid = b.shown
  join pg_catalog.pg_class fc on fc.oid = f.own
  join pg_catalog.pg_namespace fn on fn.oid = fc.relnamespace
  where b.listed = c.oid and (fn.oid <> s.oid or f.other <> c.oid or f.partial)
), (
  select coalesce(json_agg(distinct v.srvname), '[]')
  from behind b
  join pg_catalog.pg_foreign_table t on t.ftrelid = b.shown
  join pg_catalog.pg_foreign_server v on v.oid = t.ftserver
  where b.listed = c.oid
), c.relkind in ('r', 'p'), c.relkind = 'r' and exists (select from shown o where o.by = c.oid and not o.part), pg_catalog.row_security_active(c.oid) or exists (
  select from seen v
  join pg_catalog.pg_class t on t.oid = v.shown and t.relrowsecurity
  join pg_catalog.pg_roles u on u.oid = v.role and not u.rolsuper and not u.rolbypassrls
  where v.listed = c.oid and (t.relforcerowsecurity or not pg_catalog.pg_has_role(u.oid, t.relowner, 'USAGE'))
),
pg_catalog.has_any_column_privilege(c.oid, 'UPDATE'),
case when c.relkind not in ('r', 'p') then json_build_array(
  case when c.relkind <> 'f' or exists (
    select from pg_catalog.pg_foreign_table t
    join pg_catalog.pg_foreign_server v on v.oid = t.ftserver
    join pg_catalog.pg_foreign_data_wrapper w on w.oid = v.srvfdw
    where t.ftrelid = c.oid and w.fdwhandler <> 0
  ) then pg_catalog.pg_relation_is_updatable(c.oid, true) & 20 = 20 else false end, case when c.relkind <> 'f' then (
    select coalesce(json_agg(distinct json_build_array(o.nspname, v.relname)::jsonb), '[]')
    from behind b
    join pg_catalog.pg_class v on v.oid = coalesce(pg_catalog.pg_partition_root(b.shown), b.shown)
    join pg_catalog.pg_namespace o on o.oid = v.relnamespace
    where b.listed = c.oid and v.relkind in ('r', 'p', 'f')
  ) end, c.relkind = 'm'
) end, case when c.relkind = 'p' then (
  select sum(t.reltuples) from pg_catalog.pg_partition_tree(c.oid) p
  join pg_catalog.pg_class t on t.oid = p.relid where p.isleaf
) else c.reltuples end > ${largeRows}, case when c.relkind in ('r', 'p') then (
  select ${carriers} from behind b ${carrying(isChunk)} where b.listed = c.oid
) end, (
  select coalesce(json_agg(case when ps.oid = s.oid then '' else ps.nspname || '.' end || pc.relname order by ps.oid <> s.oid, ps.nspname, pc.relname), '[]')
  from shown o
  join pg_catalog.pg_class pc on pc.oid = o.by and pc.relkind = 'r'
  join pg_catalog.pg_namespace ps on ps.oid = pc.relnamespace
  where o.shown = c.oid and not o.part
), (
  select coalesce(json_agg(json_build_array(o.nspname, k.relname, k.relkind = 'm') order by o.nspname, k.relname), '[]')
  from held h
  join pg_catalog.pg_class k on k.oid = h.by and k.relkind in ('r', 'f', 'm') and k.relnamespace <> s.oid
  join pg_catalog.pg_namespace o on o.oid = k.relnamespace and ${isOthers('o')}
  where h.listed = c.oid and not h.part
)
from pg_catalog.pg_class c
join pg_catalog.pg_namespace s on s.oid = c.relnamespace
where ${listedWith(isPart)}${one ? ' and c.relname = $2::text' : ''}
order by c.relname`

/** This text in an error says that the foreign keys that carry deletions on have changed. */
export const referencedSince = 'habeas: referenced since '

const sameReferences = (isChunk: string): string => `
with recursive shown(by, shown, part) as (${inherits(isChunk)}
), behind(shown) as (
  select c.oid from pg_catalog.pg_class c join pg_catalog.pg_namespace s on s.oid = c.relnamespace
  where s.nspname = $2::text and c.relname = $3::text and c.relkind in ('r', 'p')
  union
  select o.shown from behind b join shown o on o.by = b.shown and o.part
)
select case when t.names = $1::text then 0 else ('${referencedSince}' || t.names)::int4 end
from (select ${carriers} as names from behind b ${carrying(isChunk)}) as t`

/** The queries over the catalogue of one kind of server. */
export interface CatalogueQueries {
  /** All tables of the schema `$1`. */
  readonly schema: string
  /** The table `$2` of the schema `$1`. */
  readonly table: string
  /** Fails where the foreign keys that carry deletions on from the table `$3` of the schema `$2` differ from `$1`. */
  readonly sameReferences: string
}

const queriesWith = (isChunk: string, isPart: string): CatalogueQueries => ({
  schema: tables(false, isChunk, isPart),
  table: tables(true, isChunk, isPart),
  sameReferences: sameReferences(isChunk),
})

export const postgresQueries = queriesWith(inChunkSchema, 'c.relispartition')

/** The queries for a database that has TimescaleDB. */
export const timescaleQueries = queriesWith(
  `(${inChunkSchema} or ${isListedChunk})`,
  `(c.relispartition or ${isListedChunk.replace('n.nspname', 's.nspname')})`,
)

/** The schemas besides `$1` that have tables or views of their own, in order. Those of the server and of extensions are left out. */
export const otherSchemasQuery = `
select n.nspname from pg_catalog.pg_namespace n
where n.nspname <> $1::text and ${isOthers('n')} and exists (
  select from pg_catalog.pg_class c where c.relnamespace = n.oid and c.relkind in ('r', 'p', 'v', 'm', 'f') and not exists (
    select from pg_catalog.pg_depend d
    where d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass and d.objid = c.oid and d.deptype = 'e'))
order by 1 limit 100`

/** Says whether the user may use the schema `$1`. It gives no row when the schema does not exist. */
export const schemaAccessQuery = `
select pg_catalog.has_schema_privilege(oid, 'USAGE') from pg_catalog.pg_namespace where nspname = $1::text`
