import type { OpenConnection } from '../open-connections.js'
import { entryGroups, keyText, newKey, type WrittenRow } from './erase-batch.js'
import type { ErasedCollection } from './erased-collection.js'
import type { RowEnd } from './verify-batch.js'

/** What became of rows that nothing but their values tells apart: counted before and after, by what found them. */
export async function verifyUnkeyed(
  open: OpenConnection,
  collection: ErasedCollection,
  rows: readonly WrittenRow[],
  signal: AbortSignal,
): Promise<RowEnd[]> {
  const left = new Map(rows.map(({ fate }) => [keyText(fate.key), 0]))
  const anyOf = entryGroups(collection, rows)
  {
    using _place = await open.place(signal)
    const read = { collection: collection.collection, columns: collection.columns, anyOf }
    for await (const batch of open.connection.read(read, { signal })) {
      for (const row of batch) {
        const text = keyText(row.map((value) => value ?? null))
        const count = left.get(text)
        if (count !== undefined) left.set(text, count + 1)
      }
    }
  }
  return rows.map((row) => {
    const before = keyText(row.fate.key)
    if (keyText(newKey(collection, row)) === before && row.fate.kind === 'mask') return 'unchanged'
    if (left.get(before) !== 0) return { residual: 'the row' }
    return row.fate.kind === 'delete' ? 'erased' : 'masked'
  })
}
