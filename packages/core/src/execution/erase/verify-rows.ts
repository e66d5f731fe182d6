import type { Value } from '../../model/value.js'
import type { KeyGroup, Row } from '../../ports/connector.js'
import { isErasedWithin } from '../../rules/erase/is-erased-within.js'
import { isSameValue } from '../../rules/value/cast-value.js'
import type { OpenConnection } from '../connect/open-connections.js'
import { conditionReader, elementsOf, keyReader } from '../find/key-reader.js'
import type { KeySet } from '../find/key-set.js'
import type { CollectionToErase } from './erasure-context.js'
import { judgedReader } from './judged-values.js'
import { keyText, keyTextAt } from './key-text.js'
import { type GroupChange, keyColumnsOf, newKeys, type RowGroup } from './row-groups.js'

/** What became of a row, told from reading it again (see docs/semantics.md, 'Verification'). */
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

/**
 * Reads rows with one of these keys, told part by part; columns are the key's and those given. A key that has become NULL
 * names no row: several may have.
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
  const { maxKeys } = open.connector.capabilities
  const nameOf = (row: Row) => keyText(names.map((_, at) => row[at] ?? null))
  const named = keys.some((part) => part.includes(null)) ? withoutNull(keys) : keys
  const { length = 0 } = named[0] ?? []
  for (let from = 0; from < length; from += maxKeys) {
    using _permit = await open.permit(signal)
    const group: KeyGroup = { fields, values: named.map((part) => part.slice(from, from + maxKeys)), whole: true }
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

/** Whether a row holds one of the keys; these are given by slot. */
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

/** Columns that say whether a row still holds what it was found by. */
function entryColumns({ entries }: CollectionToErase): string[] {
  return entries.flatMap(({ fields, when }) => [...fields, ...when].map(({ path }) => path[0] as string))
}

/**
 * What became of rows that were written, by group. `absent`: those that were not there before; of rows that were to go,
 * any other that is not there now went.
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
  // Of rows that are as they were to become nobody asks.
  let entered: ((row: Row) => boolean) | undefined
  const isEntered = (row: Row) => {
    entered ??= stillTheirs(collection, columns, first)
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
    // A declared key that became null finds its row no longer; that nothing has the old one says that it was written.
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
    // What it was found by may itself have been written: then the row is the one, and the rest of it is left.
    return wasWritten ? { residual: left, lost: true } : 'changed'
  }
  return groups.map((group, number) => group.places.map((_, row) => endOf(group, row, renewed[number] as Keys)))
}

/** Whether a row still holds what it was found by, and what says whose it is. */
function stillTheirs(collection: CollectionToErase, columns: readonly string[], group: RowGroup | undefined) {
  if (!group) return () => false
  const isEntered = entryReader(collection, columns, group.found)
  const isJudged = judgedReader(group.judged, columns)
  return (row: Row) => isEntered(row) && isJudged(row)
}

type Keys = readonly (readonly Value[])[]

/** The keys of all rows, and those that they have now. */
function keysOf({ erasure }: CollectionToErase, groups: readonly RowGroup[], renewed: readonly Keys[]): Keys {
  const all = groups.flatMap(({ keys }, number) =>
    renewed[number] === keys ? [keys] : [keys, renewed[number] as Keys],
  )
  return erasure.key.map((_, part) => all.flatMap((keys) => keys[part] as readonly Value[]))
}
