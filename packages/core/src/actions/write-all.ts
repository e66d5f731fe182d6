import { PrivacyError } from '../errors.js'
import type { Storage, Table, Write } from '../ports/storage.js'
import type { StoredRow } from '../ports/stored-row.js'

/** The methods of a table, whatever its kind. */
type AnyTable = Pick<Table<'checkpoint'>, 'get' | 'insert' | 'insertMany' | 'replace' | 'take'>

/**
 * Applies all writes or none, in one round trip where the storage can do that. Returns false when the `replace` among them
 * finds another version.
 */
export async function writeAll(storage: Storage, asked: readonly Write[]): Promise<boolean> {
  const writes = asked.filter((write) => !isEmpty(write))
  if (writes.length === 0) return true
  if (storage.writeAll) return storage.writeAll(writes)
  const [first] = writes
  if (writes.length === 1 && first && 'replace' in first)
    return anyTable(storage, first.kind).replace(first.replace as never)
  // The compare-and-set comes first, so that nothing was written where it fails.
  const ordered = [...writes].sort((one, other) => Number('replace' in other) - Number('replace' in one))
  return storage.transaction(async (within) => {
    for (const write of ordered) if (!(await applied(anyTable(within, write.kind), write))) return false
    return true
  })
}

const isEmpty = (write: Write): boolean =>
  'replace' in write ? false : Object.values(write).some((rows) => Array.isArray(rows) && rows.length === 0)

const anyTable = (storage: Storage, kind: Write['kind']): AnyTable => storage.table(kind) as unknown as AnyTable

async function applied(table: AnyTable, write: Write): Promise<boolean> {
  if ('replace' in write) return table.replace(write.replace as never)
  if ('insert' in write) await table.insertMany(write.insert as never)
  else if ('take' in write) for (const id of write.take) await table.take(id)
  else if ('add' in write) {
    for (const row of write.add) if (!(await table.get(row.id))) await table.insert(row as never)
  } else for (const row of write.put) await put(table, row)
  return true
}

async function put(table: AnyTable, row: StoredRow): Promise<void> {
  const known = await table.get(row.id)
  if (!known) return table.insert(row as never)
  if (await table.replace({ ...row, version: known.version + 1 } as never)) return
  throw new PrivacyError('conflict', 'Another write changed a row first: try again.', { kind: 'row', id: row.id })
}
