import type { Value } from '../../model/value.js'
import type { KeyGroup, Row } from '../../ports/connector.js'
import { isErasedWithin } from '../../rules/erased-within.js'
import type { ColumnChange } from '../../rules/row-erasure.js'
import { isSameValue } from '../../rules/value-cast.js'
import type { KeySet } from '../key-set.js'
import type { OpenConnection } from '../open-connections.js'
import { conditionReader, documentOf, keyReader } from '../row-reader.js'
import { entryKeys, keyColumnsOf, keyText, newKey, type WrittenRow } from './erase-batch.js'
import type { ErasedCollection } from './erased-collection.js'

/** What became of rows, told from reading them again (§7.18), in the order in which they were given. */
export type RowEnd = 'masked' | 'erased' | 'unchanged' | 'gone' | 'changed' | Residual

/** What a row still holds. `lost`: what it was found by is written, so that nobody would find it again. */
export interface Residual {
  readonly residual: string
  readonly lost?: true
}

/** Rows of a table, by their keys as texts; each with what it holds now. */
interface ReadBack {
  readonly columns: readonly string[]
  readonly byName: ReadonlyMap<string, Row>
}

/** Reads rows with one of these keys, given by their texts; columns are the key's and those given. */
export async function readByKey(
  open: OpenConnection,
  collection: ErasedCollection,
  keys: ReadonlyMap<string, readonly Value[]>,
  further: Iterable<string>,
  signal: AbortSignal,
): Promise<ReadBack> {
  const names = keyColumnsOf(collection, { byValues: false })
  const columns = [...new Set([...names, ...further])]
  const fields = collection.erasure.key.map(({ column, kind }) => ({ path: [column], ...(kind && { kind }) }))
  const byName = new Map<string, Row>()
  const { maxKeys } = open.connector.capabilities
  const all = [...keys.values()]
  for (let from = 0; from < all.length; from += maxKeys) {
    using _place = await open.place(signal)
    const some = all.slice(from, from + maxKeys)
    const group: KeyGroup = { fields, values: names.map((_, part) => some.map((key) => key[part] as Value)) }
    const read = { collection: collection.collection, columns, anyOf: [group] }
    for await (const batch of open.connection.read(read, { signal })) {
      // The columns of the key come first.
      for (const row of batch) byName.set(keyText(names.map((_, at) => row[at] ?? null)), row)
    }
  }
  return { columns, byName }
}

/** Whether a row holds one of the keys; these are given by slot. */
export function entryReader(collection: ErasedCollection, columns: readonly string[], keys: readonly KeySet[]) {
  const view = { ...collection, columns }
  const slots = collection.slots.flatMap((slot, at) => {
    const known = keys[at] as KeySet
    return known.size === 0
      ? []
      : [{ known, read: keyReader(view, slot.fields), meets: conditionReader(view, slot.when) }]
  })
  return (row: Row): boolean => {
    const document = collection.arrays ? documentOf(view, row) : undefined
    return slots.some(({ known, read, meets }) => {
      if (!meets(row, document)) return false
      let holds = false
      read(row, document, (key) => {
        if (known.find(key) !== -1) holds = true
      })
      return holds
    })
  }
}

/** Columns that say whether a row still holds what it was found by. */
export function entryColumns({ slots }: ErasedCollection): string[] {
  return slots.flatMap(({ fields, when }) => [...fields, ...when].map(({ path }) => path[0] as string))
}

/**
 * What became of rows that were written. `absent`: those that were not there before; of rows that were to go, any other
 * that is not there now went.
 */
export async function verifyRows(
  open: OpenConnection,
  collection: ErasedCollection,
  rows: readonly WrittenRow[],
  absent: ReadonlySet<number>,
  signal: AbortSignal,
): Promise<RowEnd[]> {
  const written = new Set<string>(entryColumns(collection))
  const keys = new Map<string, readonly Value[]>()
  const names = rows.map((row) => {
    const { fate, name } = row
    if (fate.kind === 'mask') for (const { column } of fate.changes) written.add(column)
    keys.set(name, fate.key)
    const renewed = newKey(collection, row)
    if (renewed === fate.key) return name
    const newName = keyText(renewed)
    keys.set(newName, renewed)
    return newName
  })
  const { columns, byName } = await readByKey(open, collection, keys, written, signal)
  const at = new Map(columns.map((column, index) => [column, index]))
  // Of rows that are as they were to become nobody asks.
  let entered: ((row: Row) => boolean) | undefined
  const isEntered = (row: Row) => {
    entered ??= entryReader(collection, columns, entryKeys(collection, rows))
    return entered(row)
  }
  return rows.map((row, index) => {
    const { fate, place, name } = row
    const now = byName.get(names[index] as string) ?? byName.get(name)
    // A declared key that became null finds its row no longer; that nothing has the old one says that it was written.
    if (!now && fate.kind === 'mask' && newKey(collection, row).includes(null)) return 'masked'
    if (!now) return fate.kind === 'delete' && !absent.has(place) ? 'erased' : 'gone'
    if (fate.kind === 'delete') return isEntered(now) ? { residual: 'the row' } : 'changed'
    const isNew = ({ column, becomes, structured }: ColumnChange) => {
      const holds = now[at.get(column) as number] ?? null
      if (!structured) return holds === null || isSameValue(holds, becomes)
      const written = collection.erasure.masks.filter(({ path }) => path[0] === column)
      return written.every(({ path }) => isErasedWithin(holds, becomes, path.slice(1)))
    }
    const left = fate.changes.find((change) => !isNew(change))
    if (!left) return fate.changes.some(({ differs }) => differs) ? 'masked' : 'unchanged'
    // What it was found by may itself have been written: then the row is the one, and the rest of it is left.
    const wasWritten = fate.changes.some((change) => change !== left && isNew(change) && change.differs)
    if (isEntered(now)) return { residual: left.column }
    return wasWritten ? { residual: left.column, lost: true } : 'changed'
  })
}
