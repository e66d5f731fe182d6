import type { Row } from '../../ports/connector.js'
import type { IncomingReference, PlannedCollection } from '../../rules/plan/plan.js'
import { columnOf } from '../../rules/plan/spelled-column.js'
import type { Key } from '../find/key-of.js'
import { isAskable } from './asked-keys.js'
import type { MovedRows } from './changed-owners.js'
import type { PointedBefore, PointersBefore } from './checked-collection.js'
import type { CollectionToErase, ErasureContext } from './erasure-context.js'
import type { HeldOwners } from './held-owners.js'
import { type MostRows, sharedSince } from './held-pointers.js'
import { identityColumns, leftNamesOf, nameOf, namesOf, referencingRows } from './names-of.js'
import { anyReferencing, isPointedToByNone, type PointedTo, pointedTo, positionsReader } from './referencing-rows.js'
import type { RowGroup } from './row-groups.js'

/**
 * Looks again, right before rows are written, who points to those that were the person's alone: how many rows may point
 * there while they are written, or that others do by now. To be asked before owners are read again: over references that are
 * followed, those of others that have come by then are found there.
 */
export async function pointersAgain(
  context: ErasureContext,
  collection: CollectionToErase,
  groups: readonly RowGroup[],
  pointers: PointersBefore,
  held: HeldOwners,
): Promise<{ readonly most: MostRows; readonly moved?: MovedRows }> {
  const rows = groups.flatMap((group) => group.pointedTo)
  const most = new Map<IncomingReference, (key: Key) => number>()
  for (const [reference, before] of pointers) {
    const isNear = isCountedAsWritten(collection, reference)
    if (isNear) most.set(reference, before.rows)
    const { found, add } = pointedTo(collection, reference)
    for (const foundRow of rows) add(foundRow)
    if (isPointedToByNone(found)) continue
    const from = readAgain(context, collection, reference)
    const allowed = (at: number) => before.rows(found.keys.at(at))
    const { size } = found.keys
    if (from && Array.from({ length: size }, (_, at) => allowed(at)).some((count) => count > 0)) {
      const now = await namedPointers(context, from, collection, reference, found, before, isNear ? held : undefined)
      if (now.others > 0) return { most, moved: sharedSince(collection, reference, now.others) }
      most.set(reference, (key) => now.rows[found.keys.find(key)] ?? 0)
    } else if (!isNear || isTakenAway(context, reference)) {
      const now = await anyReferencing(context, reference, found)
      const more = now.reduce((sum, count, at) => sum + Math.max(0, count - allowed(at)), 0)
      // So that somebody else's do not make up for what the request has taken away itself.
      if (isNear) most.set(reference, (key) => Math.min(before.rows(key), now[found.keys.find(key)] ?? 0))
      else if (more > 0) return { most, moved: sharedSince(collection, reference, more) }
    }
  }
  return { most }
}

/** Whether the transaction that writes rows of a collection can count who points to them. */
function isCountedAsWritten(
  { connectionKey }: CollectionToErase,
  reference: Pick<IncomingReference, 'connectionKey'>,
): boolean {
  return reference.connectionKey === connectionKey
}

/** Whether rows of the request that point there may go, or point nowhere any more, before what they point to is written. */
function isTakenAway({ byAddress }: ErasureContext, { address = '', fields }: IncomingReference): boolean {
  const { erasure } = byAddress.get(address) ?? {}
  return erasure?.how === 'delete' || isMasked(erasure, fields.map(columnOf))
}

function isMasked(erasure: PlannedCollection['erasure'], columns: readonly string[]): boolean {
  return erasure?.masks.some(({ path: [column = ''] }) => columns.includes(column)) === true
}

/**
 * The collection whose rows point, where what names these tells whose they are: others may have taken the place of the
 * person's. Owners are read again over what is followed.
 */
function readAgain(
  { byAddress }: ErasureContext,
  collection: CollectionToErase,
  { address = '', fields, to }: IncomingReference,
): PlannedCollection | undefined {
  if (!isAskable(fields, to)) return undefined
  const from = byAddress.get(address)
  // What points nowhere any more is not read, so that only other columns may tell a written row from what it was.
  const referencing = fields.map(columnOf)
  const telling = from && namesOf(from, fields).filter((column) => !referencing.includes(column))
  if (!from || isMasked(from.erasure, telling ?? [])) return undefined
  const names = fields.map(({ name }) => name).join('\n')
  const isFollowed = from.links.some(
    (link) => link.to === collection.address && link.fields.map(({ name }) => name).join('\n') === names,
  )
  // Owners are not read again on circles.
  return isFollowed && from !== collection ? undefined : from
}

/** How many rows point to each key that are the person's, or were left by somebody who was erased, and how many others do. */
async function namedPointers(
  context: ErasureContext,
  from: PlannedCollection,
  into: PlannedCollection,
  reference: IncomingReference,
  { keys }: PointedTo,
  before: PointedBefore,
  held: HeldOwners | undefined,
): Promise<{ readonly rows: Float64Array; readonly others: number }> {
  const own = await before.names()
  const names = namesOf(from, reference.fields)
  const count = new Float64Array(keys.size)
  let others = 0
  let hold: ((row: Row) => void) | undefined
  const more = (await context.pointers.any(from)) ? leftNamesOf(from, reference.fields) : []
  // Of what was left an identity tells that it is somebody's again; other values are compared once.
  const telling = [...names, ...[...reference.fields, ...reference.when].map(columnOf), ...identityColumns(from)]
  for await (const { rows, columns } of referencingRows(context, from, reference, keys, more)) {
    const positionsOf = positionsReader({ ...from, columns }, reference, keys)
    hold ??= held?.rows(
      from,
      columns,
      columns.filter((column) => telling.includes(column)),
    )
    const foreign = rows.filter((row) => !own.has(nameOf(names, row, columns)))
    const left = await context.pointers.of(from, reference.fields, into, columns).among(foreign)
    const strangers = new Set(foreign.filter((row) => !left.has(row)))
    others += strangers.size
    for (const row of rows) {
      if (strangers.has(row)) continue
      hold?.(row)
      for (const at of positionsOf(row)) count[at] = (count[at] as number) + 1
    }
  }
  return { rows: count, others }
}
