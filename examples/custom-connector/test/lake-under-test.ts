import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Value, ValueKind } from '@habeas/core'
import type { Fixture, FixtureColumn, FixtureRow, FixtureTable } from '@habeas/testkit'

const folders: string[] = []

export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'habeas-lake-'))
  folders.push(folder)
  return folder
}

/** Call it when the tests of a file have ended. */
export async function removeFolders(): Promise<void> {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true })
}

/** Numbers with all their digits, as other programs write them. */
function jsonOf({ kind }: FixtureColumn, value: Value): string {
  if (value !== null && (kind === 'big_integer' || kind === 'decimal')) return String(value)
  return JSON.stringify(value)
}

const lineOf = (columns: readonly FixtureColumn[], row: FixtureRow): string =>
  `{${columns.map((column) => `${JSON.stringify(column.name)}: ${jsonOf(column, row[column.name] as Value)}`).join(', ')}}\n`

function schemaOf({ columns, primaryKey, uniqueKeys }: FixtureTable) {
  const kindOf = ({ kind }: FixtureColumn): { kind: ValueKind } => ({ kind: kind === 'big_integer' ? 'integer' : kind })
  return {
    ...{ key: primaryKey, uniqueKeys },
    columns: columns.map((column) => ({ name: column.name, nullable: column.nullable ?? false, ...kindOf(column) })),
  }
}

/** A lake that holds the tables of a fixture, each in two files. */
export async function lakeOf(fixture: Fixture): Promise<string> {
  const lake = await newFolder()
  for (const table of fixture) {
    const folder = join(lake, table.name)
    await mkdir(join(folder, 'more'), { recursive: true })
    await writeFile(join(folder, '_schema.json'), JSON.stringify(schemaOf(table)))
    const lines = table.rows.map((row) => lineOf(table.columns, row))
    const half = table.name === 'entries' ? lines.length : Math.ceil(lines.length / 2)
    await writeFile(join(folder, 'part-0.jsonl'), lines.slice(0, half).join(''))
    await writeFile(join(folder, 'more', 'part-1.jsonl'), lines.slice(half).join(''))
  }
  return lake
}
