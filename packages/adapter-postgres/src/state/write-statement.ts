import type { RowKind, StoredRow, Write } from '@habeas/core'
import { type CompiledQuery, type RawBuilder, sql } from 'kysely'
import { longestId, tableName } from './row-tables.js'
import { refuseUnstorable, storableJson } from './state-failure.js'
import { compiler } from './statement-compiler.js'

/**
 * Returns one statement that applies all writes or none, and gives the number of rows that its `replace` has changed. The
 * other writes ask for that row first, so that nothing else happens, and nothing waits for a lock, where it finds none.
 */
export function writeStatement(schema: string, writes: readonly Write[]): CompiledQuery {
  const replaced = writes.find((write) => 'replace' in write)
  const others = writes.filter((write) => write !== replaced)
  const isMeant = replaced ? sql`exists (select from replaced)` : sql`true`
  const parts = [
    ...(replaced && 'replace' in replaced
      ? [sql`replaced as (${replace(schema, replaced.kind, replaced.replace)})`]
      : []),
    ...others.map((write, at) => sql`${sql.id(`written_${at}`)} as (${written(schema, write, isMeant)})`),
  ]
  const count = replaced ? sql`(select count(*) from replaced)` : sql`1`
  return sql`with ${sql.join(parts)} select ${count}::integer as count`.compile(compiler)
}

/** Returns which kind of row a refusal of the server was about. */
export function refusedKind(writes: readonly Write[], refusal: unknown): RowKind | undefined {
  const { table } = refusal as { readonly table?: unknown }
  return writes.find(({ kind }) => tableName(kind) === table)?.kind
}

function replace(schema: string, kind: RowKind, row: StoredRow): RawBuilder<unknown> {
  return sql`update ${sql.id(schema, tableName(kind))} set version = ${row.version}, document = ${documentOf(kind, row)}::jsonb
    where id = ${checkedId(kind, row.id)} and version = ${row.version - 1} returning id`
}

function written(schema: string, write: Write, isMeant: RawBuilder<unknown>): RawBuilder<unknown> {
  const { kind } = write
  const table = sql.id(schema, tableName(kind))
  if ('take' in write) {
    return sql`delete from ${table} where id = any(${write.take.map((id) => checkedId(kind, id))}::text[]) and ${isMeant}`
  }
  const rows: readonly StoredRow[] =
    'insert' in write ? write.insert : 'add' in write ? write.add : 'put' in write ? write.put : []
  for (const { id } of rows) checkedId(kind, id)
  const inserted = sql`insert into ${table} as stored (kind, id, version, document)
    select ${sql.lit(kind)}, one ->> 'id', (one ->> 'version')::integer, one
    from jsonb_array_elements(${documentOf(kind, rows)}::jsonb) as one where ${isMeant}`
  if ('insert' in write) return inserted
  if ('add' in write) return sql`${inserted} on conflict (id, kind) do nothing`
  return sql`${inserted} on conflict (id, kind) do update set version = stored.version + 1,
    document = jsonb_set(excluded.document, '{version}', to_jsonb(stored.version + 1))`
}

function checkedId(kind: RowKind, id: string): string {
  refuseUnstorable(`The id of a ${kind}`, id, longestId)
  return id
}

const documentOf = (kind: RowKind, value: unknown): string => storableJson(`A ${kind}`, value)
