import { isPrivacyError, PrivacyError } from '../../errors.js'
import type { MostPointers } from '../../ports/connector.js'
import type { IncomingReference } from '../../rules/plan/plan.js'
import { countedRows } from '../../rules/value/counted-rows.js'
import type { FoundRow } from '../find/found-rows.js'
import type { Key } from '../find/key-of.js'
import type { MovedRows } from './changed-owners.js'
import { byMasking } from './checked-collection.js'
import type { CollectionToErase, ErasureContext } from './erasure-context.js'
import {
  isPointedToByNone,
  type PointedTo,
  pointedTo,
  positionsReader,
  referencingCounts,
  referencingName,
} from './referencing-rows.js'
import { cascadingReferences, type RowGroup } from './row-groups.js'

/** By reference, how many rows may point to a key, where the transaction that writes rows counts them. */
export type MostRows = ReadonlyMap<IncomingReference, (key: Key) => number>

/** What the transaction that writes rows counts first, and what each count is of, by its position. */
export interface HeldPointers {
  readonly most: readonly MostPointers[]
  readonly counted: readonly CountedReference[]
}

/** `carries`: a foreign key that would take the rows along that point there, or change them. */
interface CountedReference {
  readonly reference: IncomingReference
  readonly carries: boolean
}

/**
 * How many rows may point to those of a group: to those that were the person's alone, as many as then. Over a foreign key
 * that carries a deletion on, none but rows of the batch itself: by now all that this request deletes elsewhere has gone.
 */
export async function heldPointers(
  context: ErasureContext,
  collection: CollectionToErase,
  group: RowGroup,
  batch: readonly RowGroup[],
  pointers: MostRows,
): Promise<HeldPointers> {
  const most: MostPointers[] = []
  const counted: CountedReference[] = []
  const hold = async (
    rows: readonly FoundRow[],
    each: CountedReference,
    mostAt: (found: PointedTo) => (at: number) => number,
  ) => {
    const { reference } = each
    const { found, add } = pointedTo(collection, reference)
    for (const foundRow of rows) add(foundRow)
    if (isPointedToByNone(found)) return
    const { counts, positionsOf } = await referencingCounts(context, reference, found)
    const mostOf = mostAt(found)
    let asked = 0
    for (const count of counts) {
      const tuples = count.group.values[0]?.length ?? 0
      most.push({ count, most: Array.from({ length: tuples }, () => Math.max(0, ...positionsOf(asked++).map(mostOf))) })
      counted.push(each)
    }
  }
  if (group.pointedTo.length > 0) {
    for (const [reference, most] of pointers) {
      await hold(
        group.pointedTo,
        { reference, carries: false },
        ({ keys }) =>
          (at) =>
            most(keys.at(at)),
      )
    }
  }
  if (group.going.length > 0) {
    const goes = batch.flatMap(({ going }) => going)
    for (const reference of cascadingReferences(collection)) {
      await hold(group.going, { reference, carries: true }, (found) =>
        pointersAmong(goes, collection, reference, found),
      )
    }
  }
  return { most, counted }
}

/** How many of some rows of a collection point to each key of their own table. */
function pointersAmong(
  rows: readonly FoundRow[],
  collection: CollectionToErase,
  reference: IncomingReference,
  { keys }: PointedTo,
): (at: number) => number {
  const count = new Map<number, number>()
  if (reference.address === collection.address) {
    const positionsOf = positionsReader(collection, reference, keys)
    for (const { row } of rows) for (const at of positionsOf(row)) count.set(at, (count.get(at) ?? 0) + 1)
  }
  return (at) => count.get(at) ?? 0
}

/** What a connector says that counted more rows than may point to those of a batch. */
export function pointersSince(
  error: unknown,
  collection: CollectionToErase,
  { counted }: HeldPointers,
): MovedRows | undefined {
  if (!isPrivacyError(error, 'connection_failed') || error.details.reason !== 'shared_since') return undefined
  const { position = -1, rows = 1 } = error.details
  const { reference, carries } = counted[position] ?? {}
  if (!reference) return undefined
  return carries ? cascadedSince(collection, reference, rows) : sharedSince(collection, reference, rows)
}

/** That rows may have become somebody else's, since others point to them. */
export function sharedSince({ address }: CollectionToErase, reference: IncomingReference, rows: number): MovedRows {
  const message = `${countedRows(rows)} of '${referencingName(reference)}' ${rows === 1 ? 'has' : 'have'} come to point to rows of '${address}', which may be somebody else's as well now: these rows were left. Retry finds anew whose they are.`
  const failure = new PrivacyError('connection_failed', message, { reason: 'shared_since' })
  return { failure, anew: reference.address === undefined ? [] : [reference.address] }
}

/** That a foreign key would carry a deletion on to rows that came since. */
function cascadedSince({ address }: CollectionToErase, reference: IncomingReference, rows: number): MovedRows {
  const message = `${countedRows(rows)} of '${referencingName(reference)}' came to point to rows of '${address}' that were to go, and would be carried along (${reference.onDelete}): these rows were left. Have those rows deleted as well, or mask '${address}' instead ${byMasking}.`
  return { failure: new PrivacyError('unsupported', message, { reason: 'carried_rows' }), anew: [] }
}
