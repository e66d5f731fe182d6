import { PrivacyError } from '../../errors.js'
import type { Value } from '../../model/value.js'
import type { Assignment, Erase, KeyGroup } from '../../ports/connector.js'
import { valueText } from '../../rules/value/cast-value.js'
import { keyGroup } from '../find/entry-state.js'
import type { KeySet } from '../find/key-set.js'
import type { CollectionToErase } from './erasure-context.js'
import { judgedGroup } from './judged-values.js'
import { keyColumnsOf, type RowGroup } from './row-groups.js'

/** The statement that writes a group of rows, in the order of their keys. */
export function eraseOf(collection: CollectionToErase, group: RowGroup): Erase {
  const key = keyColumnsOf(collection, group)
  const order = orderOf(collection, group)
  const ordered = <Each>(list: readonly Each[]) => (order ? order.map((at) => list[at] as Each) : list)
  const set = group.changes.map(({ column, constant, structured, becomes, was }): Assignment => {
    if (constant) return { column, to: constant.to }
    return structured ? { column, toEach: ordered(becomes), was: ordered(was) } : { column, toEach: ordered(becomes) }
  })
  const { referencedBy } = collection.erasure
  return {
    collection: collection.collection,
    key,
    keys: group.keys.map(ordered),
    ...(group.byValues && { rows: group.places.reduce((sum, _, at) => sum + (group.copies.get(at) ?? 1), 0) }),
    anyOf: entryGroups(collection, group),
    set: group.kind === 'delete' ? 'delete' : set,
    ...(group.kind === 'delete' && referencedBy !== undefined && { referencedBy }),
  }
}

/** The failure when a declared key names several rows. */
function ambiguousRows({ address }: CollectionToErase, key: readonly string[]): PrivacyError {
  const message = `Several rows of '${address}' hold the same ${key.join(' and ')}, so they cannot be told apart: declare a key that names one row.`
  return new PrivacyError('unsupported', message, { reason: 'ambiguous_rows' })
}

/** The values that rows must still hold: those that decide their owner, or the keys that found them, by entry. */
export function entryGroups(
  collection: CollectionToErase,
  { found, judged }: Pick<RowGroup, 'found' | 'judged'>,
): KeyGroup[] {
  const group = judgedGroup(judged)
  return group ? [group] : groupsByEntry(collection, found)
}

/** The keys that found rows, by entry. */
export function groupsByEntry({ entries }: CollectionToErase, found: readonly KeySet[]): KeyGroup[] {
  return entries.flatMap((entry, at) => {
    const known = found[at] as KeySet
    return known.size === 0 ? [] : [keyGroup(entry, known, 0, known.size)]
  })
}

/** Positions in the order of the keys. Undefined if the rows are in this order already, as found rows mostly are. */
function orderOf(collection: CollectionToErase, group: RowGroup): readonly number[] | undefined {
  const compareRows = rowOrder(collection, group)
  const rows = Array.from(group.places.keys())
  const isAfterPrevious = (row: number, at: number) => at === 0 || compareRows(rows[at - 1] as number, row) < 0
  if (rows.every(isAfterPrevious)) return undefined
  rows.sort(compareRows)
  if (!rows.every(isAfterPrevious)) throw ambiguousRows(collection, keyColumnsOf(collection, group))
  return rows
}

/** The order of the keys, the same in every run. Rows in the order of the table are written fastest. */
function rowOrder({ erasure }: CollectionToErase, { keys, byValues }: RowGroup) {
  const parts = keys.map((values, part) => {
    const isInteger = !byValues && erasure.key[part]?.kind === 'integer'
    return { values, compare: isInteger ? compareIntegers : compare }
  })
  return (one: number, other: number): number => {
    for (const { values, compare } of parts) {
      const order = compare(values[one] as Value, values[other] as Value)
      if (order !== 0) return order
    }
    return 0
  }
}

/** Compares whole numbers that may come as text, because some are too large for a number. Other texts come last. */
function compareIntegers(one: Value, other: Value): number {
  if (typeof one !== 'string' || typeof other !== 'string') return compare(one, other)
  const left = Number(one)
  const right = Number(other)
  if (Number.isNaN(left) !== Number.isNaN(right)) return Number.isNaN(left) ? 1 : -1
  return left - right || compare(one, other)
}

function compare(one: Value, other: Value): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other
  if (typeof one === 'string' && typeof other === 'string') return one < other ? -1 : one > other ? 1 : 0
  const [left, right] = isNumber(one) && isNumber(other) ? [one, other] : [valueText(one), valueText(other)]
  return left < right ? -1 : left > right ? 1 : 0
}

function isNumber(value: Value): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint'
}
