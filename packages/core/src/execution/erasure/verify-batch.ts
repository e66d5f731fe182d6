import type { Value } from '../../model/value.js'
import type { KeyGroup, Row } from '../../ports/connector.js'
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

/** Rows of a table, read by keys; each with what it holds now. */
interface ReadBack {
  readonly columns: readonly string[]
  readonly byKey: ReadonlyMap<string, Row>
}

/** Reads rows with one of these keys; columns are the key's and those given. */
export async function readByKey(
  open: OpenConnection,
  collection: ErasedCollection,
  keys: readonly (readonly Value[])[],
  further: readonly string[],
  signal: AbortSignal,
): Promise<ReadBack> {
  const names = keyColumnsOf(collection, { byValues: false })
  const columns = [...new Set([...names, ...further])]
  const distinct = [...new Map(keys.map((key) => [keyText(key), key])).values()]
  const fields = collection.erasure.key.map(({ column, kind }) => ({ path: [column], ...(kind && { kind }) }))
  const byKey = new Map<string, Row>()
  const { maxKeys } = open.connector.capabilities
  for (let from = 0; from < distinct.length; from += maxKeys) {
    using _place = await open.place(signal)
    const some = distinct.slice(from, from + maxKeys)
    const group: KeyGroup = { fields, values: names.map((_, part) => some.map((key) => key[part] as Value)) }
    const read = { collection: collection.collection, columns, anyOf: [group] }
    for await (const batch of open.connection.read(read, { signal })) {
      for (const row of batch) byKey.set(keyText(names.map((_, at) => row[at] ?? null)), row)
    }
  }
  return { columns, byKey }
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
  const written = rows.flatMap(({ fate }) => (fate.kind === 'mask' ? fate.changes.map(({ column }) => column) : []))
  const keys = rows.flatMap((row) => {
    const renewed = newKey(collection, row)
    return renewed === row.fate.key ? [renewed] : [row.fate.key, renewed]
  })
  const back = await readByKey(open, collection, keys, [...written, ...entryColumns(collection)], signal)
  const found = rows.map(({ kept }) => kept)
  const isEntered = entryReader(collection, back.columns, entryKeys(collection, found))
  return rows.map((row) => {
    const { fate, place } = row
    const now = back.byKey.get(keyText(newKey(collection, row))) ?? back.byKey.get(keyText(fate.key))
    if (!now) return fate.kind === 'delete' && !absent.has(place) ? 'erased' : 'gone'
    if (fate.kind === 'delete') return isEntered(now) ? { residual: 'the row' } : 'changed'
    const holds = (column: string) => now[back.columns.indexOf(column)] ?? null
    const isNew = ({ column, becomes }: (typeof fate.changes)[number]) =>
      holds(column) === null || isSameValue(holds(column), becomes)
    const left = fate.changes.find((change) => !isNew(change))
    if (!left) return fate.changes.some(({ was, becomes }) => !isSameValue(was, becomes)) ? 'masked' : 'unchanged'
    // What it was found by may itself have been written: then the row is the one, and the rest of it is left.
    const wasWritten = fate.changes.some(
      (change) => change !== left && isNew(change) && !isSameValue(change.was, change.becomes),
    )
    if (isEntered(now)) return { residual: left.column }
    return wasWritten ? { residual: left.column, lost: true } : 'changed'
  })
}
