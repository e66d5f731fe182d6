import type { Erase } from '../../ports/connector.js'
import type { ErasureTally } from '../../ports/erasure-rows.js'
import type { AppearedRows } from './appeared-rows.js'
import type { CheckedCollection } from './checked-collection.js'
import { eraseOf } from './erase-of.js'
import type { CollectionToErase, ErasureContext, RowToErase } from './erasure-context.js'
import { type RowGroup, rowGroups } from './row-groups.js'
import { rowsToErase } from './rows-to-erase.js'
import { tallies } from './tallies.js'
import type { WrittenBefore } from './written-before.js'

/** Rows that are written together. */
export interface EraseBatch {
  readonly groups: readonly RowGroup[]
  /** The statements that write all of them. */
  readonly erases: readonly Erase[]
  /** The position after the last row, in the order of writing. */
  readonly to: number
  /** An earlier run has noted this batch as its intent and may have written it. */
  readonly again: boolean
  /** Outcomes of rows in between that are not written. */
  readonly noted: readonly ErasureTally[]
  /** How many of all these rows an earlier run has counted as masked. */
  readonly recounted: number
}

export interface BatchOptions {
  /** The positions up to which an earlier run has written, and intended to write. */
  readonly done: number
  readonly intent: number
  /** The most rows of a batch. */
  readonly limit: number
  readonly before: WrittenBefore
  /** Takes each row, written or not. */
  readonly appeared: AppearedRows
}

/** The rough size of the values in one batch. */
const batchCharacters = 4 * 1024 * 1024

/** Makes the batches that are left to write in a collection. The last one may be empty. */
export async function* eraseBatches(
  context: ErasureContext,
  collection: CollectionToErase,
  checked: CheckedCollection,
  { done, intent, limit, before, appeared }: BatchOptions,
): AsyncIterable<EraseBatch> {
  let rows = rowGroups(collection)
  let noted = tallies()
  let characters = 0
  let recounted = 0
  const cut = (to: number, again: boolean): EraseBatch => {
    const groups = rows.list()
    const erases = groups.map((group) => eraseOf(collection, group))
    const batch = { groups, erases, to, again, noted: noted.list(), recounted }
    rows = rowGroups(collection)
    noted = tallies()
    characters = 0
    recounted = 0
    return batch
  }
  const add = ({ foundRow, decision, copies = 1 }: RowToErase) => {
    const known = decision.kind === 'delete' ? undefined : before(foundRow.row)
    if (known === 'written') noted.add('masked', undefined, 1)
    // An earlier run has written this row.
    if (known) return
    if (decision.kind !== 'delete' && before.isCounted(foundRow.row)) {
      if (decision.kind === 'unchanged') return
      recounted++
    }
    if (decision.kind === 'unchanged' || decision.kind === 'retained') noted.add(decision.kind, decision.reason, 1)
    else if (copies > 0) {
      rows.add(foundRow, decision, copies)
      characters += sizeOf(foundRow.row)
    }
  }
  let position = 0
  for await (const found of rowsToErase(context, collection, checked)) {
    for (const row of found) {
      appeared.take(row)
      const at = position++
      if (at < done) continue
      // Rows that an earlier run intended to write together are checked together.
      const again = at < intent
      if (!again && rows.length > 0 && rows.length + (row.together ?? 1) > limit) yield cut(at, false)
      add(row)
      if (again ? position === intent : rows.length >= limit || characters > batchCharacters) yield cut(position, again)
    }
  }
  yield cut(position, position <= intent)
}

/** Objects and lists are counted with all that is in them: documents of some stores have megabytes in one column. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 8
  if (ArrayBuffer.isView(value)) return value.byteLength
  let size = 16
  for (const name in value) size += name.length + sizeOf((value as Readonly<Record<string, unknown>>)[name])
  return size
}
