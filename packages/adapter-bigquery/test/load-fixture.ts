import type { Value } from '@habeas/core'
import { type Fixture, type FixtureColumn, type FixtureKind, type FixtureTable, respelled } from '@habeas/testkit'
import { parameterNames } from '../src/query-parameters.js'
import { rowsParameter } from '../src/shapes.js'
import type { Rest } from './double/rest.js'

/** The types of the emulator's tables, and of their description: it keeps 38 digits of a number, and no JSON. */
const types: Readonly<Record<FixtureKind, readonly [definition: string, described: string, sent: string]>> = {
  integer: ['INT64', 'INTEGER', 'INT64'],
  big_integer: ['INT64', 'INTEGER', 'INT64'],
  decimal: ['BIGNUMERIC(38, 15)', 'BIGNUMERIC', 'BIGNUMERIC'],
  float: ['FLOAT64', 'FLOAT', 'FLOAT64'],
  boolean: ['BOOL', 'BOOLEAN', 'BOOL'],
  string: ['STRING', 'STRING', 'STRING'],
  uuid: ['STRING', 'STRING', 'STRING'],
  date: ['DATE', 'DATE', 'DATE'],
  timestamp: ['TIMESTAMP', 'TIMESTAMP', 'TIMESTAMP'],
  bytes: ['BYTES', 'BYTES', 'STRING'],
  object: ['JSON', 'JSON', 'STRING'],
}

/**
 * BigQuery takes letters, digits, dashes and blanks in the name of a table, and some signs more in that of a column. The
 * emulator takes no blanks in that of a table.
 */
export function spelling(name: string): string {
  const others = name.startsWith('Odd ') ? /[^A-Za-z0-9]/g : /[!"$()*,./;?@[\\\]^`{}~]/g
  return name.replace(others, '_')
}

export interface LoadOptions {
  /** More of the dataset. */
  readonly dataset?: object
  /** Lengths are part of a type. Default: they are only described, and nothing enforces them. */
  readonly keepsLengths?: boolean
}

/** Makes and fills the tables of a fixture in a dataset of its own. */
export async function loadFixture(
  rest: Rest,
  project: string,
  dataset: string,
  fixture: Fixture,
  { dataset: more, keepsLengths = false }: LoadOptions = {},
): Promise<void> {
  const datasetReference = { projectId: project, datasetId: dataset }
  await rest('POST', `/projects/${project}/datasets`, { datasetReference, ...more })
  for (const each of fixture) {
    const table = respelled(each, spelling)
    const path = `\`${project}\`.\`${dataset}\`.\`${table.name}\``
    await query(`create table ${path} (${table.columns.map((column) => definition(column, keepsLengths)).join(', ')})`)
    if (!keepsLengths) {
      const address = `/projects/${project}/datasets/${dataset}/tables/${encodeURIComponent(table.name)}`
      await rest('PATCH', address, { schema: { fields: table.columns.map(described) } })
    }
    if (table.rows.length > 0) await insert(path, table)
  }

  async function insert(path: string, { columns, rows }: FixtureTable): Promise<void> {
    const names = parameterNames()
    const lists = columns.map(({ name, kind }) => ({
      type: { type: types[kind][2] },
      values: rows.map((row) => ({ value: written(kind, row[name] ?? null) })),
    }))
    const parameter = names.nameOf(rowsParameter(lists))
    const values = columns.map(({ kind }, at) =>
      kind === 'bytes' ? `from_base64(r.f${at})` : kind === 'object' ? `parse_json(r.f${at})` : `r.f${at}`,
    )
    await query(`insert into ${path} select ${values.join(', ')} from unnest(@${parameter}) as r`, names.all())
  }

  async function query(text: string, queryParameters: readonly unknown[] = []): Promise<void> {
    await rest('POST', `/projects/${project}/jobs`, {
      configuration: { query: { query: text, useLegacySql: false, parameterMode: 'NAMED', queryParameters } },
    })
  }
}

function definition({ name, kind, nullable, length }: FixtureColumn, keepsLengths: boolean): string {
  const size = keepsLengths && length !== undefined ? `(${length})` : ''
  return `\`${name}\` ${types[kind][0]}${size}${nullable ? '' : ' not null'}`
}

function described({ name, kind, nullable, length }: FixtureColumn) {
  const mode = nullable ? 'NULLABLE' : 'REQUIRED'
  return { name, type: types[kind][1], mode, ...(length !== undefined && { maxLength: String(length) }) }
}

function written(kind: FixtureKind, value: Value): string | null {
  if (value === null) return null
  return kind === 'object' ? JSON.stringify(value) : String(value)
}
