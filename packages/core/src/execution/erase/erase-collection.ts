import { prefetch } from '../../async/prefetch.js'
import { PrivacyError } from '../../errors.js'
import type { ErasureTally } from '../../ports/erasure-rows.js'
import type { OpenConnection } from '../connect/open-connections.js'
import type { InputNeeded } from '../manual/input-needed.js'
import { appearedFailure, appearedRows } from './appeared-rows.js'
import type { CheckedCollection } from './checked-collection.js'
import { type EraseBatch, eraseBatches } from './erase-batches.js'
import { eraseOf } from './erase-of.js'
import {
  type CheckingContext,
  type CollectionToErase,
  type ErasureContext,
  erasureSignature,
} from './erasure-context.js'
import { collectionsToReread, erasureProgress, totalTally } from './erasure-progress.js'
import { isAtomic } from './is-atomic.js'
import { keyTextAt } from './key-text.js'
import { lostRows } from './lost-rows.js'
import { mostRows } from './most-rows.js'
import { residualOf } from './residual-of.js'
import { type RowGroup, someOf } from './row-groups.js'
import { settleEarlier } from './settle-earlier.js'
import { type Tallies, tallies } from './tallies.js'
import { type RowEnd, readByKey, verifyRows } from './verify-rows.js'
import { rowsAlike, verifyUnkeyed } from './verify-unkeyed.js'
import { mayBeOutdated, writeBatch } from './write-batch.js'
import { writtenBefore } from './written-before.js'

/** How the erasure of one collection ended. With `failure` it is not complete, even if rows were written. */
export interface CollectionErasure {
  readonly address: string
  readonly tally: readonly ErasureTally[]
  readonly startedAt: string
  readonly finishedAt: string
  readonly failure?: PrivacyError
  /** The rows have to be read again, because they still hold erased data or because new rows have appeared. */
  readonly stale?: true
  /** Collections whose rows have to be read again as well. */
  readonly alsoStale?: readonly string[]
  /** People have to erase its rows first. */
  readonly needed?: InputNeeded
  /** The rest of it waits for a legal hold. */
  readonly held?: true
}

/** Why a batch was not written, and which collections have to be read again because of that. */
type Failed = { readonly failure: PrivacyError } & Pick<CollectionErasure, 'alsoStale'>

/**
 * Erases the rows of one collection, batch by batch. It notes each batch before it writes it, and reads it again afterwards
 * (see docs/semantics.md, 'Verification'). It does not repeat the writes of an earlier run, and calls `begun` only if
 * something is left to do. Never rejects because of a database.
 */
