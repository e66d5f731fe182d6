import { isPrivacyError, PrivacyError } from '../../errors.js'
import type { MostPointers } from '../../ports/connector.js'
import { countedRows } from '../../rules/counted-rows.js'
import type { PointingReference } from '../../rules/plan.js'
import { columnOf } from '../../rules/spelled-columns.js'
import type { PointersBefore } from './checked-collection.js'
import type { ErasedCollection, ErasureContext } from './erased-collection.js'
import type { MovedRows } from './owners-again.js'
import { isPointedToByNone, pointedTo, pointingAtAll, pointingCounts, pointingName } from './pointing-rows.js'
import type { RowGroup } from './row-groups.js'

/** What the transaction that writes rows counts first, and the reference of each count, by its position. */
export interface HeldPointers {
  readonly most: readonly MostPointers[]
  readonly references: readonly PointingReference[]
}

/** Whether the transaction that writes rows of a collection can count who points to them. */
export function isCountedAsWritten(
  { connectionKey }: ErasedCollection,
  reference: Pick<PointingReference, 'connectionKey'>,
): boolean {
  return reference.connectionKey === connectionKey
}

/**
 * How many rows may point to those of a batch: as many as when it was found whose these are, or fewer where the request takes
 * its own away, so that somebody else's do not make up for them. To be counted before owners are read again: those of others
 * that have come by then are found there.
 */
export async function pointersNow(
  context: ErasureContext,
  collection: ErasedCollection,
  groups: readonly RowGroup[],
  pointers: PointersBefore,
): Promise<PointersBefore> {
  const rows = groups.flatMap((group) => group.pointedTo)
  const fewer = new Map(pointers)
  if (rows.length === 0) return fewer
  for (const [reference, before] of pointers) {
    if (!isCountedAsWritten(collection, reference) || !isTakenAway(context, reference)) continue
    const { found, add } = pointedTo(collection, reference)
    for (const kept of rows) add(kept)
    if (isPointedToByNone(found)) continue
    const now = await pointingAtAll(context, reference, found)
    fewer.set(reference, (key) => Math.min(before(key), now[found.keys.find(key)] ?? 0))
  }
  return fewer
}

/** Whether rows of the request that point there may go, or point nowhere any more, before what they point to is written. */
function isTakenAway({ byAddress }: ErasureContext, { address = '', fields }: PointingReference): boolean {
  const { erasure } = byAddress.get(address) ?? {}
  const columns = fields.map(columnOf)
  return (
    erasure?.how === 'delete' || erasure?.masks.some(({ path: [column = ''] }) => columns.includes(column)) === true
  )
}

/** How many rows may point to those of a group that were the person's alone. */
export async function heldPointers(
  context: ErasureContext,
  collection: ErasedCollection,
  group: RowGroup,
  pointers: PointersBefore,
): Promise<HeldPointers> {
  const most: MostPointers[] = []
  const references: PointingReference[] = []
  if (group.pointedTo.length === 0) return { most, references }
  for (const [reference, before] of pointers) {
    if (!isCountedAsWritten(collection, reference)) continue
    const { found, add } = pointedTo(collection, reference)
    for (const kept of group.pointedTo) add(kept)
    if (isPointedToByNone(found)) continue
    const { counts } = await pointingCounts(context, reference, found)
    let at = 0
    for (const count of counts) {
      const tuples = count.group.values[0]?.length ?? 0
      most.push({ count, most: Array.from({ length: tuples }, () => before(found.keys.at(at++))) })
      references.push(reference)
    }
  }
  return { most, references }
}

/** What a connector says that counted more rows than may point to those of a batch. */
export function pointersSince(
  error: unknown,
  collection: ErasedCollection,
  { references }: HeldPointers,
): MovedRows | undefined {
  if (!isPrivacyError(error, 'connection_failed') || error.details.reason !== 'shared_since') return undefined
  const { position = -1, rows = 1 } = error.details
  const reference = references[position]
  return reference && sharedSince(collection, reference, rows)
}

/** That rows may have become somebody else's, since others point to them. */
export function sharedSince({ address }: ErasedCollection, reference: PointingReference, rows: number): MovedRows {
  const message = `${countedRows(rows)} of '${pointingName(reference)}' ${rows === 1 ? 'has' : 'have'} come to point to rows of '${address}', which may be somebody else's as well now: these rows were left. Retry finds anew whose they are.`
  const failure = new PrivacyError('connection_failed', message, { reason: 'shared_since' })
  return { failure, anew: reference.address === undefined ? [] : [reference.address] }
}
