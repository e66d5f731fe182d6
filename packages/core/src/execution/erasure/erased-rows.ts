import { createHash } from 'node:crypto'
import type { RowFate } from '../../rules/row-erasure.js'
import type { KeptRow } from '../kept-rows.js'
import { keySet } from '../key-set.js'
import type { CheckedCollection } from './checked-collection.js'
import { keyText } from './erase-batch.js'
import { type ErasedCollection, type ErasureContext, fatedRows } from './erased-collection.js'
import { leavesFirst } from './leaves-first.js'

/** A found row with what is to become of it. */
export interface ErasedRow {
  /** Its place among the kept rows. */
  readonly place: number
  readonly kept: KeptRow
  readonly fate: RowFate
  /** How many rows it stands for; 0 where an equal one before it stands for it. */
  readonly copies: number
  /** So many rows, this one first, point to one another and have to go together. */
  readonly together?: number
}

/**
 * The rows of a collection in the order in which they are written, the same on every attempt: as they were found, but
 * rows that go come last where the collection refers to itself, each after those that point to it (§7.16).
 */
export async function* erasedRows(
  context: ErasureContext,
  collection: ErasedCollection,
  checked: CheckedCollection,
): AsyncIterable<ErasedRow> {
  const copies = await equalRows(context, collection, checked)
  const ordered = await leavesFirst(context, collection, checked)
  for await (const { place, kept, fate } of fatedRows(context, collection, checked.shared)) {
    if (!ordered || fate.kind !== 'delete') yield { place, kept, fate, copies: copies(fate, place) }
  }
  if (!ordered) return
  for await (const row of ordered) yield { ...row, copies: copies(row.fate, row.place) }
}

/** How often each row that no key names was found: all of them are written at once, as they cannot be one by one. */
async function equalRows(context: ErasureContext, collection: ErasedCollection, checked: CheckedCollection) {
  const { keySource } = collection.erasure
  if (keySource === 'primary key' || keySource === 'unique key') return () => 1
  const known = keySet([{ kind: 'string' }])
  const first: number[] = []
  const count: number[] = []
  const nameOf = (key: Parameters<typeof keyText>[0]) => createHash('sha256').update(keyText(key)).digest('base64url')
  for await (const { place, fate } of fatedRows(context, collection, checked.shared)) {
    if (!isByValues(fate)) continue
    const name = nameOf(fate.key)
    if (known.add(name)) {
      first.push(place)
      count.push(1)
    } else {
      const at = known.find(name)
      count[at] = (count[at] as number) + 1
    }
  }
  return (fate: RowFate, place: number): number => {
    if (!isByValues(fate)) return 1
    const at = known.find(nameOf(fate.key))
    return first[at] === place ? (count[at] as number) : 0
  }
}

function isByValues(fate: RowFate): fate is Extract<RowFate, { kind: 'mask' | 'delete' }> {
  return (fate.kind === 'mask' || fate.kind === 'delete') && fate.byValues
}