export async function eraseCollection(
  context: ErasureContext,
  collection: CollectionToErase,
  checked: CheckedCollection,
  begun: () => void,
): Promise<CollectionErasure> {
  const { address } = collection
  const { lease, clock } = context
  const { signal } = lease
  const progress = await erasureProgress(context, collection, erasureSignature(context, collection))
  let state = progress.state
  const startedAt = state.startedAt
  const end = (more: Partial<CollectionErasure> = {}): CollectionErasure => ({
    address,
    tally: totalTally(state),
    startedAt,
    finishedAt: state.finishedAt ?? clock().toISOString(),
    ...more,
  })
  /** Ends with rows that have to be found again, if that is possible. */
  const endStale = (failed: Failed): CollectionErasure => end({ ...failed, stale: true })
  if (state.finishedAt !== undefined) return end()
  if (context.stops()) return end(stopped(context, address))
  begun()
  const open = await context.connection(collection.connectionKey, address)
  const limit = mostRows(collection, open.connector.capabilities)
  const tally = tallies(state.tally)
  const earlier = tallies(state.earlier)
  let takenBack = state.takenBack ?? 0
  const earlierTally = () => state.earlier && { earlier: earlier.list(), takenBack }
  const flush = async (
    { groups, erases, to, again, noted, recounted }: EraseBatch,
    meanwhile: () => void,
  ): Promise<CollectionErasure | undefined> => {
    for (const { outcome, reason, rowCount } of noted) tally.add(outcome, reason, rowCount)
    for (let row = 0; row < recounted; row++) {
      if (takenBack > 0) {
        takenBack--
        continue
      }
      const reasons = earlier.list().flatMap(({ outcome, reason }) => (outcome === 'masked' ? [reason] : []))
      earlier.takeBack('masked', reasons.includes(undefined) ? undefined : reasons[0])
    }
    if (groups.length === 0) return undefined
    const absent = new Set(again ? state.absent : await absentRows(open, collection, groups, context))
    if (!again) {
      const alike = await rowsAlike(open, collection, groups, signal)
      state = await progress.save({ ...state, intent: to, absent: [...absent], alike })
    }
    if (context.stops()) return end(stopped(context, address))
    const before = again ? await verified(open, collection, groups, { absent }, signal) : undefined
    const due =
      before || absent.size > 0
        ? groups.flatMap((group, at) => dueOf(group, absent, before?.[at], isAtomic(collection, open)))
        : groups
    const statements = due === groups ? erases : due.map((group) => eraseOf(collection, group))
    const { left, masked } = await writeBatch(context, collection, checked.pointers, open, due, statements)
    // For rows without a key, it was not checked yet whether the new values are there.
    const isKnown = due.length === 0 && !groups.some(({ byValues }) => byValues)
    // the next batch is prepared while the server looks for the rows of this one
    meanwhile()
    const alike = state.alike ?? 0
    if (left && !left.inPart && !before) return endStale(left.moved)
    const ends = (isKnown && before) || (await verified(open, collection, groups, { absent, alike }, signal))
    const lost = left ? undefined : lostRows(collection, masked, due, groups, ends)
    if (lost) {
      state = await progress.save({ ...state, lost: true })
      return end({ failure: lost })
    }
    const residual = residualOf(collection, ends.flat())
    // Rows that a new search could not find stay noted, so that a retry checks these same rows.
    const isLost = ends.some((some) => some.some((each) => typeof each === 'object' && each.lost))
    const failed = left?.moved ?? (residual && { failure: residual })
    if (failed) return isLost ? end(failed) : endToReread(groups, ends, { ...failed, isWritten: !left })
    for (const [at, group] of groups.entries())
      count(collection, tally, group, ends[at] as Exclude<RowEnd, object>[], state.lost)
    const { lost: _, ...known } = state
    state = { ...known, done: to, intent: to, absent: [], tally: tally.list(), ...earlierTally() }
    return undefined
  }

  /** Counts the deleted rows before all rows are read again, because a new search does not find deleted rows. */
  const endToReread = async (
    groups: readonly RowGroup[],
    ends: readonly RowEnd[][],
    { isWritten, ...failed }: Failed & { readonly isWritten: boolean },
  ) => {
    if ((await collectionsToReread(context, collection, [])).length === 0) return end({ failure: failed.failure })
    const known = tallies(state.tally)
    const unsettled: number[] = []
    for (const [at, { copies, places, byValues }] of groups.entries()) {
      for (const [row, became] of (ends[at] as RowEnd[]).entries()) {
        if (became === 'erased') known.add('erased', undefined, copies.get(row) ?? 1)
        // what was not written may be somebody else's by now
        else if (isWritten && typeof became === 'object' && !byValues) unsettled.push(places[row] as number)
      }
    }
    state = await progress.save({ ...state, tally: known.list(), unsettled, stale: true })
    return end({ ...failed, stale: true })
  }

  try {
    if (state.stale) return end({ failure: changedSinceFound(address), stale: true })
    const settled = await settleEarlier(context, collection, open, state.foundBefore ?? [])
    if (settled) {
      for (const { outcome, reason, rowCount } of settled.tally) earlier.add(outcome, reason, rowCount)
      state = await progress.save({ ...state, ...earlierTally(), foundBefore: settled.foundBefore })
      const residual = residualOf(collection, settled.left)
      if (residual) return endStale({ failure: residual })
    }
    const before = await writtenBefore(context, collection, state.foundBefore ?? [])
    const appeared = appearedRows(context, collection, before)
    const { done, intent } = state
    let last = done
    const batches = eraseBatches(context, collection, checked, { done, intent, limit, before, appeared })
    for await (const { item: batch, fetchNext } of prefetch(batches)) {
      const ended = await flush(batch, fetchNext)
      if (ended) return ended
      last = batch.to
      signal.throwIfAborted()
    }
    const came = appearedFailure(collection, await appeared.count(open))
    if (came) {
      state = await progress.save({ ...state, done: last, intent: last, tally: tally.list(), ...earlierTally() })
      return endStale({ failure: came })
    }
    state = await progress.save({
      ...state,
      done: last,
      intent: last,
      absent: [],
      tally: tally.list(),
      ...earlierTally(),
      finishedAt: clock().toISOString(),
    })
    return end()
  } catch (error) {
    lease.lost.throwIfAborted()
    // The batch was taken back: a later run writes it, or nothing does.
    if (context.stops()) return end(stopped(context, address))
    const failure = PrivacyError.from(error)
    return mayBeOutdated(error, collection) ? endStale({ failure }) : end({ failure })
  }
}

