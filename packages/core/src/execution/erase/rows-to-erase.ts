import { createHash } from 'node:crypto'
import type { RowDecision } from '../../rules/erase/row-eraser.js'
import { keySet } from '../find/key-set.js'
import type { CheckedCollection } from './checked-collection.js'
import { deletionOrder } from './deletion-order.js'
import {
  type CollectionToErase,
  type DecidedRow,
  type DecidingContext,
  decidedRows,
  type ErasureContext,
  type RowToErase,
} from './erasure-context.js'
import { keyText } from './key-text.js'

/**
 * The rows of a collection in the order of writing, which is the same on every attempt: the order in which they were found.
 * If the collection refers to itself, rows to delete come last, each after the rows that refer to it.
 */
export async function* rowsToErase(
  context: ErasureContext,
  collection: CollectionToErase,
  checked: CheckedCollection,
): AsyncIterable<readonly RowToErase[]> {
  const copies = await equalRows(context, collection, checked)
  const ordered = await deletionOrder(context, collection, checked)
  const counted = (rows: readonly DecidedRow[]) =>
    copies ? rows.map((row) => ({ ...row, copies: copies(row.decision, row.foundRow.place) })) : rows
  for await (const rows of decidedRows(context, collection, checked.shared)) {
    yield counted(ordered ? rows.filter(({ decision }) => decision.kind !== 'delete') : rows)
  }
  if (!ordered) return
  for await (const rows of ordered) yield counted(rows)
}

/**
 * Counts equal rows without a key. They are written at once, because they cannot be written one by one. Undefined if
 * a key names every row.
 */
async function equalRows(context: DecidingContext, collection: CollectionToErase, checked: CheckedCollection) {
  const { keySource } = collection.erasure
  if (keySource === 'primary key' || keySource === 'unique key') return undefined
  const known = keySet([{ kind: 'string' }])
  const first: number[] = []
  const count: number[] = []
  const nameOf = (key: Parameters<typeof keyText>[0]) => createHash('sha256').update(keyText(key)).digest('base64url')
  for await (const rows of decidedRows(context, collection, checked.shared)) {
    for (const { foundRow, decision } of rows) {
      if (!isByValues(decision)) continue
      const name = nameOf(decision.key)
      if (known.add(name)) {
        first.push(foundRow.place)
        count.push(1)
      } else {
        const at = known.find(name)
        count[at] = (count[at] as number) + 1
      }
    }
  }
  return (decision: RowDecision, place: number): number => {
    if (!isByValues(decision)) return 1
    const at = known.find(nameOf(decision.key))
    return first[at] === place ? (count[at] as number) : 0
  }
}

function isByValues(decision: RowDecision): decision is Extract<RowDecision, { kind: 'mask' | 'delete' }> {
  return (decision.kind === 'mask' || decision.kind === 'delete') && decision.byValues
}
