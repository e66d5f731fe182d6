import type { RowKind, StoredRow, Write } from '@habeas/core'
import { CompiledQuery } from 'kysely'
import { longestId, tableName } from './row-tables.js'
import { refuseUnstorable, storableJson } from './state-failure.js'

/**
 * Returns one statement that applies all writes or none, and gives the number of rows that its `replace` has changed. The
 * other writes ask for that row first, so that nothing else happens, and nothing waits for a lock, where it finds none.
 * A run sends many of them, so the text is put together by hand: a compiler takes as long as the server.
 */
export function writeStatement(schema: string, writes: readonly Write[]): CompiledQuery {
  const parameters: unknown[] = []
  const bound = (value: unknown): string => `$${parameters.push(value)}`
  const table = (kind: RowKind): string => `"${schema}"."${tableName(kind)}"`
  const documents = (kind: RowKind, value: unknown): string => `${bound(storableJson(`A ${kind}`, value))}::jsonb`
  const isReplaced = writes.some((write) => 'replace' in write)
  const isMeant = isReplaced ? 'exists (select from replaced)' : 'true'

  const inserted = (kind: RowKind, rows: readonly StoredRow[]): string => {
    for (const { id } of rows) checkedId(kind, id)
    return `insert into ${table(kind)} as stored (kind, id, version, document)
      select '${kind}', one ->> 'id', (one ->> 'version')::integer, one
      from jsonb_array_elements(${documents(kind, rows)}) as one where ${isMeant}`
  }
  const written = (write: Write): string => {
    const { kind } = write
    if ('take' in write) {
      const ids = bound(write.take.map((id) => checkedId(kind, id)))
      return `delete from ${table(kind)} where id = any(${ids}::text[]) and ${isMeant}`
    }
    if ('insert' in write) return inserted(kind, write.insert)
    if ('add' in write) return `${inserted(kind, write.add)} on conflict (id, kind) do nothing`
    if ('put' in write) {
      return `${inserted(kind, write.put)} on conflict (id, kind) do update set version = stored.version + 1,
        document = jsonb_set(excluded.document, '{version}', to_jsonb(stored.version + 1))`
    }
    const { id, version } = write.replace
    return `update ${table(kind)} set version = ${bound(version)}, document = ${documents(kind, write.replace)}
      where id = ${bound(checkedId(kind, id))} and version = ${bound(version - 1)} returning id`
  }

  // A part finds only those that come before it.
  const ordered = [...writes].sort((one, other) => Number('replace' in other) - Number('replace' in one))
  const parts = ordered.map(
    (write, at) => `${'replace' in write ? 'replaced' : `written_${at}`} as (${written(write)})`,
  )
  const count = isReplaced ? '(select count(*) from replaced)' : '1'
  return CompiledQuery.raw(`with ${parts.join(', ')} select ${count}::integer as count`, parameters)
}

/** Returns which kind of row a refusal of the server was about. */
export function refusedKind(writes: readonly Write[], refusal: unknown): RowKind | undefined {
  const { table } = refusal as { readonly table?: unknown }
  return writes.find(({ kind }) => tableName(kind) === table)?.kind
}

function checkedId(kind: RowKind, id: string): string {
  refuseUnstorable(`The id of a ${kind}`, id, longestId)
  return id
}
