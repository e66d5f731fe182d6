import type { Column, Value, ValueKind } from '@habeas/core'
import { type LakeRow, type LakeTable, linesOf, rowOfLine, textOfLine } from './lake-files.js'

/** How many lines of a file are looked at, and how many bytes of them. */
const sampleLines = 100
const sampleBytes = 1024 * 1024

/** The columns of the schema with their kinds. */
export function schemaKinds({ schema }: LakeTable): ReadonlyMap<string, ValueKind> {
  return new Map(schema.columns.flatMap(({ name, kind }) => (kind ? [[name, kind]] : [])))
}

/**
 * The columns of the schema, those that the names of folders say, and those that a sample of lines shows besides. The
 * sample is the beginning of the first file and of the last.
 */
export async function lakeColumns(table: LakeTable, signal: AbortSignal): Promise<Column[]> {
  const columns = new Map<string, Column>()
  for (const { name, kind, nullable } of table.schema.columns)
    columns.set(name, { name, type: kind ?? 'text', nullable, ...(kind && { kind }) })
  for (const { partition } of table.files) {
    for (const name of Object.keys(partition))
      columns.set(name, { name, type: 'folder', nullable: false, generated: true, kind: 'string' })
  }
  const seen = new Map<string, Set<ValueKind>>()
  for (const row of await sample(table, signal)) {
    for (const [name, value] of Object.entries(row)) {
      if (columns.has(name)) continue
      const kinds = seen.get(name) ?? new Set()
      seen.set(name, kinds)
      if (value !== null) kinds.add(kindOf(value))
    }
  }
  for (const [name, [kind, ...others]] of seen) {
    const isOne = kind !== undefined && others.length === 0
    columns.set(name, { name, type: isOne ? kind : 'json', nullable: true, ...(isOne && { kind }) })
  }
  return [...columns.values()]
}

async function sample(table: LakeTable, signal: AbortSignal): Promise<LakeRow[]> {
  const rows: LakeRow[] = []
  for (const file of new Set([table.files[0], table.files.at(-1)])) {
    if (!file) continue
    let [lines, bytes] = [0, 0]
    for await (const line of linesOf(file.path, signal)) {
      const text = textOfLine(line, file.path)
      if (text !== undefined) rows.push(rowOfLine(text, file, schemaKinds(table)))
      lines++
      bytes += line.length
      if (lines >= sampleLines || bytes >= sampleBytes) break
    }
  }
  return rows
}

function kindOf(value: Value): ValueKind {
  if (typeof value === 'string' || typeof value === 'boolean') return typeof value as 'string' | 'boolean'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'float'
  return 'object'
}
