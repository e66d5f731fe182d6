import type { Value } from '../../model/value.js'
import { valueColumns } from '../../rules/erase/value-columns.js'
import type { OpenConnection } from '../connect/open-connections.js'
import { entryGroups } from './erase-of.js'
import type { CollectionToErase } from './erasure-context.js'
import { keyText, keyTextAt } from './key-text.js'
import { newKeys, type RowGroup } from './row-groups.js'
import type { RowEnd } from './verify-rows.js'

/**
 * Reads the outcome of rows without a key. No row may hold the old values. The number of rows with the new values must have
 * grown from `alike` by the number of written rows. Without `alike`, only the old values are checked.
 */
export async function verifyUnkeyed(
  open: OpenConnection,
  collection: CollectionToErase,
  groups: readonly RowGroup[],
  alike: number | undefined,
  signal: AbortSignal,
): Promise<RowEnd[][]> {
  const names = groups.map(({ keys, places }) => places.map((_, at) => keyTextAt(keys, at)))
  const left = new Map(names.flat().map((name) => [name, 0]))
  const anyOf = groups[0] ? entryGroups(collection, groups[0]) : []
  {
    using _permit = await open.permit(signal)
    const read = { collection: collection.collection, columns: valueColumns(collection), anyOf }
    for await (const batch of open.connection.read(read, { signal })) {
      for (const row of batch) {
        const text = keyText(row.map((value) => value ?? null))
        const count = left.get(text)
        if (count !== undefined) left.set(text, count + 1)
      }
    }
  }
  const ends = groups.map((group, number) => {
    const now = newKeys(collection, group)
    return (names[number] as string[]).map((before, at): RowEnd => {
      if (keyTextAt(now, at) === before && group.kind === 'mask') return 'unchanged'
      const rows = left.get(before) ?? 0
      if (rows > 0) return { residual: 'the row', rows }
      return group.kind === 'delete' ? 'erased' : 'masked'
    })
  })
  if (alike === undefined || !ends.flat().includes('masked')) return ends
  let missing = alike - (await rowsAlike(open, collection, groups, signal))
  for (const [number, { copies }] of groups.entries())
    for (const [at, end] of (ends[number] as RowEnd[]).entries()) if (end === 'masked') missing += copies.get(at) ?? 1
  if (missing <= 0) return ends
  // It is not known which rows hold other values, and no search would find them again.
  return groups.map(({ changes }, number) => {
    const residual = changes.map(({ column }) => column).join(', ')
    return (ends[number] as RowEnd[]).map((end) =>
      end === 'masked' && missing-- > 0 ? { residual, lost: true as const } : end,
    )
  })
}

/** Counts the rows that hold exactly the new values of the groups' rows without a key. */
export async function rowsAlike(
  { connection, permit }: OpenConnection,
  collection: CollectionToErase,
  groups: readonly RowGroup[],
  signal: AbortSignal,
): Promise<number> {
  const columns = valueColumns(collection)
  const values: Value[][] = columns.map(() => [])
  const known = new Set<string>()
  for (const group of groups) {
    if (!group.byValues || group.kind === 'delete') continue
    const now = newKeys(collection, group)
    for (const at of group.places.keys()) {
      const text = keyTextAt(now, at)
      // masked rows are often alike, and are counted together
      if (text === keyTextAt(group.keys, at) || known.has(text)) continue
      known.add(text)
      for (const [part, column] of values.entries()) column.push(now[part]?.[at] as Value)
    }
  }
  if (values[0]?.length === 0) return 0
  using _permit = await permit(signal)
  const fields = columns.map((column) => ({ path: [column] }))
  const alike = { collection: collection.collection, anyOf: [{ fields, values, exact: true as const }] }
  const [count] = await connection.count([alike], { signal })
  return count as number
}
