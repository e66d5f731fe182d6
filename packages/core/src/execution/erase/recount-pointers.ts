import type { Row } from '../../ports/connector.js'
import type { IncomingReference, PlannedCollection } from '../../rules/plan/plan.js'
import { columnOf } from '../../rules/plan/spelled-column.js'
import type { Key } from '../find/key-of.js'
import { isAskable } from './asked-keys.js'
import type { MovedRows } from './changed-owners.js'
import type { PointersBefore, PointersOfReference } from './checked-collection.js'
import type { CheckingContext, CollectionToErase, FoundContext } from './erasure-context.js'
import type { HeldOwners } from './held-owners.js'
import { type MostRows, sharedSince } from './held-pointers.js'
import { identityColumns, leftNamesOf, nameOf, namesOf, referencingRows } from './names-of.js'
import {
  anyReferencing,
  isReferencedByNone,
  positionsReader,
  type ReferencedKeys,
  referencedKeys,
} from './referencing-rows.js'
import type { RowGroup } from './row-groups.js'

/**
 * Counts again, right before a write, the rows that refer to rows which were the subject's alone. Resolves to the number of
 * rows that may refer to them during the write, or to a failure if other people's rows do now. Call it before owners are
 * read again: that read finds new rows of other people by references that the plan follows.
 */
export async function recountPointers(
  context: CheckingContext,
  collection: CollectionToErase,
  groups: readonly RowGroup[],
  pointers: PointersBefore,
  held: HeldOwners,
): Promise<{ readonly most: MostRows; readonly moved?: MovedRows }> {
  const rows = groups.flatMap((group) => group.mayBeShared)
  const most = new Map<IncomingReference, (key: Key) => number>()
  for (const [reference, before] of pointers) {
    const isNear = isCountedAsWritten(collection, reference)
    if (isNear) most.set(reference, before.rows)
    const { found, add } = referencedKeys(collection, reference)
    for (const foundRow of rows) add(foundRow)
    if (isReferencedByNone(found)) continue
    const from = rereadableCollection(context, collection, reference)
    const allowed = (at: number) => before.rows(found.keys.at(at))
    const { size } = found.keys
    if (from && Array.from({ length: size }, (_, at) => allowed(at)).some((count) => count > 0)) {
      const now = await namedPointers(context, from, collection, reference, found, before, isNear ? held : undefined)
      if (now.others > 0) return { most, moved: sharedSince(collection, reference, now.others) }
      most.set(reference, (key) => now.rows[found.keys.find(key)] ?? 0)
    } else if (!isNear || isTakenAway(context, reference)) {
      const now = await anyReferencing(context, reference, found)
      const more = now.reduce((sum, count, at) => sum + Math.max(0, count - allowed(at)), 0)
      // New rows of other people must not replace rows that the request itself has deleted.
      if (isNear) most.set(reference, (key) => Math.min(before.rows(key), now[found.keys.find(key)] ?? 0))
      else if (more > 0) return { most, moved: sharedSince(collection, reference, more) }
    }
  }
  return { most }
}

/** Whether the transaction that writes rows of a collection can count the referring rows. */
function isCountedAsWritten(
  { connectionKey }: CollectionToErase,
  reference: Pick<IncomingReference, 'connectionKey'>,
): boolean {
  return reference.connectionKey === connectionKey
}

/** Whether the request may delete referring rows, or clear their reference, before it writes the rows they refer to. */
function isTakenAway({ byAddress }: FoundContext, { address = '', fields }: IncomingReference): boolean {
  const { erasure } = byAddress.get(address) ?? {}
  return erasure?.how === 'delete' || isMasked(erasure, fields.map(columnOf))
}

function isMasked(erasure: PlannedCollection['erasure'], columns: readonly string[]): boolean {
  return erasure?.masks.some(({ path: [column = ''] }) => columns.includes(column)) === true
}

/**
 * The referring collection, if the names of its rows show whether they are the subject's. Other people's rows may have
 * replaced the subject's. Rows of a reference that the plan follows are left out, because owners are read again anyway.
 */
function rereadableCollection(
  { byAddress }: FoundContext,
  collection: CollectionToErase,
  { address = '', fields, to }: IncomingReference,
): PlannedCollection | undefined {
  if (!isAskable(fields, to)) return undefined
  const from = byAddress.get(address)
  // A row whose reference was cleared is not read, so only the other naming columns must stay unmasked.
  const referencing = fields.map(columnOf)
  const naming = from && namesOf(from, fields).filter((column) => !referencing.includes(column))
  if (!from || isMasked(from.erasure, naming ?? [])) return undefined
  const names = fields.map(({ name }) => name).join('\n')
  const isFollowed = from.links.some(
    (link) => link.to === collection.address && link.fields.map(({ name }) => name).join('\n') === names,
  )
  // Owners are not read again on circles.
  return isFollowed && from !== collection ? undefined : from
}

/** Counts the rows that refer to each key and are the subject's or left by an earlier erasure, and all other rows. */
async function namedPointers(
  context: CheckingContext,
  from: PlannedCollection,
  into: PlannedCollection,
  reference: IncomingReference,
  { keys }: ReferencedKeys,
  before: PointersOfReference,
  held: HeldOwners | undefined,
): Promise<{ readonly rows: Float64Array; readonly others: number }> {
  const own = await before.names()
  const names = namesOf(from, reference.fields)
  const count = new Float64Array(keys.size)
  let others = 0
  let hold: ((row: Row) => void) | undefined
  const more = (await context.pointers.any(from)) ? leftNamesOf(from, reference.fields) : []
  // For a row that an earlier erasure has left, a new identity shows a new owner. Other values are compared once.
  const lockedColumns = [...names, ...[...reference.fields, ...reference.when].map(columnOf), ...identityColumns(from)]
  for await (const { rows, columns } of referencingRows(context, from, reference, keys, more)) {
    const positionsOf = positionsReader({ ...from, columns }, reference, keys)
    hold ??= held?.rows(
      from,
      columns,
      columns.filter((column) => lockedColumns.includes(column)),
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
