import { PrivacyError } from '../../errors.js'
import { isStructured, type Value } from '../../model/value.js'
import type { Row } from '../../ports/connector.js'
import type { ColumnChange } from '../../rules/erase/row-eraser.js'
import { countedRows } from '../../rules/value/counted-rows.js'
import { appearedFailure, appearedRows } from './appeared-rows.js'
import type { CheckedCollection } from './checked-collection.js'
import type { CollectionErasure } from './erase-collection.js'
import {
  type CollectionToErase,
  type DecidedRow,
  decidedRows,
  type ErasureContext,
  erasureSignature,
} from './erasure-context.js'
import { erasureProgress, totalTally } from './erasure-progress.js'
import { type RowGroup, rowGroups, type WriteDecision } from './row-groups.js'
import { tallies } from './tallies.js'
import { type RowEnd, verifyRows } from './verify-rows.js'
import { writtenBefore } from './written-before.js'

const rowsAtOnce = 5_000

/**
 * Checks a collection once more after everything was written, because the application or a trigger may have restored
 * erased data or added rows. Resolves to a failure if so. Never rejects because of a database.
 */
export async function lateRows(
  context: ErasureContext,
  collection: CollectionToErase,
  checked: CheckedCollection,
  end: CollectionErasure,
): Promise<(Pick<CollectionErasure, 'stale' | 'tally'> & { readonly failure: PrivacyError }) | undefined> {
  try {
    const { state, save } = await erasureProgress(context, collection, erasureSignature(context, collection))
    const before = await writtenBefore(context, collection, state.foundBefore ?? [])
    const appeared = appearedRows(context, collection, before)
    const open = await context.connection(collection.connectionKey, collection.address)
    const { signal } = context.lease
    const tally = tallies(state.tally)
    const earlier = tallies(state.earlier)
    const columns = new Set<string>()
    let back = 0
    const look = async (groups: readonly RowGroup[], takeBack: (group: RowGroup, row: number) => void) => {
      if (groups.length === 0) return
      const ends = await verifyRows(open, collection, groups, new Set(), signal)
      for (const [at, group] of groups.entries()) {
        for (const [row, end] of (ends[at] as RowEnd[]).entries()) {
          if (end === 'gone' && group.kind !== 'delete')
            appeared.takeUnfound(group.keys.map((part) => part[row] as Value))
          if (typeof end !== 'object') continue
          back++
          columns.add(end.residual)
          takeBack(group, row)
        }
      }
    }
    let written = rowGroups(collection)
    let left = rowGroups(collection)
    const lookAtAll = async () => {
      await look(written.list(), (group, row) => tally.takeBack(outcomeOf(group, row), group.reasons.get(row)))
      await look(left.list(), () => earlier.takeBack('masked', undefined))
      written = rowGroups(collection)
      left = rowGroups(collection)
    }
    for await (const rows of decidedRows(context, collection, checked.shared)) {
      for (const row of rows) {
        appeared.take(row)
        if (before(row.foundRow.row)) {
          const decision = asLeft(collection, row.foundRow.row)
          if (decision) left.add(row.foundRow, decision)
        } else if (isWrittenByKey(row)) written.add(row.foundRow, row.decision)
        if (written.length + left.length >= rowsAtOnce) await lookAtAll()
      }
    }
    await lookAtAll()
    const came = appearedFailure(collection, await appeared.count(open))
    if (back === 0 && !came) return undefined
    const messages = [
      ...(back > 0 ? [restoredMessage(collection, back, columns)] : []),
      ...(came ? [came.message] : []),
    ]
    const failure = new PrivacyError('connection_failed', messages.join(' '), { reason: 'residual' })
    // The collection is not finished. Restored rows are counted when they are written again.
    const { finishedAt: _, ...unfinished } = state
    const takenBack = (state.takenBack ?? 0) + back
    const saved = await save({ ...unfinished, tally: tally.list(), earlier: earlier.list(), takenBack, stale: true })
    return { failure, stale: true, tally: totalTally(saved) }
  } catch (error) {
    context.lease.lost.throwIfAborted()
    return { failure: PrivacyError.from(error), tally: end.tally }
  }
}

/** Whether a key names the row. Rows without a key were checked when they were written. */
function isWrittenByKey(
  row: DecidedRow,
): row is DecidedRow & { readonly decision: { readonly kind: 'mask' | 'delete' } } {
  return (row.decision.kind === 'mask' || row.decision.kind === 'delete') && !row.decision.byValues
}

/** The expected values of a row that an earlier run of the request has masked: the values with which it was found. */
function asLeft({ columns, erasure }: CollectionToErase, row: Row): WriteDecision | undefined {
  const held = (column: string) => row[columns.indexOf(column)] ?? null
  const key = erasure.key.map(({ column }) => held(column))
  if (key.length === 0 || key.includes(null)) return undefined
  const changes = [...new Set(erasure.masks.map(({ path }) => path[0] as string))].map((column): ColumnChange => {
    const becomes = held(column)
    return { column, becomes, differs: false, structured: isStructured(becomes) }
  })
  return { kind: 'mask', key, byValues: false, changes }
}

/** The outcome with which a row was counted when it was written. */
function outcomeOf({ kind, changes }: RowGroup, row: number): 'erased' | 'masked' | 'unchanged' {
  if (kind === 'delete') return 'erased'
  return changes.some(({ differs }) => differs[row]) ? 'masked' : 'unchanged'
}

function restoredMessage({ address }: CollectionToErase, rows: number, columns: ReadonlySet<string>): string {
  const names = [...columns].sort().join(', ')
  return `${countedRows(rows)} of '${address}' that ${rows === 1 ? 'was' : 'were'} erased ${rows === 1 ? 'holds' : 'hold'} data again (${names}): the application or a trigger has put it back. Prevent that, and retry.`
}
