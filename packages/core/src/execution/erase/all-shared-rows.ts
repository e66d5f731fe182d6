import { isPrivacyError } from '../../errors.js'
import type { IncomingReference } from '../../rules/plan/plan.js'
import { countedRows } from '../../rules/value/counted-rows.js'
import type { FoundRow } from '../find/found-rows.js'
import type { PointedBefore, PointersBefore } from './checked-collection.js'
import { dependentRows } from './dependent-rows.js'
import { countLeft, stillReferencing } from './erased-pointers.js'
import { type ErasureContext, foundRowsOf } from './erasure-context.js'
import { nameOf, namesOf } from './names-of.js'
import {
  anyReferencing,
  isPointedToByNone,
  type PointedTo,
  placesOf,
  pointedTo,
  positionsReader,
  referencingInside,
  referencingName,
} from './referencing-rows.js'
import { noteKey, type SharedNotes } from './shared-notes.js'
import { type SharedRows, type SharingCollection, sharingCollections } from './sharing-collection.js'

/** Why rows stay that others may share, as far as it is known so far. */
type Shared = Map<string, ReadonlyMap<number, string>>

/** By collection, places of rows that stay for so few others that one of these may be erased at the same time. */
export type FewOthers = ReadonlyMap<string, ReadonlySet<number>>

/** A household, or a small firm; whoever shares a row with more keeps nobody waiting. */
const mostFew = 20

/**
 * The rows to which rows of the person point, and rows outside the request as well, or that were found through such a
 * row, with the reason to keep them. A row that stays is outside as well; whoever cannot be asked for good is taken for
 * somebody who points.
 */
export async function allSharedRows(
  context: ErasureContext,
  notes: ((collection: SharingCollection) => Promise<SharedNotes>) | undefined,
): Promise<{
  readonly shared: SharedRows
  readonly pointers: ReadonlyMap<string, PointersBefore>
  readonly few: FewOthers
}> {
  const shared: Shared = new Map()
  const few = new Map<string, Set<number>>()
  const collections = sharingCollections(context)
  const pointers = new Map<string, Pointers[]>()
  for (const sharing of collections) {
    const { address } = sharing.collection
    pointers.set(address, await pointersTo(context, sharing))
    shared.set(address, await foundShared(context, address))
  }
  // Rows are found to stay because of others that do, until no more are: these only become more.
  for (let grew = true; grew; ) {
    grew = false
    for (const sharing of collections) {
      const { address } = sharing.collection
      const before = shared.get(address) ?? new Map<number, string>()
      const dependents = await dependentRows(context, sharing.collection, shared)
      const pointedTo = await sharedRows(context, pointers.get(address) ?? [], shared)
      few.set(address, pointedTo.few)
      // The first reason is the cause: what stays because of a row may point back to it.
      const known = new Map([...pointedTo.reasons, ...dependents, ...before])
      shared.set(address, notes ? await noted(context, sharing, known, await notes(sharing)) : known)
      if (known.size > 0 && shared.get(address)?.size !== before.size) grew = true
    }
  }
  return {
    shared,
    few,
    pointers: new Map([...pointers].map(([address, all]) => [address, pointersBefore(context, all)])),
  }
}

function pointersBefore(context: ErasureContext, pointers: readonly Pointers[]): PointersBefore {
  return new Map(
    pointers.flatMap(({ reference, found, all }) => {
      let names: Promise<ReadonlySet<string>> | undefined
      const before: PointedBefore = {
        rows: (key) => all?.[found.keys.find(key)] ?? 0,
        names: () => (names ??= namesReferencing(context, reference, found)),
      }
      return all ? [[reference, before] as const] : []
    }),
  )
}

/** What names the rows of the request that point to what was found. */
async function namesReferencing(
  context: ErasureContext,
  reference: IncomingReference,
  { keys }: PointedTo,
): Promise<ReadonlySet<string>> {
  const names = new Set<string>()
  const from = context.byAddress.get(reference.address ?? '')
  if (!from) return names
  const columns = namesOf(from, reference.fields)
  const positionsOf = positionsReader(from, reference, keys)
  for await (const rows of foundRowsOf(context, from.address)) {
    for (const { row } of rows) if (positionsOf(row).size > 0) names.add(nameOf(columns, row, from.columns))
  }
  return names
}

/** Rows that belong to others as well by what they say themselves. */
async function foundShared(context: ErasureContext, address: string): Promise<ReadonlyMap<number, string>> {
  const reasons = new Map<number, string>()
  if (!context.outcomes.get(address)?.counts.shared) return reasons
  for await (const rows of foundRowsOf(context, address)) {
    for (const { place, reason } of rows) if (reason !== undefined) reasons.set(place, reason)
  }
  return reasons
}

