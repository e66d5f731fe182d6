import type pg from 'pg'
import type { FreshSchema } from './fresh-schema.js'

/** Rows as texts, by table without a key. */
export type KeylessRows = ReadonlyMap<string, readonly string[]>

/** All rows of the tables without a key, or those of one person. */
export async function keylessRows(client: pg.Client, { keyless }: FreshSchema, who?: string): Promise<KeylessRows> {
  const tables = new Map<string, readonly string[]>()
  for (const [table, own] of Object.entries(keyless)) {
    const { rows } = await (who === undefined
      ? client.query(`select * from ${client.escapeIdentifier(table)}`)
      : client.query(own, [who]))
    tables.set(
      table,
      rows.map((row) => JSON.stringify(row)),
    )
  }
  return tables
}

/** What is wrong with the tables without a key after an erasure: others' rows changed, or own ones left as they were. */
export function keylessComplaints(own: KeylessRows, before: KeylessRows, after: KeylessRows): string[] {
  const complaints: string[] = []
  for (const [table, rows] of before) {
    const mine = own.get(table) ?? []
    const left = [...(after.get(table) ?? [])]
    for (const row of without(rows, mine)) {
      const at = left.indexOf(row)
      if (at < 0) complaints.push(`${table}: a row of somebody else was changed: ${row}`)
      else left.splice(at, 1)
    }
    if (left.length > mine.length) complaints.push(`${table}: ${left.length - mine.length} rows came from nowhere`)
    for (const row of left) if (mine.includes(row)) complaints.push(`${table}: an own row is still there: ${row}`)
  }
  return complaints
}

function without(rows: readonly string[], taken: readonly string[]): readonly string[] {
  const left = [...rows]
  for (const row of taken) left.splice(left.indexOf(row), 1)
  return left
}
