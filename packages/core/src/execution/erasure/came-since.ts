import { PrivacyError } from '../../errors.js'
import { counted } from '../../rules/counted-rows.js'
import { appearedFailure, appearedRows } from './appeared-rows.js'
import type { CheckedCollection } from './checked-collection.js'
import {
  type ErasedCollection,
  type ErasureContext,
  erasureSignature,
  type FatedRow,
  fatedRows,
} from './erased-collection.js'
import { erasureProgress } from './erasure-progress.js'
import { type RowGroup, rowGroups } from './row-groups.js'
import { verifyRows } from './verify-batch.js'
import { writtenBefore } from './written-before.js'

const rowsAtOnce = 5_000

/**
 * Looks once more at a collection when everything is written: the application or a trigger may have put back what went, or
 * brought more. Gives what has to be said then. Never rejects because of a database.
 */
export async function cameSince(
  context: ErasureContext,
  collection: ErasedCollection,
  checked: CheckedCollection,
): Promise<{ readonly failure: PrivacyError; readonly stale?: true } | undefined> {
  try {
    const { state } = await erasureProgress(context, collection, erasureSignature(context, collection))
    const before = await writtenBefore(context, collection, state.foundBefore ?? [])
    const appeared = appearedRows(context, collection, before)
    const open = await context.connection(collection.connectionKey, collection.address)
    const { signal } = context.lease
    let back = 0
    let group = rowGroups(collection)
    const look = async () => {
      const groups: readonly RowGroup[] = group.list()
      group = rowGroups(collection)
      if (groups.length === 0) return
      const ends = await verifyRows(open, collection, groups, new Set(), signal)
      back += ends.flat().filter((end) => typeof end === 'object').length
    }
    for await (const rows of fatedRows(context, collection, checked.shared)) {
      for (const row of rows) {
        appeared.take(row)
        if (isToldApart(row) && !before(row.kept.row)) group.add(row.kept, row.fate)
        if (group.length >= rowsAtOnce) await look()
      }
    }
    await look()
    const came = await appeared.count(open)
    if (back === 0 && came === 0) return undefined
    return { failure: came > 0 ? appearedFailure(collection, came) : backFailure(collection, back), stale: true }
  } catch (error) {
    context.lease.lost.throwIfAborted()
    return { failure: PrivacyError.from(error) }
  }
}

/** Rows that only their values tell apart were looked at when they were written. */
function isToldApart(row: FatedRow): row is FatedRow & { readonly fate: { readonly kind: 'mask' | 'delete' } } {
  return (row.fate.kind === 'mask' || row.fate.kind === 'delete') && !row.fate.byValues
}

function backFailure({ address }: ErasedCollection, count: number): PrivacyError {
  const message = `${counted(count, 'row')} of '${address}' that ${count === 1 ? 'was' : 'were'} erased ${count === 1 ? 'holds' : 'hold'} something again: the application or a trigger has put it back. Stop that, and retry.`
  return new PrivacyError('connection_failed', message, { reason: 'residual' })
}
