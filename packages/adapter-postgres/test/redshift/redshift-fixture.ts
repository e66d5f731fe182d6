import type { Fixture, FixtureKind, FixtureTable } from '@habeas/testkit'
import pg from 'pg'
import { quoted } from '../database.js'
import { loadRows } from '../load-fixture.js'

/** What Redshift has of its own, for a database of PostgreSQL. Keys are listed here and enforced nowhere. */
const redshift = `
create schema redshift;
grant usage on schema redshift to public;
create domain pg_catalog.super as jsonb;
create domain pg_catalog.varbyte as bytea;
create function pg_catalog.json_parse(text) returns jsonb language sql immutable as 'select $1::jsonb';
create function pg_catalog.super_as_text(jsonb) returns text language sql immutable as 'select $1::text';
create function pg_catalog.to_varbyte(value text, format text) returns bytea language sql immutable as
  $$select case format when 'hex' then decode(value, 'hex') else convert_to(value, 'UTF8') end$$;
create function pg_catalog.from_varbyte(value bytea, format text) returns text language sql immutable as
  $$select encode(value, format)$$;
create table redshift.pg_constraint
  (conname name, contype "char", conrelid oid, confrelid oid, conkey int2[], confkey int2[]);
create table redshift.svv_rls_relation (relschema name, relname name, is_rls_on boolean);
create table redshift.svv_attached_masking_policy (schema_name name, table_name name);
create table redshift.stv_mv_info (schema name, name name);
create view redshift.svv_columns as select n.nspname as table_schema, c.relname as table_name, a.attname as column_name,
  a.attnum as ordinal_position,
  case t.typname when 'super' then 'super' when 'varbyte' then 'binary varying' else format_type(a.atttypid, null) end as data_type,
  case when a.attnotnull then 'NO' else 'YES' end as is_nullable,
  case when t.typname in ('varchar', 'bpchar') and a.atttypmod > 4 then a.atttypmod - 4 end as character_maximum_length,
  case when t.typname = 'numeric' and a.atttypmod > 4 then (a.atttypmod - 4) & 2047 end as numeric_scale,
  null::text as column_default
  from pg_attribute a join pg_class c on c.oid = a.attrelid and c.relkind in ('r', 'v')
  join pg_namespace n on n.oid = c.relnamespace join pg_type t on t.oid = a.atttypid
  where a.attnum > 0 and not a.attisdropped;
create view redshift.svv_tables as select n.nspname as table_schema, c.relname as table_name,
  case c.relkind when 'r' then 'BASE TABLE' else 'VIEW' end as table_type
  from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.relkind in ('r', 'v');
grant select on all tables in schema redshift to public;
`

/** Makes a database that behaves like one of Redshift, as far as PostgreSQL can. */
export async function prepareRedshift(url: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query(redshift)
  const { rows } = await client.query('select quote_ident(current_database()) as name')
  await client.query(`alter database ${rows[0].name} set default_transaction_isolation to 'serializable'`)
  await client.end()
}

const types: Readonly<Record<FixtureKind, string>> = {
  integer: 'integer',
  big_integer: 'bigint',
  decimal: 'numeric(38, 10)',
  float: 'double precision',
  boolean: 'boolean',
  string: 'varchar',
  uuid: 'varchar(36)',
  date: 'date',
  timestamp: 'timestamptz',
  bytes: 'varbyte',
  object: 'super',
}

/** Makes and fills the tables of a fixture. Their keys are declared, as those of Redshift are. */
export async function loadRedshiftFixture(client: pg.Client, fixture: Fixture): Promise<void> {
  await client.query('set default_transaction_isolation to default; begin isolation level read committed')
  for (const table of fixture) {
    const columns = table.columns.map(({ name, kind, length, nullable }) => {
      const type = length === undefined ? types[kind] : `varchar(${length})`
      return `${quoted(name)} ${type}${nullable ? '' : ' not null'}`
    })
    await client.query(`create table ${quoted(table.name)} (${columns.join(', ')})`)
    await declare(client, table)
    await loadRows(client, table)
  }
  await client.query('commit')
}

/** A foreign key over columns that compare loosely elsewhere is left out: here is no such column. */
async function declare(client: pg.Client, { name, columns, primaryKey, uniqueKeys, foreignKeys }: FixtureTable) {
  const add = (
    key: string,
    type: string,
    own: readonly string[],
    to?: FixtureTable['foreignKeys'][number]['references'],
  ) =>
    client.query(
      `insert into redshift.pg_constraint select $1, $2, $3::regclass, coalesce($5::regclass, 0::oid::regclass),
         (select array_agg(attnum order by array_position($4::text[], attname::text)) from pg_attribute
           where attrelid = $3::regclass and attname = any($4)),
         (select array_agg(attnum order by array_position($6::text[], attname::text)) from pg_attribute
           where attrelid = $5::regclass and attname = any($6))`,
      [key, type, quoted(name), own, to ? quoted(to.collection) : null, to?.columns ?? null],
    )
  if (primaryKey.length > 0) await add(`${name}_pkey`, 'p', primaryKey)
  for (const [at, key] of uniqueKeys.entries()) await add(`${name}_key_${at}`, 'u', key)
  for (const key of foreignKeys) {
    const loose = key.columns.some((each) => columns.find((column) => column.name === each)?.loose)
    if (!loose) await add(key.name, 'f', key.columns, key.references)
  }
}
