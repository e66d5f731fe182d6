import type { Value } from '../../model/value.js'
import type { KeyGroup, Row } from '../../ports/connector.js'
import { isErasedWithin } from '../../rules/erase/is-erased-within.js'
import { isSameValue } from '../../rules/value/cast-value.js'
import type { OpenConnection } from '../connect/open-connections.js'
import { conditionReader, elementsOf, keyReader } from '../find/key-reader.js'
import type { KeySet } from '../find/key-set.js'
import { mostKeys } from '../find/most-keys.js'
import type { CollectionToErase } from './erasure-context.js'
import { judgedReader } from './judged-values.js'
import { keyText, keyTextAt } from './key-text.js'
import { type GroupChange, keyColumnsOf, newKeys, type RowGroup } from './row-groups.js'

/** The outcome of a row by reading it again (see docs/semantics.md, 'Verification'). */
export type RowEnd = 'masked' | 'erased' | 'unchanged' | 'gone' | 'changed' | Residual

/** The column in which a row still holds data. `lost`: the key that found the row was overwritten, so no search finds it. */
export interface Residual {
  readonly residual: string
  readonly lost?: true
  /** Of equal rows without a key: how many still hold it. */
  readonly rows?: number
}

/** Current rows of a collection, by their keys as texts. */
interface ReadBack {
  readonly columns: readonly string[]
  readonly byName: ReadonlyMap<string, Row>
}

/**
 * Reads rows with one of these keys, which are given part by part. Reads the columns of the key and `further`. A key with
 * NULL names no row, because several rows may have it.
 */
export async function readByKey(
  open: OpenConnection,
  collection: CollectionToErase,
  keys: readonly (readonly Value[])[],
  further: Iterable<string>,
  signal: AbortSignal,
): Promise<ReadBack> {
  const names = keyColumnsOf(collection, { byValues: false })
  const columns = [...new Set([...names, ...further])]
  const fields = collection.erasure.key.map(({ column, kind }) => ({ path: [column], ...(kind && { kind }) }))
  const byName = new Map<string, Row>()
  const most = mostKeys(open.connector.capabilities, names.length)
  const nameOf = (row: Row) => keyText(names.map((_, at) => row[at] ?? null))
  const named = keys.some((part) => part.includes(null)) ? withoutNull(keys) : keys
  const { length = 0 } = named[0] ?? []
  for (let from = 0; from < length; from += most) {
    using _permit = await open.permit(signal)
    const group: KeyGroup = { fields, values: named.map((part) => part.slice(from, from + most)), exact: true }
    const read = { collection: collection.collection, columns, anyOf: [group] }
    for await (const batch of open.connection.read(read, { signal })) {
      // The columns of the key come first.
      for (const row of batch) byName.set(nameOf(row), row)
    }
  }
  return { columns, byName }
}

function withoutNull(keys: readonly (readonly Value[])[]): readonly (readonly Value[])[] {
  const isNamed = (_: Value, row: number) => keys.every((part) => part[row] !== null)
  return keys.map((part) => part.filter(isNamed))
}

/** Whether a row holds one of the keys, which are given by entry. */
function entryReader(collection: CollectionToErase, columns: readonly string[], keys: readonly KeySet[]) {
  const view = { ...collection, columns }
  const entries = collection.entries.flatMap((entry, at) => {
    const known = keys[at]
    return !known || known.size === 0
      ? []
      : [{ known, read: keyReader(view, entry.fields), meets: conditionReader(view, entry.when) }]
  })
  return (row: Row): boolean => {
    const document = elementsOf(view, row)
    return entries.some(({ known, read, meets }) => {
      if (!meets(row, document)) return false
      let holds = false
      read(row, document, (key) => {
        if (known.find(key) !== -1) holds = true
      })
      return holds
    })
  }
}

