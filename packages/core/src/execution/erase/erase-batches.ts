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
  /** What writes all of them. */
  readonly erases: readonly Erase[]
  /** Position after its last row, in the order in which rows are written. */
  readonly to: number
  /** An earlier run meant to write it, and may have. */
  readonly again: boolean
  /** What is known of rows in between that are not written. */
  readonly noted: readonly ErasureTally[]
}

export interface BatchOptions {
  /** How far an earlier run has come, and up to where it meant to write. */
  readonly done: number
  readonly intent: number
  /** Rows of a batch. */
  readonly most: number
  readonly before: WrittenBefore
  /** Is told of each row, done or not. */
  readonly appeared: AppearedRows
}

/** Bytes of values that one batch may hold, roughly. */
const batchCharacters = 4 * 1024 * 1024

/** What is left to be written of a collection, batch by batch; the last one may be empty. */
export async function* eraseBatches(
  context: ErasureContext,
  collection: CollectionToErase,
  checked: CheckedCollection,
  { done, intent, most, before, appeared }: BatchOptions,
): AsyncIterable<EraseBatch> {
  let rows = rowGroups(collection)
  let noted = tallies()
  let characters = 0
  const cut = (to: number, again: boolean): EraseBatch => {
    const groups = rows.list()
    const erases = groups.map((group) => eraseOf(collection, group))
    const batch = { groups, erases, to, again, noted: noted.list() }
    rows = rowGroups(collection)
    noted = tallies()
    characters = 0
    return batch
  }
  const add = ({ foundRow, decision, copies = 1 }: RowToErase) => {
    const known = decision.kind === 'delete' ? undefined : before(foundRow.row)
    if (known === 'written') noted.add('masked', undefined, 1)
    // An earlier run has done it.
    if (known) return
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
      // What was meant to be written together is looked at together.
      const again = at < intent
      if (!again && rows.length > 0 && rows.length + (row.together ?? 1) > most) yield cut(at, false)
      add(row)
      if (again ? position === intent : rows.length >= most || characters > batchCharacters) yield cut(position, again)
    }
  }
  yield cut(position, position <= intent)
}

function sizeOf(row: readonly unknown[]): number {
  let size = 0
  for (const value of row)
    size += typeof value === 'string' ? value.length : typeof value === 'object' && value !== null ? 256 : 8
  return size
}
