import type { Value } from '@habeas/core'
import type { Fixture, FixtureColumn, FixtureKind, FixtureTable } from '@habeas/testkit'
import type pg from 'pg'
import { quoted } from './database.js'

const types: Readonly<Record<FixtureKind, string>> = {
  integer: 'integer',
  big_integer: 'bigint',
  decimal: 'numeric',
  float: 'double precision',
  boolean: 'boolean',
  string: 'text',
  uuid: 'uuid',
  date: 'date',
  timestamp: 'timestamptz',
  bytes: 'bytea',
  object: 'jsonb',
}

/** Small enough for the most parameters a statement may have. */
const rowsAtOnce = 500

/** Makes and fills the tables of a fixture in the schema the client looks into first. `prepare` changes one before it is filled. */
export async function loadFixture(
  client: pg.Client,
  fixture: Fixture,
  prepare?: (client: pg.Client, table: FixtureTable) => Promise<void>,
): Promise<void> {
  const loose = fixture.some(({ columns }) => columns.some((column) => column.loose))
  if (loose) await client.query('create extension if not exists citext with schema public')
  for (const table of fixture) {
    await client.query(definition(table))
    await prepare?.(client, table)
    await loadRows(client, table)
  }
}

/** Fills a table of a fixture. */
export async function loadRows(client: pg.Client, table: FixtureTable): Promise<void> {
  const columns = table.columns.map(({ name }) => quoted(name)).join(', ')
  for (let start = 0; start < table.rows.length; start += rowsAtOnce) {
    const rows = table.rows.slice(start, start + rowsAtOnce)
    const values = rows.flatMap((row) => table.columns.map(({ name, kind }) => written(kind, row[name] ?? null)))
    const width = table.columns.length
    const places = rows.map((_, row) => `(${table.columns.map((_, at) => `$${row * width + at + 1}`).join(', ')})`)
    await client.query(`insert into ${quoted(table.name)} (${columns}) values ${places.join(', ')}`, values)
  }
}

function definition({ name, columns, primaryKey, uniqueKeys, foreignKeys, checks = [] }: FixtureTable): string {
  const list = (names: readonly string[]) => `(${names.map(quoted).join(', ')})`
  const parts = [
    ...columns.map(columnDefinition),
    ...(primaryKey.length > 0 ? [`primary key ${list(primaryKey)}`] : []),
    ...uniqueKeys.map((key) => `unique ${list(key)}`),
    ...checks.map(({ name, column, least }) => `constraint ${quoted(name)} check (${quoted(column)} >= ${least})`),
    ...foreignKeys.map(
      ({ name, columns, references, onDelete }) =>
        `constraint ${quoted(name)} foreign key ${list(columns)} references ${quoted(references.collection)} ${list(references.columns)} on delete ${onDelete}`,
    ),
  ]
  return `create table ${quoted(name)} (${parts.join(', ')})`
}

function columnDefinition({ name, kind, length, nullable, loose }: FixtureColumn): string {
  const type = loose ? 'public.citext' : length === undefined ? types[kind] : `varchar(${length})`
  return `${quoted(name)} ${type}${nullable ? '' : ' not null'}`
}

function written(kind: FixtureKind, value: Value): unknown {
  if (value === null) return null
  if (kind === 'bytes') return Buffer.from(String(value), 'base64')
  return kind === 'object' ? JSON.stringify(value) : value
}
