import type { PointersBefore } from './checked-collection.js'
import type { ErasedCollection, ErasureContext } from './erased-collection.js'
import type { HeldOwners } from './held-owners.js'
import { isCountedAsWritten, sharedSince } from './most-pointers.js'
import { type MovedRows, movedOwners } from './owners-again.js'
import { isPointedToByNone, pointedTo, pointingAtAll } from './pointing-rows.js'
import type { RowGroup } from './row-groups.js'

/**
 * Looks, right before rows are written, whether they have become somebody else's: by the row that says whose they are, or
 * because others on another connection point to them now. Then nothing of the batch is written. What lies on their own
 * connection is held, and counted, as they are written: `owners` is given what says whose they are.
 */
export async function movedRows(
  context: ErasureContext,
  collection: ErasedCollection,
  groups: readonly RowGroup[],
  pointers: PointersBefore,
  owners: HeldOwners,
): Promise<MovedRows | undefined> {
  const [first] = groups
  if (!first) return undefined
  return (
    (await movedOwners(context, collection, first.found, owners)) ??
    (await newPointers(context, collection, groups, pointers))
  )
}

/** Counts again who points to rows that were the person's alone, where the transaction that writes them cannot. */
async function newPointers(
  context: ErasureContext,
  collection: ErasedCollection,
  groups: readonly RowGroup[],
  pointers: PointersBefore,
): Promise<MovedRows | undefined> {
  const rows = groups.flatMap((group) => group.pointedTo)
  if (rows.length === 0) return undefined
  for (const [reference, before] of pointers) {
    if (isCountedAsWritten(collection, reference)) continue
    const { found, add } = pointedTo(collection, reference)
    for (const kept of rows) add(kept)
    if (isPointedToByNone(found)) continue
    const now = await pointingAtAll(context, reference, found)
    let more = 0
    for (const [at, count] of now.entries()) more += Math.max(0, count - before(found.keys.at(at)))
    if (more > 0) return sharedSince(collection, reference, more)
  }
  return undefined
}