/** The rows of a group that are still to be written. Empty if there are none. */
function dueOf(
  group: RowGroup,
  absent: ReadonlySet<number>,
  before: readonly RowEnd[] | undefined,
  isAtomic: boolean,
): RowGroup[] {
  const isDue = (at: number) => !absent.has(group.places[at] as number) && (!before || typeof before[at] === 'object')
  const due = someOf(group, isDue)
  if (due.places.length === 0) return []
  if (isAtomic || !group.byValues || !before) return [due]
  // An earlier run may have written some of several equal rows.
  const left = before.filter((_, at) => isDue(at)).map((end) => (typeof end === 'object' ? end.rows : undefined))
  const copies = due.places.map((_, at) => Math.min(due.copies.get(at) ?? 1, left[at] ?? Number.POSITIVE_INFINITY))
  return [{ ...due, copies: new Map(copies.entries()) }]
}

/** Nobody can tell by a view whether a row that it does not show any more was written. */
const notShown =
  'the view does not show it any more: it may have been written, so look at the table behind the view, and describe that table'
const notFoundAgain =
  'it was written, and then not found by its key: a trigger may have changed the key, and have put data back'

/** Counts the outcomes of rows, equal ones at once. `wasLost`: some were written, and not found afterwards. */
function count(
  { erasure }: CollectionToErase,
  tally: Tallies,
  group: RowGroup,
  ends: readonly Exclude<RowEnd, object>[],
  wasLost = false,
): void {
  const reasonOf = (at: number): string | undefined => {
    if (ends[at] === 'masked') return group.reasons.get(at)
    if (ends[at] !== 'gone') return undefined
    return erasure.view ? notShown : wasLost && group.kind === 'mask' ? notFoundAgain : undefined
  }
  let alike = 0
  for (let at = 0; at < ends.length; at++) {
    alike += group.copies.get(at) ?? 1
    if (ends[at] === ends[at + 1] && reasonOf(at) === reasonOf(at + 1)) continue
    tally.add(ends[at] as Exclude<RowEnd, object>, reasonOf(at), alike)
    alike = 0
  }
}

/** Reads what became of rows with a key, and of rows without one. */
async function verified(
  open: OpenConnection,
  collection: CollectionToErase,
  groups: readonly RowGroup[],
  { absent, alike }: { readonly absent: ReadonlySet<number>; readonly alike?: number },
  signal: AbortSignal,
): Promise<RowEnd[][]> {
  const named = groups.filter(({ byValues }) => !byValues)
  const others = groups.filter(({ byValues }) => byValues)
  const ofNamed = named.length === 0 ? [] : await verifyRows(open, collection, named, absent, signal)
  const ofOthers = others.length === 0 ? [] : await verifyUnkeyed(open, collection, others, alike, signal)
  return groups.map((group) => {
    const [some, ends] = group.byValues ? [others, ofOthers] : [named, ofNamed]
    return ends[some.indexOf(group)] as RowEnd[]
  })
}

/** Rows to delete that no longer exist. They are noted, because this erasure must not claim that it deleted them. */
async function absentRows(
  open: OpenConnection,
  collection: CollectionToErase,
  groups: readonly RowGroup[],
  { lease }: CheckingContext,
): Promise<number[]> {
  const [deleted] = groups.filter(({ kind, byValues }) => kind === 'delete' && !byValues)
  if (!deleted) return []
  const { byName } = await readByKey(open, collection, deleted.keys, [], lease.signal)
  return deleted.places.filter((_, at) => !byName.has(keyTextAt(deleted.keys, at)))
}

/** The failure when an earlier run crashed after it noted that rows are stale, and before it dropped them. */
function changedSinceFound(address: string): PrivacyError {
  const message = `Rows of '${address}' have changed since they were found: retry to read them again.`
  return new PrivacyError('connection_failed', message, { reason: 'residual' })
}

/** How a collection ends when the request was canceled, or when a legal hold covers it now. */
export function stopped(
  { stops }: Pick<ErasureContext, 'stops'>,
  address: string,
): Pick<CollectionErasure, 'failure' | 'held'> {
  if (stops() === 'hold') return { held: true }
  return {
    failure: new PrivacyError('invalid_state', `The erasure was stopped before all of '${address}' was written.`, {
      status: 'in_processing',
      event: 'cancel',
    }),
  }
}
