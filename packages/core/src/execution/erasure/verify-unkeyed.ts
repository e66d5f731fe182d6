import type { OpenConnection } from '../open-connections.js'
import { entryGroups } from './erase-batch.js'
import type { ErasedCollection } from './erased-collection.js'
import { keyText, keyTextAt, newKeys, type RowGroup } from './row-groups.js'
import type { RowEnd } from './verify-batch.js'

/** What became of rows that nothing but their values tells apart: counted before and after, by what found them. */
export async function verifyUnkeyed(
  open: OpenConnection,
  collection: ErasedCollection,
  groups: readonly RowGroup[],
  signal: AbortSignal,
): Promise<RowEnd[][]> {
  const names = groups.map(({ keys, places }) => places.map((_, at) => keyTextAt(keys, at)))
  const left = new Map(names.flat().map((name) => [name, 0]))
  const anyOf = entryGroups(collection, groups[0]?.found ?? [])
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
  return groups.map((group, number) => {
    const now = newKeys(collection, group)
    return (names[number] as string[]).map((before, at) => {
      if (keyTextAt(now, at) === before && group.kind === 'mask') return 'unchanged'
      if (left.get(before) !== 0) return { residual: 'the row' }
      return group.kind === 'delete' ? 'erased' : 'masked'
    })
  })
}