/** Columns that hold the key by which a row was found. */
function entryColumns({ entries }: CollectionToErase): string[] {
  return entries.flatMap(({ fields, when }) => [...fields, ...when].map(({ path }) => path[0] as string))
}

/**
 * Reads the outcome of written rows, by group. `absent` names rows that did not exist before the write. Any other row to
 * delete that does not exist now was deleted.
 */
export async function verifyRows(
  open: OpenConnection,
  collection: CollectionToErase,
  groups: readonly RowGroup[],
  absent: ReadonlySet<number>,
  signal: AbortSignal,
): Promise<RowEnd[][]> {
  const [first] = groups
  const written = new Set<string>([...entryColumns(collection), ...(first?.judged.columns ?? [])])
  for (const { changes } of groups) for (const { column } of changes) written.add(column)
  const renewed = groups.map((group) => newKeys(collection, group))
  const { columns, byName } = await readByKey(open, collection, keysOf(collection, groups, renewed), written, signal)
  const at = new Map(columns.map((column, index) => [column, index]))
  // Rows that already hold the target values need no re-check.
  let entered: ((row: Row) => boolean) | undefined
  const isEntered = (row: Row) => {
    entered ??= ownershipReader(collection, columns, first)
    return entered(row)
  }
  const isNew = ({ column, constant, becomes, structured }: GroupChange, row: number, now: Row): boolean => {
    const holds = now[at.get(column) as number] ?? null
    const to = constant ? constant.to : (becomes[row] as Value)
    if (!structured) return holds === null || isSameValue(holds, to)
    const written = collection.erasure.masks.filter(({ path }) => path[0] === column)
    return written.every(({ path }) => isErasedWithin(holds, to, path.slice(1)))
  }
  const endOf = ({ kind, changes, keys, places }: RowGroup, row: number, keysNow: Keys): RowEnd => {
    const found = byName.get(keyTextAt(keysNow, row))
    const now = found || keysNow === keys ? found : byName.get(keyTextAt(keys, row))
    // A declared key that was masked with NULL no longer finds its row. The old key is gone, so the row was written.
    if (!now && kind === 'mask' && keysNow.some((part) => part[row] === null)) return 'masked'
    if (!now) return kind === 'delete' && !absent.has(places[row] as number) ? 'erased' : 'gone'
    if (kind === 'delete') return isEntered(now) ? { residual: 'the row' } : 'changed'
    let left: string | undefined
    let wasWritten = false
    for (const change of changes) {
      if (!isNew(change, row, now)) left ??= change.column
      else if (change.differs[row]) wasWritten = true
    }
    if (left === undefined) return wasWritten ? 'masked' : 'unchanged'
    if (isEntered(now)) return { residual: left }
    // The key that found the row may have been overwritten. Then this is the same row, and it still holds other data.
    return wasWritten ? { residual: left, lost: true } : 'changed'
  }
  return groups.map((group, number) => group.places.map((_, row) => endOf(group, row, renewed[number] as Keys)))
}

/**
 * Tells whether a row still holds the key that found it and the values that decide its owner. Lists often change without a
 * change of the owner, so a row with lists that still holds the key is found and judged again by a retry.
 */
function ownershipReader(collection: CollectionToErase, columns: readonly string[], group: RowGroup | undefined) {
  if (!group) return () => false
  const isEntered = entryReader(collection, columns, group.found)
  const isJudged = collection.arrays ? () => true : judgedReader(group.judged, columns)
  return (row: Row) => isEntered(row) && isJudged(row)
}

type Keys = readonly (readonly Value[])[]

/** The old and the new keys of all rows. */
function keysOf({ erasure }: CollectionToErase, groups: readonly RowGroup[], renewed: readonly Keys[]): Keys {
  const all = groups.flatMap(({ keys }, number) =>
    renewed[number] === keys ? [keys] : [keys, renewed[number] as Keys],
  )
  return erasure.key.map((_, part) => all.flatMap((keys) => keys[part] as readonly Value[]))
}
