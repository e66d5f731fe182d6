import { compile, type SqlTable } from '@habeas/sql'
import { sql } from 'kysely'
import { bigqueryDialect } from './dialect.js'
import type { LiveColumn } from './live-column.js'
import { type NamedParameter, parameterNames } from './query-parameters.js'

/**
 * A statement that names the columns of every row that counts. It is only ever planned: the service bills columns and
 * partitions, whatever the keys that are asked for.
 */
export function scanOf(
  table: SqlTable<LiveColumn>,
  columns: Iterable<string>,
): { readonly query: string; readonly parameters: readonly NamedParameter[] } {
  const names = parameterNames()
  const named = [...columns].map((name) => sql.id(name))
  const from = sql`select ${named.length === 0 ? sql`null` : sql.join(named)} from ${sql.id(...table.path)}`
  const statement = table.within ? sql`${from} where ${table.within}` : from
  const { sql: query } = compile(statement, bigqueryDialect(names))
  return { query, parameters: names.all() }
}

const mebibyte = 1024 * 1024

/** What a job that reads so many bytes is billed: whole mebibytes, and 10 of them at least. */
export function billedBytes(processed: number): number {
  return processed === 0 ? 0 : Math.max(10, Math.ceil(processed / mebibyte)) * mebibyte
}
