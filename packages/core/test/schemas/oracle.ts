import type pg from 'pg'
import { keyText, type TableKey } from './database-rows.js'
import type { Person, SampleSchema } from './sample-schema.js'

/** The keys of a person's rows in one table. */
export interface TrueRows {
  readonly own: ReadonlySet<string>
  readonly shared: ReadonlySet<string>
  readonly undecided: ReadonlySet<string>
}

export type Oracle = ReadonlyMap<string, TrueRows>

/** Asks the database itself whose rows are, in the words of those who know it. */
export async function oracleOf(
  client: pg.Client,
  keys: readonly TableKey[],
  { name, truth }: SampleSchema,
  { who }: Person,
): Promise<Oracle> {
  const rowsOf = async (table: string, sql: string | undefined): Promise<ReadonlySet<string>> => {
    if (sql === undefined) return new Set()
    const { columns = [] } = keys.find((key) => key.table === table) ?? {}
    if (columns.length === 0) throw new Error(`${name} has no table ${table} with a primary key`)
    const { rows } = await client.query(sql, [who])
    return new Set(rows.map((row) => keyText(columns, row)))
  }
  const oracle = new Map<string, TrueRows>()
  for (const [table, { own, shared, undecided }] of Object.entries(truth)) {
    oracle.set(table, {
      own: await rowsOf(table, own),
      shared: await rowsOf(table, shared),
      undecided: await rowsOf(table, undecided?.rows),
    })
  }
  return oracle
}
