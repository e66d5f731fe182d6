import { isPrivacyError } from '../../errors.js'
import type { IncomingReference } from '../../rules/plan/plan.js'
import { countedRows } from '../../rules/value/counted-rows.js'
import type { FoundRow } from '../find/found-rows.js'
import type { PointersBefore, PointersOfReference } from './checked-collection.js'
import { dependentRows } from './dependent-rows.js'
import { countLeft, stillReferencing } from './erased-pointers.js'
import { type ErasureContext, type FoundContext, foundRowsOf } from './erasure-context.js'
import { nameOf, namesOf } from './names-of.js'
import {
  anyReferencing,
  isReferencedByNone,
  placesOf,
  positionsReader,
  type ReferencedKeys,
  referencedKeys,
  referencingInside,
  referencingName,
} from './referencing-rows.js'
import { noteKey, type SharedNotes } from './shared-notes.js'
import { type SharedRows, type SharingCollection, sharingCollections } from './sharing-collection.js'

/** The reasons known so far to keep rows that other people may share, by collection and place. */
type Shared = Map<string, ReadonlyMap<number, string>>

/** Places, by collection, of rows that few other people share. One of these people may be erased at the same time. */
export type FewOthers = ReadonlyMap<string, ReadonlySet<number>>

/** As many as a household or a small firm. Erasures of rows that more people share do not wait for each other. */
const maxFew = 20

/**
 * Finds rows that stay, with the reasons: rows that rows outside the request refer to, except rows that an earlier
 * erasure left, and rows that were found through such a row. A row that stays counts as outside as well. Rows that can
 * never be counted count as referring rows.
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
  // A row that stays may keep further rows. The number of rows that stay only grows, so this ends.
  for (let grew = true; grew; ) {
    grew = false
    for (const sharing of collections) {
      const { address } = sharing.collection
      const before = shared.get(address) ?? new Map<number, string>()
      const dependents = await dependentRows(context, sharing.collection, shared)
      const referenced = await sharedRows(context, pointers.get(address) ?? [], shared)
      few.set(address, referenced.few)
      // The first reason wins, because a row that stays for another row may refer back to that row.
      const known = new Map([...referenced.reasons, ...dependents, ...before])
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

function pointersBefore(context: FoundContext, pointers: readonly Pointers[]): PointersBefore {
  return new Map(
    pointers.flatMap(({ reference, found, all }) => {
      let names: Promise<ReadonlySet<string>> | undefined
      const before: PointersOfReference = {
        rows: (key) => all?.[found.keys.find(key)] ?? 0,
        names: () => (names ??= namesReferencing(context, reference, found)),
      }
      return all ? [[reference, before] as const] : []
    }),
  )
}

/** The names of the request's rows that refer to the found rows. */
async function namesReferencing(
  context: FoundContext,
  reference: IncomingReference,
  { keys }: ReferencedKeys,
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

/** Rows that the search has already found to be shared. */
async function foundShared(context: FoundContext, address: string): Promise<ReadonlyMap<number, string>> {
  const reasons = new Map<number, string>()
  if (!context.outcomes.get(address)?.counts.shared) return reasons
  for await (const rows of foundRowsOf(context, address)) {
    for (const { place, reason } of rows) if (reason !== undefined) reasons.set(place, reason)
  }
  return reasons
}

/** After the first write, the notes made before it decide. A row without a note stays if it may be shared. */
async function noted(
  context: FoundContext,
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
      // A row that was the subject's alone is counted again. Rows that refer to it are not written before it.
      if (reason === null) {
        const now = known.get(place)
        if (now !== undefined) all.set(place, now)
        continue
      }
      all.set(
        place,
        reason ?? known.get(place) ?? 'found after the erasure began, so it is not known whom it was shared with',
      )
    }
  }
  return all
}

interface Pointers {
  readonly reference: IncomingReference
  readonly found: ReferencedKeys
  /** The number of all rows that refer to each key. Undefined where they cannot be counted. */
  readonly all: Float64Array | undefined
  /** How many of them belong to people who were erased earlier. */
  readonly left?: Float64Array | undefined
  /** Whether a referring row of the request still exists. Absent where the request has deleted none. */
  readonly exists?: ((foundRow: FoundRow) => boolean) | undefined
}

async function pointersTo(
  context: ErasureContext,
  { collection, pointedToBy }: SharingCollection,
): Promise<Pointers[]> {
  const pointers: Pointers[] = []
  for (const reference of pointedToBy) {
    const { found, add } = referencedKeys(collection, reference)
    for await (const rows of foundRowsOf(context, collection.address)) {
      for (const foundRow of rows) if (!foundRow.own && foundRow.reason === undefined) add(foundRow)
    }
    if (isReferencedByNone(found)) continue
    const all = await anyReferencing(context, reference, found).catch((error: unknown) => {
      if (isPrivacyError(error, 'unsupported')) return undefined
      throw error
    })
    const left = all && (await countLeft(context, collection, reference, found))
    pointers.push({ reference, found, all, left, exists: all && (await stillReferencing(context, reference, found)) })
  }
  return pointers
}

async function sharedRows(
  context: FoundContext,
  pointers: readonly Pointers[],
  shared: Shared,
): Promise<{ readonly reasons: ReadonlyMap<number, string>; readonly few: Set<number> }> {
  const outside = new Map<number, Map<string, number>>()
  const unknown = new Map<number, string>()
  for (const { reference, found, all, left, exists } of pointers) {
    const name = referencingName(reference)
    if (!all) {
      for (const at of found.places.keys()) for (const row of placesOf(found, at)) unknown.set(row, name)
      for (const row of found.unheld) unknown.set(row, name)
      continue
    }
    const isSubjects = subjectsRows(reference.address, shared)
    const counts = exists ? (foundRow: FoundRow) => exists(foundRow) && isSubjects(foundRow) : isSubjects
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
  for (const [row, name] of unknown) reasons.set(row, `possibly shared, because rows of ${name} cannot be counted`)
  for (const [row, byName] of outside) {
    const stored = [...byName].map(([name, count]) => `${countedRows(count)} of ${name}`)
    reasons.set(row, `shared with ${stored.join(' and ')}`)
    if ([...byName.values()].reduce((sum, count) => sum + count, 0) <= maxFew) few.add(row)
  }
  return { reasons, few }
}

/** Tells which referring rows of the request are the subject's alone: own rows, and rows that do not stay for others. */
function subjectsRows(from: string | undefined, shared: Shared): (foundRow: FoundRow) => boolean {
  const staying = from === undefined ? undefined : shared.get(from)
  return ({ own, place }) => own || (staying !== undefined && !staying.has(place))
}
