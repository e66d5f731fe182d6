import type { Value } from '@habeas/core'
import type { Fixture, FixtureColumn, FixtureKind, FixtureTable } from '@habeas/testkit'
import type pg from 'pg'

/** Types of the double, which shows them as those of SQL Server: see `double-catalogue.ts`. */
const types: Readonly<Record<FixtureKind, string>> = {
  integer: 'integer',
  big_integer: 'bigint',
  decimal: 'numeric(38, 15)',
  float: 'double precision',
  boolean: 'boolean',
  string: 'text collate mssql.ci',
  uuid: 'uuid',
  date: 'date',
  timestamp: 'timestamptz',
  bytes: 'bytea',
  object: 'mssql.document',
}

/** Small enough for the most parameters a statement may have. */
const rowsAtOnce = 500

/** Makes and fills the tables of a fixture in the schema `dbo`. */
export async function loadFixture(client: pg.Client, fixture: Fixture): Promise<void> {
  for (const table of fixture) {
    await client.query(definition(table))
    const width = table.columns.length
    for (let start = 0; start < table.rows.length; start += rowsAtOnce) {
      const rows = table.rows.slice(start, start + rowsAtOnce)
      const values = rows.flatMap((row) => table.columns.map(({ name, kind }) => written(kind, row[name] ?? null)))
      const places = rows.map((_, row) => `(${table.columns.map((_, at) => `$${row * width + at + 1}`).join(', ')})`)
      await client.query(`insert into dbo.${quoted(table.name)} values ${places.join(', ')}`, values)
    }
  }
}

function definition({ name, columns, primaryKey, uniqueKeys, foreignKeys, checks = [] }: FixtureTable): string {
  const list = (names: readonly string[]) => `(${names.map(quoted).join(', ')})`
  const parts = [
    ...columns.map(columnDefinition),
    ...(primaryKey.length > 0 ? [`primary key ${list(primaryKey)}`] : []),
    ...uniqueKeys.map((key) => `unique nulls not distinct ${list(key)}`),
    ...checks.map(({ name, column, least }) => `constraint ${quoted(name)} check (${quoted(column)} >= ${least})`),
    ...foreignKeys.map(
      ({ name, columns, references, onDelete }) =>
        `constraint ${quoted(name)} foreign key ${list(columns)} references dbo.${quoted(references.collection)} ${list(references.columns)} on delete ${onDelete}`,
    ),
  ]
  return `create table dbo.${quoted(name)} (${parts.join(', ')})`
}

function columnDefinition({ name, kind, length, nullable }: FixtureColumn): string {
  const type = length === undefined ? types[kind] : `varchar(${length}) collate mssql.ci`
  return `${quoted(name)} ${type}${nullable ? '' : ' not null'}`
}

function written(kind: FixtureKind, value: Value): unknown {
  if (value === null) return null
  if (kind === 'bytes') return Buffer.from(String(value), 'base64')
  return kind === 'object' ? JSON.stringify(value) : value
}

export function quoted(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`
}
