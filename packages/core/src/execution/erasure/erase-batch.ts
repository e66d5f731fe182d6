import { PrivacyError } from '../../errors.js'
import type { Value } from '../../model/value.js'
import type { Assignment, Erase, KeyGroup } from '../../ports/connector.js'
import type { RowFate } from '../../rules/row-erasure.js'
import { valueText } from '../../rules/value-cast.js'
import type { KeptRow } from '../kept-rows.js'
import { type KeySet, keySet } from '../key-set.js'
import { keyGroup } from '../slot-state.js'
import type { ErasedCollection } from './erased-collection.js'

/** A row that is to be written. */
export interface WrittenRow {
  /** Its place among the kept rows. */
  readonly place: number
  readonly kept: KeptRow
  readonly fate: Extract<RowFate, { kind: 'mask' | 'delete' }>
  /** How many rows it stands for: more than one only where rows are told apart by their values. */
  readonly copies: number
}

/** The key of a row as one text. */
export function keyText(key: readonly Value[]): string {
  return key.map(valueText).join('\n')
}

/** The key a row has once it is written. */
export function newKey(collection: ErasedCollection, { fate }: Pick<WrittenRow, 'fate'>): readonly Value[] {
  const columns = keyColumnsOf(collection, fate)
  if (fate.kind === 'delete' || !fate.changes.some(({ column }) => columns.includes(column))) return fate.key
  return columns.map((column, at) => {
    const change = fate.changes.find((each) => each.column === column)
    return (change ? change.becomes : fate.key[at]) as Value
  })
}

/** The columns that tell rows apart: of rows that no key names, all that were read. */
export function keyColumnsOf(
  { erasure, columns }: ErasedCollection,
  { byValues }: { readonly byValues: boolean },
): readonly string[] {
  return byValues ? columns : erasure.key.map(({ column }) => column)
}

/** The statements that write some rows: one for all in which the same columns change in the same way. */
export function erasesOf(collection: ErasedCollection, rows: readonly WrittenRow[]): Erase[] {
  const alike = new Map<string, WrittenRow[]>()
  for (const row of rows) {
    const { fate } = row
    const kind = `${fate.byValues} ${fate.kind === 'delete' ? '' : shapeOf(fate.changes)}`
    const list = alike.get(kind)
    if (list) list.push(row)
    else alike.set(kind, [row])
  }
  return [...alike.values()].map((each) => eraseOf(collection, each))
}

/** The same text for rows in which the same columns change in the same way. */
export function shapeOf(changes: Extract<RowFate, { kind: 'mask' }>['changes']): string {
  return changes
    .map(({ column, constant, structured, becomes }) => `${column}\0${constant ? valueText(becomes) : structured}`)
    .join('\n')
}

function eraseOf(collection: ErasedCollection, unsorted: readonly WrittenRow[]): Erase {
  const rows = [...unsorted].sort((one, other) => compareKeys(one.fate.key, other.fate.key))
  const [{ fate: first }] = rows as [WrittenRow]
  const isTwice = rows.some(
    ({ fate }, at) => at > 0 && keyText(fate.key) === keyText((rows[at - 1] as WrittenRow).fate.key),
  )
  const key = keyColumnsOf(collection, first)
  if (isTwice) throw notToldApart(collection, key)
  return {
    collection: collection.collection,
    key,
    keys: key.map((_, part) => rows.map(({ fate }) => fate.key[part] as Value)),
    ...(first.byValues && { rows: rows.reduce((sum, { copies }) => sum + copies, 0) }),
    anyOf: entryGroups(
      collection,
      unsorted.map(({ kept }) => kept),
    ),
    set: assignmentsOf(rows),
  }
}

/** That a key which was declared names several rows. */
function notToldApart({ address }: ErasedCollection, key: readonly string[]): PrivacyError {
  const message = `Several rows of '${address}' hold the same ${key.join(' and ')}, so they cannot be told apart: declare a key that names one row.`
  return new PrivacyError('unsupported', message, { reason: 'ambiguous_rows' })
}

/** What rows must still hold: the keys by which they were found. */
export function entryGroups(collection: ErasedCollection, found: readonly KeptRow[]): KeyGroup[] {
  const keys = entryKeys(collection, found)
  return collection.slots.flatMap((slot, at) => {
    const known = keys[at] as KeySet
    return known.size === 0 ? [] : [keyGroup(slot, known, 0, known.size)]
  })
}

/** The keys by which rows were found, by slot. */
export function entryKeys({ slots }: ErasedCollection, found: readonly KeptRow[]): KeySet[] {
  const keys = slots.map((slot) => keySet(slot.fields))
  for (const { slot, key } of found) keys[slot]?.add(key)
  return keys
}

function assignmentsOf(rows: readonly WrittenRow[]): Erase['set'] {
  const first = (rows[0] as WrittenRow).fate
  if (first.kind === 'delete') return 'delete'
  const changesOf = ({ fate }: WrittenRow, at: number) => (fate.kind === 'mask' ? fate.changes[at] : undefined)
  return first.changes.map(({ column, constant, structured, becomes }, at): Assignment => {
    if (constant) return { column, to: becomes }
    const toEach = rows.map((row) => changesOf(row, at)?.becomes ?? null)
    return structured ? { column, toEach, was: rows.map((row) => changesOf(row, at)?.was ?? null) } : { column, toEach }
  })
}

function compareKeys(one: readonly Value[], other: readonly Value[]): number {
  for (const [at, value] of one.entries()) {
    const order = compare(value, other[at] as Value)
    if (order !== 0) return order
  }
  return 0
}

function compare(one: Value, other: Value): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other
  const isNumber = (value: Value) => typeof value === 'number' || typeof value === 'bigint'
  const [left, right] =
    isNumber(one) && isNumber(other) ? [one as number, other as number] : [valueText(one), valueText(other)]
  return left < right ? -1 : left > right ? 1 : 0
}
