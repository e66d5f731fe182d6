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

/** Makes and fills the tables of a fixture in the schema the client looks into first. */
export async function loadFixture(client: pg.Client, fixture: Fixture): Promise<void> {
  for (const table of fixture) {
    await client.query(definition(table))
    const columns = table.columns.map(({ name }) => quoted(name)).join(', ')
    const places = table.columns.map((_, index) => `$${index + 1}`).join(', ')
    for (const row of table.rows) {
      const values = table.columns.map(({ name, kind }) => written(kind, row[name] ?? null))
      await client.query(`insert into ${quoted(table.name)} (${columns}) values (${places})`, values)
    }
  }
}

function definition({ name, columns, primaryKey, uniqueKeys, foreignKeys }: FixtureTable): string {
  const list = (names: readonly string[]) => `(${names.map(quoted).join(', ')})`
  const parts = [
    ...columns.map(columnDefinition),
    ...(primaryKey.length > 0 ? [`primary key ${list(primaryKey)}`] : []),
    ...uniqueKeys.map((key) => `unique ${list(key)}`),
    ...foreignKeys.map(
      ({ name, columns, references, onDelete }) =>
        `constraint ${quoted(name)} foreign key ${list(columns)} references ${quoted(references.collection)} ${list(references.columns)} on delete ${onDelete}`,
    ),
  ]
  return `create table ${quoted(name)} (${parts.join(', ')})`
}

function columnDefinition({ name, kind, length, nullable }: FixtureColumn): string {
  const type = length === undefined ? types[kind] : `varchar(${length})`
  return `${quoted(name)} ${type}${nullable ? '' : ' not null'}`
}

function written(kind: FixtureKind, value: Value): unknown {
  if (value === null) return null
  if (kind === 'bytes') return Buffer.from(String(value), 'base64')
  return kind === 'object' ? JSON.stringify(value) : value
}
