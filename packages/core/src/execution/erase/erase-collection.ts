import { prefetch } from '../../async/prefetch.js'
import { PrivacyError } from '../../errors.js'
import type { ErasureTally } from '../../ports/erasure-rows.js'
import { countedRows } from '../../rules/value/counted-rows.js'
import type { OpenConnection } from '../connect/open-connections.js'
import type { InputNeeded } from '../manual/input-needed.js'
import { appearedFailure, appearedRows } from './appeared-rows.js'
import type { CheckedCollection } from './checked-collection.js'
import { type EraseBatch, eraseBatches } from './erase-batches.js'
import { eraseOf } from './erase-of.js'
import { type CollectionToErase, type ErasureContext, erasureSignature } from './erasure-context.js'
import { erasureProgress, foundAgain, totalTally } from './erasure-progress.js'
import { keyTextAt } from './key-text.js'
import { type RowGroup, someOf } from './row-groups.js'
import { type Tallies, tallies } from './tallies.js'
import { type RowEnd, readByKey, verifyRows } from './verify-rows.js'
import { rowsAlike, verifyUnkeyed } from './verify-unkeyed.js'
import { writeBatch } from './write-batch.js'
import { writtenBefore } from './written-before.js'

/** How the erasure of one collection ended. `failure`: it is not done, whatever was written. */
export interface CollectionErasure {
  readonly address: string
  readonly tally: readonly ErasureTally[]
  readonly startedAt: string
  readonly finishedAt: string
  readonly failure?: PrivacyError
  /** Rows that still hold what was to go, or came since: they have to be read again. */
  readonly stale?: true
  /** Collections whose rows have to be read again as well. */
  readonly anew?: readonly string[]
  /** A person has to erase its rows first. */
  readonly needed?: InputNeeded
  /** What is left of it waits for a legal hold. */
  readonly held?: true
}

/** Why a batch was left, and what has to be found anew because of it. */
type Failed = { readonly failure: PrivacyError } & Pick<CollectionErasure, 'anew'>

/** Larger batches are no faster, and each is held in memory several times over. */
const batchRows = 5_000

/**
 * Erases the rows of one collection, batch by batch: what is to be written is durable before it is, and each batch is
 * read again after it was (see docs/semantics.md, 'Verification'). What an earlier run has done is not done again:
 * `begun` is called where something is left to do. Never rejects because of a database.
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
  /** Its rows are found anew, if they can be. */
  const endStale = (failed: Failed): CollectionErasure => end({ ...failed, stale: true })
  if (state.finishedAt !== undefined) return end()
  if (context.stops()) return end(stopped(context, address))
  begun()
  const open = await context.connection(collection.connectionKey, address)
  const { maxErased = 1, maxKeys } = open.connector.capabilities
  const most = Math.min(maxErased, maxKeys, batchRows)
  const tally = tallies(state.tally)
  const flush = async ({ groups, erases, to, again, noted }: EraseBatch): Promise<CollectionErasure | undefined> => {
    for (const { outcome, reason, rowCount } of noted) tally.add(outcome, reason, rowCount)
    if (groups.length === 0) return undefined
    const absent = new Set(again ? state.absent : await absentRows(open, collection, groups, context))
    if (!again) {
      const alike = await rowsAlike(open, collection, groups, signal)
      state = await progress.save({ ...state, intent: to, absent: [...absent], alike })
    }
    if (context.stops()) return end(stopped(context, address))
    const before = again ? await verified(open, collection, groups, { absent }, signal) : undefined
    const due = before || absent.size > 0 ? groups.flatMap((group, at) => dueOf(group, absent, before?.[at])) : groups
    const statements = due === groups ? erases : due.map((group) => eraseOf(collection, group))
    const left = await writeBatch(context, collection, checked.pointers, open, due, statements)
    // Of rows that only their values tell apart nobody has asked yet whether the new ones are there.
    const isKnown = due.length === 0 && !groups.some(({ byValues }) => byValues)
    const alike = state.alike ?? 0
    if (left && !left.inPart && !before) return endStale(left.moved)
    const ends = (isKnown && before) || (await verified(open, collection, groups, { absent, alike }, signal))
    const residual = residualOf(collection, ends.flat())
    // What could not be found again is not forgotten: a retry looks at these very rows.
    const isLost = ends.some((some) => some.some((each) => typeof each === 'object' && each.lost))
    const failed = left?.moved ?? (residual && { failure: residual })
    if (failed) return isLost ? end(failed) : foundAnew(groups, ends, failed)
    for (const [at, group] of groups.entries()) count(tally, group, ends[at] as Exclude<RowEnd, object>[])
    state = { ...state, done: to, intent: to, absent: [], tally: tally.list() }
    return undefined
  }

  /** Rows are read again, so what has gone by now is counted now: nobody would find it then. */
  const foundAnew = async (groups: readonly RowGroup[], ends: readonly RowEnd[][], failed: Failed) => {
    if ((await foundAgain(context, collection, [])).length === 0) return end({ failure: failed.failure })
    const known = tallies(state.tally)
    for (const [at, { copies }] of groups.entries()) {
      for (const [row, became] of (ends[at] as RowEnd[]).entries())
        if (became === 'erased') known.add('erased', undefined, copies.get(row) ?? 1)
    }
    state = await progress.save({ ...state, tally: known.list(), stale: true })
    return end({ ...failed, stale: true })
  }

  try {
    if (state.stale) return end({ failure: toBeFoundAnew(address), stale: true })
    const before = await writtenBefore(context, collection, state.foundBefore ?? [])
    const appeared = appearedRows(context, collection, before)
    const { done, intent } = state
    let last = done
    for await (const batch of prefetch(
      eraseBatches(context, collection, checked, { done, intent, most, before, appeared }),
    )) {
      const ended = await flush(batch)
      if (ended) return ended
      last = batch.to
      signal.throwIfAborted()
    }
    const came = await appeared.count(open)
    if (came > 0) {
      state = await progress.save({ ...state, done: last, intent: last, tally: tally.list() })
      return endStale({ failure: appearedFailure(collection, came) })
    }
    state = await progress.save({
      ...{ ...state, done: last, intent: last, absent: [], tally: tally.list() },
      finishedAt: clock().toISOString(),
    })
    return end()
  } catch (error) {
    lease.lost.throwIfAborted()
    const failure = PrivacyError.from(error)
    const { reason } = failure.details as { readonly reason?: string }
    // What keeps a row from going may be a row of the person that came since.
    const isOld = reason === 'ambiguous_rows' || (reason === 'refused' && collection.erasure.how === 'delete')
    return isOld ? endStale({ failure }) : end({ failure })
  }
}