/** Once something was written, what was known before counts; a row that nobody looked at then stays if it may be shared. */
async function noted(
  context: ErasureContext,
  { collection, pointedToBy }: SharingCollection,
  known: ReadonlyMap<number, string>,
  notes: SharedNotes,
): Promise<ReadonlyMap<number, string>> {
  if (pointedToBy.length === 0) return known
  const all = new Map<number, string>()
  for await (const rows of foundRowsOf(context, collection.address)) {
    for (const { place, own, row, reason: stored } of rows) {
      if (own) continue
      if (stored !== undefined) {
        all.set(place, stored)
        continue
      }
      const reason = notes.reason(noteKey(collection, row))
      // What was the person's alone is counted again: as long as it is not written, its pointers are not either.
      if (reason === null) {
        const now = known.get(place)
        if (now !== undefined) all.set(place, now)
        continue
      }
      all.set(
        place,
        reason ?? known.get(place) ?? 'found since the erasure began: whom it is shared with cannot be told any more',
      )
    }
  }
  return all
}

interface Pointers {
  readonly reference: IncomingReference
  readonly found: PointedTo
  /** For each key, how many rows point to it at all; undefined where that cannot be known. */
  readonly all: Float64Array | undefined
  /** How many of them are rows of people who were erased. */
  readonly left?: Float64Array | undefined
  /** Where rows of the request that point there may have been deleted: which are still there. */
  readonly isThere?: ((foundRow: FoundRow) => boolean) | undefined
}

async function pointersTo(
  context: ErasureContext,
  { collection, pointedToBy }: SharingCollection,
): Promise<Pointers[]> {
  const pointers: Pointers[] = []
  for (const reference of pointedToBy) {
    const { found, add } = pointedTo(collection, reference)
    for await (const rows of foundRowsOf(context, collection.address)) {
      for (const foundRow of rows) if (!foundRow.own && foundRow.reason === undefined) add(foundRow)
    }
    if (isPointedToByNone(found)) continue
    const all = await anyReferencing(context, reference, found).catch((error: unknown) => {
      if (isPrivacyError(error, 'unsupported')) return undefined
      throw error
    })
    const left = all && (await countLeft(context, collection, reference, found))
    pointers.push({ reference, found, all, left, isThere: all && (await stillReferencing(context, reference, found)) })
  }
  return pointers
}

async function sharedRows(
  context: ErasureContext,
  pointers: readonly Pointers[],
  shared: Shared,
): Promise<{ readonly reasons: ReadonlyMap<number, string>; readonly few: Set<number> }> {
  const outside = new Map<number, Map<string, number>>()
  const unknown = new Map<number, string>()
  for (const { reference, found, all, left, isThere } of pointers) {
    const name = referencingName(reference)
    if (!all) {
      for (const at of found.places.keys()) for (const row of placesOf(found, at)) unknown.set(row, name)
      for (const row of found.unheld) unknown.set(row, name)
      continue
    }
    const isOurs = isErased(context, reference.address, shared)
    const counts = isThere ? (foundRow: FoundRow) => isThere(foundRow) && isOurs(foundRow) : isOurs
    const inside = await referencingInside(context, reference, found, counts)
    for (const at of found.places.keys()) {
      const others = (all[at] as number) - (inside[at] as number) - (left?.[at] ?? 0)
      if (others <= 0) continue
      for (const row of placesOf(found, at)) {
        const byName = outside.get(row) ?? new Map<string, number>()
        outside.set(row, byName.set(name, (byName.get(name) ?? 0) + others))
      }
    }
  }
  const reasons = new Map<number, string>()
  const few = new Set<number>()
  for (const [row, name] of unknown)
    reasons.set(row, `shared, as far as can be told: rows of ${name} cannot be counted`)
  for (const [row, byName] of outside) {
    const stored = [...byName].map(([name, count]) => `${countedRows(count)} of ${name}`)
    reasons.set(row, `shared with ${stored.join(' and ')}`)
    if ([...byName.values()].reduce((sum, count) => sum + count, 0) <= mostFew) few.add(row)
  }
  return { reasons, few }
}

/** The rows of the request that point somewhere and do not stay there for others themselves. */
function isErased(
  { byAddress }: ErasureContext,
  from: string | undefined,
  shared: Shared,
): (foundRow: FoundRow) => boolean {
  // Of a collection that is not erased, such rows stay, whether or not they are others' as well.
  const staying = from === undefined || !byAddress.get(from)?.erasure ? undefined : shared.get(from)
  return ({ own, place }) => own || (staying !== undefined && !staying.has(place))
}
