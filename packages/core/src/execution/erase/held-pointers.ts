import { isPrivacyError, PrivacyError } from '../../errors.js'
import type { MostPointers } from '../../ports/connector.js'
import type { IncomingReference } from '../../rules/plan/plan.js'
import { countedRows } from '../../rules/value/counted-rows.js'
import type { FoundRow } from '../find/found-rows.js'
import type { Key } from '../find/key-of.js'
import { type MovedRows, thenLeft } from './changed-owners.js'
import { byMasking } from './checked-collection.js'
import type { CheckingContext, CollectionToErase } from './erasure-context.js'
import {
  isReferencedByNone,
  positionsReader,
  type ReferencedKeys,
  referencedKeys,
  referencingCounts,
  referencingName,
} from './referencing-rows.js'
import { cascadingReferences, type RowGroup } from './row-groups.js'

/** How many rows may refer to a key, by reference. The transaction that writes the rows counts them. */
export type MostRows = ReadonlyMap<IncomingReference, (key: Key) => number>

/** The counts that the writing transaction makes first, and the reference of each count, by position. */
export interface HeldPointers {
  readonly most: readonly MostPointers[]
  readonly counted: readonly CountedReference[]
}

/** `cascades`: the foreign key would delete or change the referring rows. */
interface CountedReference {
  readonly reference: IncomingReference
  readonly cascades: boolean
}

/**
 * The number of rows that may refer to the rows of a group. A row that was the subject's alone may have as many as before.
 * By a foreign key that cascades, only rows of this batch may refer to a deleted row, because the request has deleted
 * its rows in other collections already.
 */
export async function heldPointers(
  context: CheckingContext,
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
    mostAt: (found: ReferencedKeys) => (at: number) => number,
  ) => {
    const { reference } = each
    const { found, add } = referencedKeys(collection, reference)
    for (const foundRow of rows) add(foundRow)
    if (isReferencedByNone(found)) return
    const { counts, positionsOf } = await referencingCounts(context, reference, found)
    const mostOf = mostAt(found)
    let asked = 0
    for (const count of counts) {
      const tuples = count.group.values[0]?.length ?? 0
      most.push({ count, most: Array.from({ length: tuples }, () => Math.max(0, ...positionsOf(asked++).map(mostOf))) })
      counted.push(each)
    }
  }
  if (group.mayBeShared.length > 0) {
    for (const [reference, most] of pointers) {
      await hold(
        group.mayBeShared,
        { reference, cascades: false },
        ({ keys }) =>
          (at) =>
            most(keys.at(at)),
      )
    }
  }
  if (group.deleted.length > 0) {
    const allDeleted = batch.flatMap(({ deleted }) => deleted)
    for (const reference of cascadingReferences(collection)) {
      await hold(group.deleted, { reference, cascades: true }, (found) =>
        pointersAmong(allDeleted, collection, reference, found),
      )
    }
  }
  return { most, counted }
}

/** How many of these rows refer to each key of their own collection. */
function pointersAmong(
  rows: readonly FoundRow[],
  collection: CollectionToErase,
  reference: IncomingReference,
  { keys }: ReferencedKeys,
): (at: number) => number {
  const count = new Map<number, number>()
  if (reference.address === collection.address) {
    const positionsOf = positionsReader(collection, reference, keys)
    for (const { row } of rows) for (const at of positionsOf(row)) count.set(at, (count.get(at) ?? 0) + 1)
  }
  return (at) => count.get(at) ?? 0
}

/** Turns the error of a connector that counted too many referring rows into a failure. Undefined for other errors. */
export function pointersSince(
  error: unknown,
  collection: CollectionToErase,
  { counted }: HeldPointers,
): MovedRows | undefined {
  if (!isPrivacyError(error, 'connection_failed') || error.details.reason !== 'shared_since') return undefined
  const { position = -1, rows = 1 } = error.details
  const { reference, cascades } = counted[position] ?? {}
  if (!reference) return undefined
  return cascades ? cascadedSince(collection, reference, rows) : sharedSince(collection, reference, rows)
}

/** The failure when rows may belong to another person as well, because more rows refer to them now. */
export function sharedSince({ address }: CollectionToErase, reference: IncomingReference, rows: number): MovedRows {
  const failure: MovedRows['failure'] = (mayBeWritten) => {
    const message = `${countedRows(rows)} of '${referencingName(reference)}' ${rows === 1 ? 'now refers' : 'now refer'} to rows of '${address}', so these may belong to somebody else as well${thenLeft(mayBeWritten)}`
    return new PrivacyError('connection_failed', message, { reason: 'shared_since' })
  }
  return { failure, alsoStale: reference.address === undefined ? [] : [reference.address] }
}

/** The failure when a foreign key would delete or change new rows as well. */
function cascadedSince({ address }: CollectionToErase, reference: IncomingReference, rows: number): MovedRows {
  const message = `${countedRows(rows)} of '${referencingName(reference)}' ${rows === 1 ? 'now refers' : 'now refer'} to rows of '${address}' that were to be deleted, and the deletion would reach ${rows === 1 ? 'it' : 'them'} as well (${reference.onDelete}): `
  const failure: MovedRows['failure'] = (mayBeWritten) => {
    const left = mayBeWritten ? 'some may have been deleted before that was seen' : 'nothing was deleted there'
    const way = `Have the referring rows deleted as well, or mask '${address}' instead ${byMasking}.`
    return new PrivacyError('unsupported', `${message}${left}. ${way}`, { reason: 'carried_rows' })
  }
  return { failure, alsoStale: [] }
}
