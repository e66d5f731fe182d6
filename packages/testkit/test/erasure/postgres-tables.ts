import type { MemoryCollection, MemoryDatabase } from '@habeas/testkit'
import type pg from 'pg'
import { checks } from './live-rules.js'

/* The tables of a random world on a real server. */

const list = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ')

type Column = NonNullable<MemoryCollection['columns']>[number]

function typeOf({ kind, array, length, type, generated }: Column): string {
  if (generated) return 'integer generated always as (extract(year from since)::integer) stored'
  if (type === 'label') return 'label'
  if (kind === 'object') return 'jsonb'
  const name = kind === 'string' ? (length === undefined ? 'text' : `varchar(${length})`) : (kind ?? 'text')
  return array ? `${name}[]` : name
}

function definition(name: string, table: MemoryCollection): string {
  const { columns = [], primaryKey = [], uniqueKeys = [] } = table
  const parts = [
    ...columns.map((column) => `"${column.name}" ${typeOf(column)}${column.nullable === false ? ' not null' : ''}`),
    ...(primaryKey.length > 0 ? [`primary key (${list(primaryKey)})`] : []),
    ...uniqueKeys.filter((key) => key.length > 0).map((key) => `unique (${list(key)})`),
    ...(table.checks ?? []).flatMap((check) => (checks[check.name] ? [`check (${checks[check.name]?.sql})`] : [])),
  ]
  return `create table ${name} (${parts.join(', ')})`
}

/** Makes the tables of one dataset in a schema of its own. */
export async function createTables(client: pg.Client, schema: string, database: MemoryDatabase): Promise<void> {
  await client.query(`create schema ${schema}; set search_path to ${schema}; create type label as enum ('x', 'y')`)
  for (const [name, table] of Object.entries(database)) {
    await client.query(definition(name, table))
    const { rows } = table
    const columns = (table.columns ?? []).filter(({ generated }) => !generated)
    const places = columns.map((_, at) => `$${at + 1}`).join(', ')
    for (const row of rows) {
      const values = columns.map(({ name: column, kind }) => {
        const value = row[column] ?? null
        return kind === 'object' && value !== null ? JSON.stringify(value) : value
      })
      await client.query(
        `insert into ${name} (${list(columns.map((column) => column.name))}) values (${places})`,
        values,
      )
    }
  }
  for (const [name, { foreignKeys = [] }] of Object.entries(database)) {
    for (const { name: key, columns, references, onDelete } of foreignKeys) {
      await client.query(
        `alter table ${name} add constraint ${key} foreign key (${list(columns)}) references ${references.collection} (${list(references.columns)}) on delete ${onDelete}`,
      )
    }
  }
}

/** All rows of a table, each value as JSON has it. */
export async function rowsOfTable(client: pg.Client, schema: string, name: string): Promise<object[]> {
  const { rows } = await client.query(`select to_jsonb(whole) as row from ${schema}.${name} whole`)
  return rows.map(({ row }: { row: object }) => row)
}
