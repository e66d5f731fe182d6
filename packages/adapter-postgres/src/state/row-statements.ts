import type { RowKind, StoredRow } from '@habeas/core'
import { type CompiledQuery, type RawBuilder, sql } from 'kysely'
import { type RowWhere, rowConditions } from './row-conditions.js'
import { fieldStart, fieldText, longestId, tableName } from './row-tables.js'
import { refuseUnstorable, storableJson } from './state-failure.js'
import { compiler } from './statement-compiler.js'

/** `Query` of the port without its row kind. */
export interface RowQuery {
  readonly where?: RowWhere
  readonly orderBy?: readonly { readonly field: string; readonly direction?: 'asc' | 'desc' }[]
  readonly limit?: number
  readonly offset?: number
}

/** Returns one statement that asks several queries. Each row says of which one it is, and comes in the order of that one. */
export function findStatement(
  schema: string,
  queries: readonly (RowQuery & { readonly kind: RowKind })[],
): CompiledQuery {
  const asked = queries.map(
    ({ kind, ...query }, at) => sql`(select ${sql.lit(at)}::integer as query, ${rowsOf(schema, kind, query)})`,
  )
  return sql`${sql.join(asked, sql` union all `)} order by query, place`.compile(compiler)
}

/** Rows with their places in the order of a query. */
function rowsOf(schema: string, kind: RowKind, query: RowQuery): RawBuilder<unknown> {
  const order = ordered(schema, query.orderBy)
  return sql`row_number() over (order by ${order}) as place, ${selected(schema, kind, query, order)}`
}

function selected(
  schema: string,
  kind: string,
  { where, limit, offset }: RowQuery,
  order: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const page = sql`${limit === undefined ? sql`` : sql` limit ${limit}`}${offset === undefined ? sql`` : sql` offset ${offset}`}`
  return sql`document::text as document from ${sql.id(schema, tableName(kind))} where ${rowConditions(schema, where)} order by ${order}${page}`
}

function ordered(schema: string, orderBy: RowQuery['orderBy'] = []): RawBuilder<unknown> {
  const keys = orderBy.flatMap(({ field, direction }) => {
    const way = sql.raw(direction === 'desc' ? 'desc nulls last' : 'asc nulls last')
    if (field === 'id') return [sql`id ${way}`]
    // The beginning comes first, because an index has it in order.
    return [sql`${fieldStart(schema, field)} ${way}`, sql`${fieldText(schema, field)} ${way}`]
  })
  return sql.join([...keys, sql`id`])
}

/** Returns the statements of one table. Documents are read as text, so that the host's parsers for JSON do not matter. */
export function rowStatements(schema: string, kind: string) {
  const table = sql.id(schema, tableName(kind))
  const idOf = (id: string): string => {
    refuseUnstorable(`The id of a ${kind}`, id, longestId)
    return id
  }
  const jsonOf = (value: unknown): string => storableJson(`A ${kind}`, value)

  return {
    get: (id: string): CompiledQuery =>
      sql`select document::text as document from ${table} where id = ${idOf(id)}`.compile(compiler),

    find: (query: RowQuery = {}): CompiledQuery =>
      sql`select ${selected(schema, kind, query, ordered(schema, query.orderBy))}`.compile(compiler),

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
