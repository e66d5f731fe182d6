import type { Value } from '@habeas/core'
import type { Fixture, FixtureColumn, FixtureKind, FixtureTable } from '@habeas/testkit'
import type { DeclaredKeys } from './emulator.js'

const types: Readonly<Record<FixtureKind, string>> = {
  integer: 'number(10, 0)',
  big_integer: 'number(19, 0)',
  decimal: 'number(38, 10)',
  float: 'float',
  boolean: 'boolean',
  string: 'varchar',
  uuid: 'varchar',
  date: 'date',
  timestamp: 'timestamp_ltz',
  bytes: 'binary',
  object: 'variant',
}

const rowsAtOnce = 500
/** The emulator repeats the whole list beside each of its rows. */
const bytesAtOnce = 256 * 1024

/** Runs one statement. */
export type RunSql = (sql: string, binds?: readonly string[]) => Promise<void>

/** Makes and fills the tables of a fixture. What is said of keys is answered with. */
export async function loadFixture(
  run: RunSql,
  path: readonly [string, string],
  fixture: Fixture,
): Promise<DeclaredKeys> {
  for (const table of fixture) {
    const name = [...path, table.name].map(quoted).join('.')
    await run(`create table ${name} (${table.columns.map((column) => definition(column, table)).join(', ')})`)
    for (const rows of portions(table)) {
      const cells = table.columns.map(({ kind }, at) => cell(kind, `value[${at}]::varchar`)).join(', ')
      await run(`insert into ${name} select ${cells} from table(flatten(input => parse_json(?)))`, [
        JSON.stringify(rows),
      ])
    }
  }
  return declared(path, fixture)
}

/** The emulator cannot note the length of a text where the name of its table has quotes. */
function definition({ name, kind, length, nullable }: FixtureColumn, table: FixtureTable): string {
  const bounded = length !== undefined && !/['"]/.test(`${table.name}${name}`)
  const type = bounded ? `varchar(${length})` : types[kind]
  return `${quoted(name)} ${type}${nullable ? '' : ' not null'}`
}

function portions({ columns, rows }: FixtureTable): (string | null)[][][] {
  const all: (string | null)[][][] = []
  let bytes = 0
  for (const row of rows) {
    const written = columns.map(({ kind, name }) => text(kind, row[name] ?? null))
    const size = written.reduce((sum, value) => sum + (value?.length ?? 0), 0)
    const last = all.at(-1)
    if (!last || last.length >= rowsAtOnce || bytes + size > bytesAtOnce) {
      all.push([written])
      bytes = size
    } else {
      last.push(written)
      bytes += size
    }
  }
  return all
}

function text(kind: FixtureKind, value: Value): string | null {
  if (value === null) return null
  if (kind === 'timestamp') return String(value).replace('T', ' ').replace('Z', '')
  return kind === 'object' ? JSON.stringify(value) : String(value)
}

function cell(kind: FixtureKind, value: string): string {
  if (kind === 'object') return `parse_json(${value})`
  if (kind === 'bytes') return `to_binary(${value}, 'BASE64')`
  return kind === 'string' || kind === 'uuid' ? value : `cast(${value} as ${types[kind]})`
}

function declared([database, schema]: readonly [string, string], fixture: Fixture): DeclaredKeys {
  const key = (use: string, table: string, columns: readonly string[]) =>
    columns.map((column, at) => ({
      database_name: database,
      schema_name: schema,
      table_name: table,
      column_name: column,
      key_sequence: at + 1,
      constraint_name: `${use}_${table}_${columns.join('_')}`,
    }))
  return {
    primary: fixture.flatMap(({ name, primaryKey }) => key('primary', name, primaryKey)),
    unique: fixture.flatMap(({ name, uniqueKeys }) => uniqueKeys.flatMap((columns) => key('unique', name, columns))),
    imported: fixture.flatMap(({ name, foreignKeys }) =>
      foreignKeys.flatMap((foreignKey) =>
        foreignKey.columns.map((column, at) => ({
          pk_database_name: database,
          pk_schema_name: schema,
          pk_table_name: foreignKey.references.collection,
          pk_column_name: foreignKey.references.columns[at]!,
          fk_database_name: database,
          fk_schema_name: schema,
          fk_table_name: name,
          fk_column_name: column,
          key_sequence: at + 1,
          delete_rule: foreignKey.onDelete.toUpperCase(),
          fk_name: foreignKey.name,
        })),
      ),
    ),
  }
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
