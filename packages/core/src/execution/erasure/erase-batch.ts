import { PrivacyError } from '../../errors.js'
import type { Value } from '../../model/value.js'
import type { Assignment, Erase, KeyGroup } from '../../ports/connector.js'
import type { RowFate } from '../../rules/row-erasure.js'
import { isSameValue, valueText } from '../../rules/value-cast.js'
import type { KeptRow } from '../kept-rows.js'
import { type Key, type KeySet, keySet } from '../key-set.js'
import { keyGroup } from '../slot-state.js'
import type { ErasedCollection } from './erased-collection.js'

type WrittenFate = Extract<RowFate, { kind: 'mask' | 'delete' }>

/** A row that is to be written. */
export interface WrittenRow {
  /** Its place among the kept rows. */
  readonly place: number
  /** By what it was found. */
  readonly slot: number
  readonly entry: Key
  /** What was read of it, where it goes. */
  readonly going?: KeptRow
  readonly fate: WrittenFate
  /** How many rows it stands for: more than one only where rows are told apart by their values. */
  readonly copies: number
  /** Its key as one text. */
  readonly name: string
}

export function writtenRow(kept: KeptRow, fate: WrittenFate, copies = 1): WrittenRow {
  const { place, slot, key: entry } = kept
  const row = { place, slot, entry, fate, copies, name: keyText(fate.key) }
  return fate.kind === 'delete' ? { ...row, going: kept } : row
}

/** The key of a row as one text. */
export function keyText(key: readonly Value[]): string {
  return key.length === 1 ? valueText(key[0] as Value) : key.map(valueText).join('\n')
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
  const nameOf = shapes()
  const groups = new Map<string, WrittenRow[]>()
  for (const row of rows) {
    const shape = nameOf(row.fate)
    const group = groups.get(shape)
    if (group) group.push(row)
    else groups.set(shape, [row])
  }
  return [...groups.values()].map((group) => eraseOf(collection, group))
}

/** Gives the same text for rows to which the same is done: the same columns change in the same way. */
export function shapes(): (fate: WrittenFate) => string {
  let last: { readonly fate: WrittenFate; readonly shape: string } | undefined
  return (fate) => {
    // Most rows are like the one before, which is found out faster than a text is made.
    if (!last || !isAlike(last.fate, fate)) last = { fate, shape: shapeOf(fate) }
    return last.shape
  }
}

function shapeOf(fate: WrittenFate): string {
  const changes = fate.kind === 'delete' ? [] : fate.changes
  const told = changes.map(
    ({ column, constant, structured, becomes }) => `${column}\0${constant ? valueText(becomes) : structured}`,
  )
  return [fate.kind, fate.byValues, ...told].join('\n')
}

function isAlike(one: WrittenFate, other: WrittenFate): boolean {
  if (one.byValues !== other.byValues) return false
  if (one.kind === 'delete' || other.kind === 'delete') return one.kind === other.kind
  if (one.changes.length !== other.changes.length) return false
  return one.changes.every(({ column, constant, structured, becomes }, at) => {
    const change = other.changes[at] as (typeof one.changes)[number]
    if (column !== change.column || constant !== change.constant) return false
    return constant ? isSameValue(becomes, change.becomes) : structured === change.structured
  })
}

function eraseOf(collection: ErasedCollection, unsorted: readonly WrittenRow[]): Erase {
  const rows = [...unsorted].sort((one, other) => compareKeys(one.fate.key, other.fate.key))
  const [{ fate: first }] = rows as [WrittenRow]
  const isTwice = rows.some(({ name }, at) => at > 0 && name === (rows[at - 1] as WrittenRow).name)
  const key = keyColumnsOf(collection, first)
  if (isTwice) throw notToldApart(collection, key)
  return {
    collection: collection.collection,
    key,
    keys: key.map((_, part) => rows.map(({ fate }) => fate.key[part] as Value)),
    ...(first.byValues && { rows: rows.reduce((sum, { copies }) => sum + copies, 0) }),
    anyOf: entryGroups(collection, unsorted),
    set: assignmentsOf(rows),
  }
}

/** That a key which was declared names several rows. */
function notToldApart({ address }: ErasedCollection, key: readonly string[]): PrivacyError {
  const message = `Several rows of '${address}' hold the same ${key.join(' and ')}, so they cannot be told apart: declare a key that names one row.`
  return new PrivacyError('unsupported', message, { reason: 'ambiguous_rows' })
}

type FoundBy = Pick<WrittenRow, 'slot' | 'entry'>

/** What rows must still hold: the keys by which they were found. */
export function entryGroups(collection: ErasedCollection, found: readonly FoundBy[]): KeyGroup[] {
  const keys = entryKeys(collection, found)
  return collection.slots.flatMap((slot, at) => {
    const known = keys[at] as KeySet
    return known.size === 0 ? [] : [keyGroup(slot, known, 0, known.size)]
  })
}

/** The keys by which rows were found, by slot. */
export function entryKeys({ slots }: ErasedCollection, found: readonly FoundBy[]): KeySet[] {
  const keys = slots.map((slot) => keySet(slot.fields))
  for (const { slot, entry } of found) keys[slot]?.add(entry)
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
  for (let at = 0; at < one.length; at++) {
    const order = compare(one[at] as Value, other[at] as Value)
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
