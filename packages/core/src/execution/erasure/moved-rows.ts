import { PrivacyError } from '../../errors.js'
import { countedRows } from '../../rules/counted-rows.js'
import type { PointersBefore } from './checked-collection.js'
import type { ErasedCollection, ErasureContext } from './erased-collection.js'
import { type MovedRows, movedOwners } from './owners-again.js'
import { isPointedToByNone, pointedTo, pointingAtAll, pointingName } from './pointing-rows.js'
import type { RowGroup } from './row-groups.js'

/**
 * Looks, right before rows are written, whether they have become somebody else's: by the row that says whose they are, or
 * because others point to them now. Then nothing of the batch is written.
 */
export async function movedRows(
  context: ErasureContext,
  collection: ErasedCollection,
  groups: readonly RowGroup[],
  pointers: PointersBefore,
): Promise<MovedRows | undefined> {
  const [first] = groups
  if (!first) return undefined
  return (
    (await movedOwners(context, collection, first.found)) ?? (await newPointers(context, collection, groups, pointers))
  )
}

/** Counts again who points to rows that were the person's alone. */
async function newPointers(
  context: ErasureContext,
  collection: ErasedCollection,
  groups: readonly RowGroup[],
  pointers: PointersBefore,
): Promise<MovedRows | undefined> {
  const rows = groups.flatMap((group) => group.pointedTo)
  if (rows.length === 0) return undefined
  for (const [reference, before] of pointers) {
    const { found, add } = pointedTo(collection, reference)
    for (const kept of rows) add(kept)
    if (isPointedToByNone(found)) continue
    const now = await pointingAtAll(context, reference, found)
    let more = 0
    for (const [at, count] of now.entries()) more += Math.max(0, count - before(found.keys.at(at)))
    if (more === 0) continue
    const message = `${countedRows(more)} of '${pointingName(reference)}' ${more === 1 ? 'has' : 'have'} come to point to rows of '${collection.address}', which may be somebody else's as well now: these rows were left. Retry finds anew whose they are.`
    const failure = new PrivacyError('connection_failed', message, { reason: 'shared_since' })
    return { failure, anew: reference.address === undefined ? [] : [reference.address] }
  }
  return undefined
}
