import {
  columnsQuery,
  foreignKeysQuery,
  keyPartsQuery,
  rightsQuery,
  tablesQuery,
  viewsQuery,
} from '../../src/catalogue-queries.js'
import { lockHoldersQuery } from '../../src/named-locks.js'
import { serverQuery } from '../../src/open-session.js'
import { referencedSince, sameReferencesQuery } from '../../src/same-references.js'

const tables = `from pg_class as o join pg_namespace as s on s.oid = o.relnamespace`
const ofTable = `s.nspname = $1 and o.relkind in ('r', 'v') and ($2::text is null or o.relname = $2)`
const kind = `format_type(a.atttypid, null)`
const digits = `((a.atttypmod - 4) >> 16) & 65535`

/** A column of the double, as SQL Server would list it. */
const columns = `select o.relname, a.attname, a.attnum::int4,
  case ${kind} when 'integer' then 'int' when 'bigint' then 'bigint' when 'smallint' then 'smallint' when 'boolean' then 'bit'
    when 'double precision' then 'float' when 'real' then 'real' when 'numeric' then 'decimal' when 'uuid' then 'uniqueidentifier'
    when 'date' then 'date' when 'timestamp with time zone' then 'datetimeoffset' when 'timestamp without time zone' then 'datetime2'
    when 'time without time zone' then 'time' when 'bytea' then 'varbinary' else 'nvarchar' end,
  case when ${kind} = 'character varying' and a.atttypmod > 0 then (a.atttypmod - 4) * 2 else -1 end,
  case when ${kind} = 'numeric' then ${digits} else 0 end,
  case when ${kind} = 'numeric' then (a.atttypmod - 4) & 65535 when ${kind} ~ '^time' then 6 else 0 end,
  case when ${kind} in ('text', 'character varying', 'mssql.document') then 'SQL_Latin1_General_CP1_CI_AS' end,
  1252, not a.attnotnull, a.attgenerated <> '' or a.attidentity <> '', ${kind} = 'mssql.document', false, a.attgenerated <> ''
  ${tables} join pg_attribute as a on a.attrelid = o.oid
  where a.attnum > 0 and not a.attisdropped and ${ofTable} order by 1, 3`

const keyParts = `select o.relname, n.relname, a.attname, p.position::int4, i.indisprimary, i.indisunique
  ${tables} join pg_index as i on i.indrelid = o.oid join pg_class as n on n.oid = i.indexrelid
  join unnest(i.indkey::int2[]) with ordinality as p(attnum, position) on true
  join pg_attribute as a on a.attrelid = o.oid and a.attnum = p.attnum
  where i.indpred is null and ${ofTable}`

const action = (column: string) =>
  `case ${column} when 'c' then 'CASCADE' when 'n' then 'SET_NULL' when 'd' then 'SET_DEFAULT' else 'NO_ACTION' end`

const foreignKeys = `select s.nspname, o.relname, k.conname, a.attname, p.position::int4, rs.nspname, r.relname, ra.attname,
  ${action('k.confdeltype')}, ${action('k.confupdtype')}
  from pg_constraint as k join pg_class as o on o.oid = k.conrelid join pg_namespace as s on s.oid = o.relnamespace
  join pg_class as r on r.oid = k.confrelid join pg_namespace as rs on rs.oid = r.relnamespace
  join unnest(k.conkey, k.confkey) with ordinality as p(own, other, position) on true
  join pg_attribute as a on a.attrelid = o.oid and a.attnum = p.own
  join pg_attribute as ra on ra.attrelid = r.oid and ra.attnum = p.other
  where k.contype = 'f' and (s.nspname = $1 or rs.nspname = $1) and ($2::text is null or o.relname = $2)`

const cascading = (
  table: string,
) => `(select coalesce(string_agg(concat_ws('.', ks.nspname, kt.relname, k.conname, k.confdeltype), ' ' order by k.oid), '')
  from pg_constraint as k join pg_class as kt on kt.oid = k.conrelid join pg_namespace as ks on ks.oid = kt.relnamespace
  where k.contype = 'f' and k.confdeltype in ('c', 'n', 'd') and k.confrelid = ${table})`

const tablesOf = `select o.relname, case o.relkind when 'r' then 0 end, null, null, null, null, false, false, false,
  greatest(o.reltuples, 0)::int8, ${cascading('o.oid')}, o.relrowsecurity, null
  ${tables} where ${ofTable}`

const rights = `select (select oid::int8 from pg_namespace where nspname = $1), 1, 1`

const sameReferences = `select case when keys = $3 then 1 else ('${referencedSince}' || keys)::int4 end
  from (values (${cascading("to_regclass(quote_ident($1) || '.' || quote_ident($2))")})) as found(keys)`

const holders = `select l.pid from pg_locks as l, hashtextextended($1, 0) as number
  where l.locktype = 'advisory' and l.granted and l.objsubid = 1 and l.pid <> pg_backend_pid()
    and l.database = (select oid from pg_database where datname = current_database())
    and l.classid::bigint = (number >> 32) & 4294967295 and l.objid::bigint = number & 4294967295`

const views = `select distinct vs.nspname, v.relname, ts.nspname, t.relname, case t.relkind when 'v' then 'V' else 'U' end,
  t.relrowsecurity, false
  from pg_rewrite as w join pg_class as v on v.oid = w.ev_class join pg_namespace as vs on vs.oid = v.relnamespace
  join pg_depend as d on d.classid = 'pg_rewrite'::regclass and d.objid = w.oid and d.refclassid = 'pg_class'::regclass
  join pg_class as t on t.oid = d.refobjid and t.oid <> v.oid join pg_namespace as ts on ts.oid = t.relnamespace
  where v.relkind = 'v'`

/** Every question about the catalogue that the adapter asks, word by word, and the same question about the rows of the double. */
export const catalogueAnswers: ReadonlyMap<string, string> = new Map([
  [columnsQuery, columns],
  [keyPartsQuery, keyParts],
  [foreignKeysQuery, foreignKeys],
  [tablesQuery, tablesOf],
  [rightsQuery, rights],
  [viewsQuery, views],
  [sameReferencesQuery, sameReferences],
  [lockHoldersQuery, holders],
  [serverQuery, 'select 16, 3, 160'],
  ['select 1', 'select 1'],
])
