import { isPrivacyError } from '../../errors.js'
import type { Erase } from '../../ports/connector.js'
import type { OpenConnection } from '../connect/open-connections.js'
import { changedOwners, type MovedRows, movedOwners } from './changed-owners.js'
import type { PointersBefore } from './checked-collection.js'
import type { CollectionToErase, ErasureContext } from './erasure-context.js'
import { heldOwners } from './held-owners.js'
import { heldPointers, pointersSince } from './held-pointers.js'
import { pointersAgain } from './pointers-again.js'
import type { RowGroup } from './row-groups.js'

/** Rows that were left since they may have become somebody else's; `inPart`: others of the batch had been written by then. */
interface LeftBatch {
  readonly moved: MovedRows
  readonly inPart: boolean
}

/** How often owners are read again that change all the time. */
const mostLooks = 5

/**
 * Writes the rows of a batch, statement by statement, as long as they are the person's alone: what says so is read again
 * right before, and may not change until they are written.
 */
export async function writeBatch(
  context: ErasureContext,
  collection: CollectionToErase,
  pointersBefore: PointersBefore,
  { connection, connector, permit }: OpenConnection,
  groups: readonly RowGroup[],
  erases: readonly Erase[],
): Promise<LeftBatch | undefined> {
  const look = async (from: number) => {
    const rest = groups.slice(from)
    const owners = heldOwners(collection)
    const { most, moved: shared } = await pointersAgain(context, collection, rest, pointersBefore, owners)
    const moved = shared ?? (await movedOwners(context, collection, rest[0]?.found ?? [], owners))
    return { most, moved, owners: owners.addresses(), unchanged: owners.list(connector.capabilities.maxKeys) }
  }
  const write = async (erase: Erase) => {
    using _permit = await permit(context.lease.signal)
    await connection.erase?.(erase)
  }
  let seen = await look(0)
  for (let at = 0, looks = 1; at < groups.length; ) {
    if (seen.moved) return { moved: seen.moved, inPart: at > 0 }
    const held = await heldPointers(context, collection, groups[at] as RowGroup, groups, seen.most)
    const referencing = held.most.length > 0 && { pointers: held.most }
    const resting = seen.unchanged.length > 0 && { unchanged: seen.unchanged }
    try {
      await write({ ...(erases[at] as Erase), ...referencing, ...resting })
      at++
    } catch (error) {
      const since = pointersSince(error, collection, held)
      if (since) return { moved: since, inPart: at > 0 }
      if (!isPrivacyError(error, 'connection_failed') || error.details.reason !== 'changed_since') throw error
      // What has changed may say the same as before.
      if (looks++ === mostLooks) return { moved: changedOwners(collection, seen.owners), inPart: at > 0 }
      seen = await look(at)
    }
  }
  return undefined
}
