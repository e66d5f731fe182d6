import type { StoredRow } from '@habeas/core'
import { type CompiledQuery, sql } from 'kysely'
import { type RowWhere, rowConditions } from './row-conditions.js'
import { fieldStart, fieldText, tableName } from './row-tables.js'
import { refuseUnstorable, storableJson } from './state-failure.js'
import { compiler } from './statement-compiler.js'

/** `Query` of the port without its row kind. */
export interface RowQuery {
  readonly where?: RowWhere
  readonly orderBy?: readonly { readonly field: string; readonly direction?: 'asc' | 'desc' }[]
  readonly limit?: number
  readonly offset?: number
}

/** The longest id in bytes. An index of PostgreSQL has room for little more. */
const longestId = 2_000

/** Returns the statements of one table. Documents are read as text, so that the host's parsers for JSON do not matter. */
export function rowStatements(schema: string, kind: string) {
  const table = sql.id(schema, tableName(kind))
  const idOf = (id: string): string => {
    refuseUnstorable(`The id of a ${kind}`, id, longestId)
    return id
  }
  const jsonOf = (value: unknown): string => storableJson(`A ${kind}`, value)

  const ordered = (orderBy: RowQuery['orderBy'] = []) => {
    const keys = orderBy.flatMap(({ field, direction }) => {
      const way = sql.raw(direction === 'desc' ? 'desc nulls last' : 'asc nulls last')
      if (field === 'id') return [sql`id ${way}`]
      // The beginning comes first, because an index has it in order.
      return [sql`${fieldStart(schema, field)} ${way}`, sql`${fieldText(schema, field)} ${way}`]
    })
    return sql.join([...keys, sql`id`])
  }

  return {
    get: (id: string): CompiledQuery =>
      sql`select document::text as document from ${table} where id = ${idOf(id)}`.compile(compiler),

    find({ where, orderBy, limit, offset }: RowQuery = {}): CompiledQuery {
      const page = sql`${limit === undefined ? sql`` : sql` limit ${limit}`}${offset === undefined ? sql`` : sql` offset ${offset}`}`
      return sql`select document::text as document from ${table} where ${rowConditions(schema, where)} order by ${ordered(orderBy)}${page}`.compile(
        compiler,
      )
    },

    count: (where?: RowWhere): CompiledQuery =>
      sql`select count(*)::text as count from ${table} where ${rowConditions(schema, where)}`.compile(compiler),

    /** Inserts nothing where the id is taken. */
    insert: (row: StoredRow): CompiledQuery =>
      sql`insert into ${table} (kind, id, version, document) values (${sql.lit(kind)}, ${idOf(row.id)}, ${row.version}, ${jsonOf(row)}::jsonb) on conflict do nothing`.compile(
        compiler,
      ),

    /** Fails where an id is taken. */
    insertMany(rows: readonly StoredRow[]): CompiledQuery {
      for (const { id } of rows) idOf(id)
      return sql`insert into ${table} (kind, id, version, document) select ${sql.lit(kind)}, one ->> 'id', (one ->> 'version')::integer, one from jsonb_array_elements(${jsonOf(rows)}::jsonb) as one`.compile(
        compiler,
      )
    },

    replace: (row: StoredRow): CompiledQuery =>
      sql`update ${table} set version = ${row.version}, document = ${jsonOf(row)}::jsonb where id = ${idOf(row.id)} and version = ${row.version - 1}`.compile(
        compiler,
      ),

    take: (id: string): CompiledQuery =>
      sql`delete from ${table} where id = ${idOf(id)} returning document::text as document`.compile(compiler),
  }
}
