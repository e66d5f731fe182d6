import { PrivacyError } from '../../errors.js'
import type { ErasureTally } from '../../ports/erasure-rows.js'
import type { InputNeeded } from '../input-needed.js'
import type { OpenConnection } from '../open-connections.js'
import { countAppeared } from './appeared-rows.js'
import { carriedRows } from './carried-rows.js'
import type { CheckedCollection } from './checked-collection.js'
import { erasesOf, keyText, type WrittenRow } from './erase-batch.js'
import { type ErasedCollection, type ErasureContext, erasureSignature } from './erased-collection.js'
import { erasedRows } from './erased-rows.js'
import { erasureProgress, totalTally } from './erasure-progress.js'
import { tallies } from './tally.js'
import { type RowEnd, readByKey, verifyRows } from './verify-batch.js'
import { verifyUnkeyed } from './verify-unkeyed.js'
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
  /** A person has to erase its rows first. */
  readonly needed?: InputNeeded
}

/** Larger batches are no faster, and each is held in memory several times over. */
const batchRows = 2_500

/** Bytes of values that one batch may hold, roughly. */
const batchCharacters = 4 * 1024 * 1024

/**
 * Erases the rows of one collection, batch by batch: what is to be written is durable before it is, and each batch is
 * read again after it was (§7.12, §7.18). What an earlier run has done is not done again: `begun` is called where
 * something is left to do. Never rejects because of a database.
 */
export async function eraseCollection(
  context: ErasureContext,
  collection: ErasedCollection,
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
  if (state.finishedAt !== undefined) return end()
  if (context.isStopped()) return end({ failure: stopped(address) })
  begun()
  const open = await context.connection(collection.connectionKey, address)
  const { maxErased = 1, maxKeys } = open.connector.capabilities
  const most = Math.min(maxErased, maxKeys, batchRows)
  const verify = (batch: readonly WrittenRow[], absent: ReadonlySet<number>): Promise<RowEnd[]> =>
    verified(open, collection, batch, absent, signal)

  let rows: WrittenRow[] = []
  let characters = 0
  const tally = tallies(state.tally)
  const flush = async (to: number): Promise<CollectionErasure | undefined> => {
    const batch = rows
    rows = []
    characters = 0
    if (batch.length === 0) return undefined
    // What an earlier run meant to write may have been written.
    const again = state.intent > state.done
    const absent = new Set(again ? state.absent : await absentRows(open, collection, batch, context))
    if (!again) state = await progress.save({ ...state, intent: to, absent: [...absent] })
    if (context.isStopped()) return end({ failure: stopped(address) })
    const before = again ? await verify(batch, absent) : undefined
    const due = batch.filter(({ place }, at) => !absent.has(place) && (!before || isResidual(before[at])))
    const carried = await carriedRows(context, collection, due)
    if (carried) return end({ failure: carried })
    await write(open, collection, due, signal)
    const ends = before && due.length === 0 ? before : await verify(batch, absent)
    const residual = residualOf(collection, ends)
    // What could not be found again is not forgotten: a retry looks at these very rows.
    const isLost = ends.some((each) => typeof each === 'object' && each.lost)
    if (residual) return end({ failure: residual, ...(!isLost && { stale: true as const }) })
    for (const [at, { fate, copies }] of batch.entries()) {
      const outcome = ends[at] as Exclude<RowEnd, object>
      tally.add(outcome, outcome === 'masked' && fate.kind === 'mask' ? fate.reason : undefined, copies)
    }
    state = { ...state, done: to, intent: to, absent: [], tally: tally.list() }
    return undefined
  }

  try {
    const before = await writtenBefore(context, collection, state.foundBefore ?? [])
    let position = -1
    for await (const { place, kept, fate, copies, together = 1 } of erasedRows(context, collection, checked)) {
      position++
      if (position < state.done) continue
      const again = state.intent > state.done
      if (!again && rows.length > 0 && rows.length + together > most) {
        const ended = await flush(position)
        if (ended) return ended
      }
      const known = fate.kind === 'delete' ? undefined : before(kept.row)
      if (known === 'written') tally.add('masked', undefined, 1)
      if (known) {
        // An earlier run has done it.
      } else if (fate.kind === 'unchanged' || fate.kind === 'retained') tally.add(fate.kind, fate.reason, 1)
      else if (copies > 0) {
        rows.push({ place, kept, fate, copies })
        characters += sizeOf(kept.row)
      }
      const isFull = rows.length >= most || characters > batchCharacters
      if (again ? position + 1 !== state.intent : !isFull) continue
      const ended = await flush(position + 1)
      if (ended) return ended
      signal.throwIfAborted()
    }
    const ended = await flush(position + 1)
    if (ended) return ended
    const appeared = await countAppeared(context, open, collection, { ...checked, before })
    if (appeared > 0) state = await progress.save({ ...state, tally: tally.list() })
    if (appeared > 0) return end({ failure: appearedFailure(collection, appeared), stale: true })
    state = await progress.save({
      ...state,
      done: position + 1,
      intent: position + 1,
      absent: [],
      tally: tally.list(),
      finishedAt: clock().toISOString(),
    })
    return end()
  } catch (error) {
    lease.lost.throwIfAborted()
    const failure = PrivacyError.from(error)
    const isAmbiguous = (failure.details as { readonly reason?: string }).reason === 'ambiguous_rows'
    return end({ failure, ...(isAmbiguous && { stale: true as const }) })
  }
}

