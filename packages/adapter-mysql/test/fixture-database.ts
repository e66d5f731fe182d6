import { randomBytes } from 'node:crypto'
import type { Value } from '@habeas/core'
import type { Fixture, FixtureColumn, FixtureKind, FixtureTable } from '@habeas/testkit'
import mysql from 'mysql2/promise'

const types: Readonly<Record<FixtureKind, string>> = {
  integer: 'int',
  big_integer: 'bigint',
  decimal: 'decimal(40, 15)',
  float: 'double',
  boolean: 'tinyint(1)',
  string: 'longtext',
  uuid: 'char(36)',
  date: 'date',
  timestamp: 'datetime(6)',
  bytes: 'longblob',
  object: 'json',
}

/** Small enough for the most parameters a statement may have, and for the largest packet. */
const rowsAtOnce = 200

/** A database of its own that holds the fixture. */
export interface FixtureDatabase {
  readonly url: string
  close(): Promise<void>
}

/** Makes and fills the tables of a fixture in a database of their own on the server at `url`. */
export async function openFixture(url: string, fixture: Fixture): Promise<FixtureDatabase> {
  const name = `habeas_${randomBytes(4).toString('hex')}`
  const client = await mysql.createConnection({ uri: url, charset: 'utf8mb4' })
  await client.query(`create database ${name}`)
  await client.query(`use ${name}`)
  await client.query(`set time_zone = '+00:00'`)
  for (const table of fixture) {
    await client.query(definition(table))
    for (let start = 0; start < table.rows.length; start += rowsAtOnce) {
      const rows = table.rows.slice(start, start + rowsAtOnce)
      const places = rows.map(() => `(${table.columns.map(() => '?').join(', ')})`)
      const values = rows.flatMap((row) => table.columns.map(({ name, kind }) => written(kind, row[name] ?? null)))
      await client.query(`insert into ${quoted(table.name)} values ${places.join(', ')}`, values)
    }
  }
  return {
    url: `${url}/${name}`,
    async close() {
      await client.query(`drop database ${name}`)
      await client.end()
    },
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
  return `create table ${quoted(name)} (${parts.join(', ')}) character set utf8mb4`
}

/** A UUID is text here, and something has to refuse what is none. */
function columnDefinition({ name, kind, length, nullable }: FixtureColumn): string {
  const type = length === undefined ? types[kind] : `varchar(${length})`
  const rule = kind === 'uuid' ? ` check (${quoted(name)} regexp '^[0-9a-f-]{36}$')` : ''
  return `${quoted(name)} ${type}${nullable ? '' : ' not null'}${rule}`
}

function written(kind: FixtureKind, value: Value): unknown {
  if (value === null) return null
  if (kind === 'bytes') return Buffer.from(String(value), 'base64')
  if (kind === 'timestamp') return String(value).replace('T', ' ').replace('Z', '')
  return kind === 'object' ? JSON.stringify(value) : value
}

function quoted(identifier: string): string {
  return `\`${identifier.replaceAll('`', '``')}\``
}
