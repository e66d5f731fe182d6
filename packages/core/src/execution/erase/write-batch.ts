import { isPrivacyError, PrivacyError } from '../../errors.js'
import type { Erase } from '../../ports/connector.js'
import type { OpenConnection } from '../connect/open-connections.js'
import { changedOwners, type MovedRows, movedOwners } from './changed-owners.js'
import type { PointersBefore } from './checked-collection.js'
import { eraseOf } from './erase-of.js'
import type { CollectionToErase, ErasureContext } from './erasure-context.js'
import { halvesOf, isTooLarge } from './halved.js'
import { heldOwners } from './held-owners.js'
import { heldPointers, pointersSince } from './held-pointers.js'
import { isAtomic } from './is-atomic.js'
import { recountPointers } from './recount-pointers.js'
import type { RowGroup } from './row-groups.js'

/** What was written of a batch. */
interface WrittenBatch {
  /** How many rows with a key were masked, as far as the connector says so. */
  readonly masked: number
  /** Set where it ended, because its rows may have another owner now. `inPart`: some of its rows may be written. */
  readonly left?: {
    readonly moved: { readonly failure: PrivacyError } & Pick<MovedRows, 'alsoStale'>
    readonly inPart: boolean
  }
}

/** How often owners that keep changing are read again. */
const maxReads = 5

/**
 * Writes the rows of a batch, statement by statement, as long as they are the subject's alone. The rows that decide this are
 * read again right before the write and must not change until it is done.
 */
export async function writeBatch(
  context: ErasureContext,
  collection: CollectionToErase,
  pointersBefore: PointersBefore,
  open: OpenConnection,
  batch: readonly RowGroup[],
  statements: readonly Erase[],
): Promise<WrittenBatch> {
  const { connection, connector, permit } = open
  const groups = [...batch]
  const erases = [...statements]
  const recheck = async (from: number) => {
    const rest = groups.slice(from)
    const owners = heldOwners(collection)
    const { most, moved: shared } = await recountPointers(context, collection, rest, pointersBefore, owners)
    const moved = shared ?? (await movedOwners(context, collection, rest[0]?.found ?? [], owners))
    return { most, moved, owners: owners.addresses(), unchanged: owners.list(connector.capabilities) }
  }
  const transactions = isAtomic(collection, open)
  // Whether rows of the batch may have been written.
  let inPart = false
  let masked = 0
  const write = async (erase: Erase, { kind, byValues }: RowGroup) => {
    using _permit = await permit(context.lease.signal)
    inPart ||= !transactions
    const touched = (rows: number) => {
      if (kind === 'mask' && !byValues) masked += rows
    }
    await connection.erase?.(erase, { fence: context.fence, touched })
    inPart = true
  }
  const left = ({ failure, alsoStale }: MovedRows): WrittenBatch => ({
    masked,
    left: { moved: { failure: failure(inPart), alsoStale }, inPart },
  })
  let seen = await recheck(0)
  for (let at = 0, reads = 1; at < groups.length; ) {
    if (seen.moved) return left(seen.moved)
    const held = await heldPointers(context, collection, groups[at] as RowGroup, groups, seen.most)
    const pointers = held.most.length > 0 && { pointers: held.most }
    const unchanged = seen.unchanged.length > 0 && { unchanged: seen.unchanged }
    try {
      await write({ ...(erases[at] as Erase), ...pointers, ...unchanged }, groups[at] as RowGroup)
      at++
    } catch (error) {
      const group = groups[at] as RowGroup
      if (isTooLarge(error, group)) {
        const halves = halvesOf(group)
        groups.splice(at, 1, ...halves)
        erases.splice(at, 1, ...halves.map((half) => eraseOf(collection, half)))
        continue
      }
      const since = pointersSince(error, collection, held)
      if (since) return left(since)
      if (!isPrivacyError(error, 'connection_failed') || error.details.reason !== 'changed_since') {
        // Without a transaction, rows that were deleted before it failed must be counted before they are found anew.
        if (transactions || !mayBeOutdated(error, collection)) throw error
        return { masked, left: { moved: { failure: PrivacyError.from(error), alsoStale: [] }, inPart } }
      }
      // The changed rows may still name the same owner.
      if (reads++ === maxReads) return left(changedOwners(collection, seen.owners))
      seen = await recheck(at)
    }
  }
  return { masked }
}

/** Whether rows that were found long ago may explain a failure, such as a new row of the subject that points to a deleted one. */
export function mayBeOutdated(error: unknown, { erasure }: CollectionToErase): boolean {
  const { reason } = PrivacyError.from(error).details as { readonly reason?: string }
  return reason === 'ambiguous_rows' || (reason === 'refused' && erasure.how === 'delete')
}