/** What became of rows: of those that a key names, and of those that only their values tell apart. */
async function verified(
  open: OpenConnection,
  collection: ErasedCollection,
  rows: readonly WrittenRow[],
  absent: ReadonlySet<number>,
  signal: AbortSignal,
): Promise<RowEnd[]> {
  const named = rows.filter(({ fate }) => !fate.byValues)
  const others = rows.filter(({ fate }) => fate.byValues)
  const ends = new Map<WrittenRow, RowEnd>()
  const note = (some: readonly WrittenRow[], became: readonly RowEnd[]) => {
    for (const [at, row] of some.entries()) ends.set(row, became[at] as RowEnd)
  }
  if (named.length > 0) note(named, await verifyRows(open, collection, named, absent, signal))
  if (others.length > 0) note(others, await verifyUnkeyed(open, collection, others, signal))
  return rows.map((row) => ends.get(row) as RowEnd)
}

/** Rows that are to go and are not there any more: nobody may say later that this erasure removed them. */
async function absentRows(
  open: OpenConnection,
  collection: ErasedCollection,
  rows: readonly WrittenRow[],
  { lease }: ErasureContext,
): Promise<number[]> {
  const going = rows.filter(({ fate }) => fate.kind === 'delete' && !fate.byValues)
  if (going.length === 0) return []
  const { byKey } = await readByKey(
    open,
    collection,
    going.map(({ fate }) => fate.key),
    [],
    lease.signal,
  )
  const isThere = ({ fate }: WrittenRow) => byKey.has(keyText(fate.key))
  return going.filter((row) => !isThere(row)).map(({ place }) => place)
}

async function write(
  open: OpenConnection,
  collection: ErasedCollection,
  rows: readonly WrittenRow[],
  signal: AbortSignal,
): Promise<void> {
  const { connection } = open
  if (rows.length === 0) return
  for (const erase of erasesOf(collection, rows)) {
    using _place = await open.place(signal)
    await connection.erase?.(erase)
  }
}

const isResidual = (end: RowEnd | undefined): boolean => typeof end === 'object'

/** One sentence for all that is left, with the columns it is left in. */
function residualOf({ address }: ErasedCollection, ends: readonly RowEnd[]): PrivacyError | undefined {
  const left = ends.flatMap((end) => (typeof end === 'object' ? [end.residual] : []))
  if (left.length === 0) return undefined
  const columns = [...new Set(left)].sort().join(', ')
  const message = `${left.length} ${left.length === 1 ? 'row' : 'rows'} of '${address}' still ${left.length === 1 ? 'holds' : 'hold'} what was to be erased (${columns}): something wrote to them meanwhile, or kept them from being written. Retry reads them again.`
  return new PrivacyError('connection_failed', message, { reason: 'residual' })
}

function appearedFailure({ address }: ErasedCollection, count: number): PrivacyError {
  const message = `${count} ${count === 1 ? 'row' : 'rows'} of the person came to '${address}' while it was erased: retry reads and erases them as well.`
  return new PrivacyError('connection_failed', message, { reason: 'residual' })
}

/** Why a collection was left that somebody wanted no more of. */
export function stopped(address: string): PrivacyError {
  return new PrivacyError('invalid_state', `The erasure was stopped before all of '${address}' was written.`, {
    status: 'in_processing',
    event: 'cancel',
  })
}

function sizeOf(row: readonly unknown[]): number {
  let size = 0
  for (const value of row)
    size += typeof value === 'string' ? value.length : typeof value === 'object' && value !== null ? 256 : 8
  return size
}