/** The rows of a group that are still to be written; nothing where none is. */
function dueOf(group: RowGroup, absent: ReadonlySet<number>, before: readonly RowEnd[] | undefined): RowGroup[] {
  const due = someOf(
    group,
    (at) => !absent.has(group.places[at] as number) && (!before || typeof before[at] === 'object'),
  )
  return due.places.length === 0 ? [] : [due]
}

/** Counts what became of rows; most are like the one before. */
function count(tally: Tallies, group: RowGroup, ends: readonly Exclude<RowEnd, object>[]): void {
  const reasonOf = (at: number): string | undefined => (ends[at] === 'masked' ? group.reasons.get(at) : undefined)
  let alike = 0
  for (let at = 0; at < ends.length; at++) {
    alike += group.copies.get(at) ?? 1
    if (ends[at] === ends[at + 1] && reasonOf(at) === reasonOf(at + 1)) continue
    tally.add(ends[at] as Exclude<RowEnd, object>, reasonOf(at), alike)
    alike = 0
  }
}

/** What became of rows: of those that a key names, and of those that only their values tell apart. */
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

/** Rows that are to go and are not there any more: nobody may say later that this erasure removed them. */
async function absentRows(
  open: OpenConnection,
  collection: CollectionToErase,
  groups: readonly RowGroup[],
  { lease }: ErasureContext,
): Promise<number[]> {
  const [going] = groups.filter(({ kind, byValues }) => kind === 'delete' && !byValues)
  if (!going) return []
  const { byName } = await readByKey(open, collection, going.keys, [], lease.signal)
  return going.places.filter((_, at) => !byName.has(keyTextAt(going.keys, at)))
}

/** One sentence for all that is left, with the columns it is left in. */
function residualOf({ address }: CollectionToErase, ends: readonly RowEnd[]): PrivacyError | undefined {
  const left = ends.flatMap((end) => (typeof end === 'object' ? [end.residual] : []))
  if (left.length === 0) return undefined
  const columns = [...new Set(left)].sort().join(', ')
  const message = `${countedRows(left.length)} of '${address}' still ${left.length === 1 ? 'holds' : 'hold'} what was to be erased (${columns}): something wrote to them meanwhile, or kept them from being written. Retry reads them again.`
  return new PrivacyError('connection_failed', message, { reason: 'residual' })
}

/** A run was killed between its last word about a collection and the moment at which its rows were forgotten. */
function toBeFoundAnew(address: string): PrivacyError {
  const message = `Rows of '${address}' have changed since they were found: retry reads them again.`
  return new PrivacyError('connection_failed', message, { reason: 'residual' })
}

/** How a collection is left that somebody wanted no more of, or that a legal hold covers now. */
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
