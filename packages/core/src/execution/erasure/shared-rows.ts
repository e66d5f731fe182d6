import { isPrivacyError } from '../../errors.js'
import type { PointingReference } from '../../rules/plan.js'
import type { KeptRow } from '../kept-rows.js'
import { type ErasedCollection, type ErasureContext, erasedCollections, keptRowsOf } from './erased-collection.js'
import { type PointedTo, pointedTo, pointingAtAll, pointingInside } from './pointing-rows.js'
import { noteKey, type SharedNotes } from './shared-notes.js'

/** By collection, by place among its kept rows: why a row that was looked up stays. */
type Shared = Map<string, ReadonlyMap<number, string>>

/**
 * The rows that were looked up and that rows outside the request point to as well, with the reason to keep them (§7.10).
 * A row that stays is outside as well; whoever cannot be asked for good is taken for somebody who points.
 */
export async function allSharedRows(
  context: ErasureContext,
  notes: ((collection: ErasedCollection) => Promise<SharedNotes>) | undefined,
): Promise<ReadonlyMap<string, ReadonlyMap<number, string>>> {
  const shared: Shared = new Map()
  const collections = erasedCollections(context)
  const pointers = new Map<string, Pointers[]>()
  for (const collection of collections) {
    pointers.set(collection.address, await pointersTo(context, collection))
    shared.set(collection.address, new Map())
  }
  // Rows are found to stay because of others that do, until no more are: these only become more.
  for (let grew = true; grew; ) {
    grew = false
    for (const collection of collections) {
      const { address } = collection
      const before = shared.get(address)?.size
      const known = await sharedRows(context, pointers.get(address) ?? [], shared)
      shared.set(address, notes ? await noted(context, collection, known, await notes(collection)) : known)
      if (known.size > 0 && shared.get(address)?.size !== before) grew = true
    }
  }
  return shared
}

/** Once something was written, what was known before counts; a row that nobody looked at then stays if it may be shared. */
async function noted(
  context: ErasureContext,
  collection: ErasedCollection,
  known: ReadonlyMap<number, string>,
  notes: SharedNotes,
): Promise<ReadonlyMap<number, string>> {
  if (collection.erasure.pointedToBy.length === 0) return known
  const all = new Map<number, string>()
  let place = -1
  for await (const { own, row } of keptRowsOf(context, collection.address)) {
    place++
    if (own) continue
    const reason = notes.reason(noteKey(collection, row))
    if (reason === null) continue
    all.set(
      place,
      reason ?? known.get(place) ?? 'found since the erasure began: whom it is shared with cannot be told any more',
    )
  }
  return all
}

interface Pointers {
  readonly reference: PointingReference
  readonly found: PointedTo
  /** For each key, how many rows point to it at all; undefined where that cannot be known. */
  readonly all: Float64Array | undefined
}

async function pointersTo(context: ErasureContext, collection: ErasedCollection): Promise<Pointers[]> {
  const pointers: Pointers[] = []
  for (const reference of collection.erasure.pointedToBy) {
    const { found, add } = pointedTo(collection, reference)
    let place = -1
    for await (const kept of keptRowsOf(context, collection.address)) {
      place++
      if (!kept.own) add(kept, place)
    }
    if (found.keys.size === 0) continue
    const all = await pointingAtAll(context, reference, found).catch((error: unknown) => {
      if (isPrivacyError(error, 'unsupported')) return undefined
      throw error
    })
    pointers.push({ reference, found, all })
  }
  return pointers
}

async function sharedRows(
  context: ErasureContext,
  pointers: readonly Pointers[],
  shared: Shared,
): Promise<ReadonlyMap<number, string>> {
  const outside = new Map<number, Map<string, number>>()
  const unknown = new Map<number, string>()
  for (const { reference, found, all } of pointers) {
    const { address, schema, collection: table } = reference
    const name = address ?? [schema, table].filter(Boolean).join('.')
    if (!all) {
      for (const row of found.places) unknown.set(row, name)
      continue
    }
    const inside = await pointingInside(context, reference, found, isErased(address, shared))
    for (const [at, row] of found.places.entries()) {
      const others = (all[at] as number) - (inside[at] as number)
      if (others <= 0) continue
      const byName = outside.get(row) ?? new Map<string, number>()
      outside.set(row, byName.set(name, (byName.get(name) ?? 0) + others))
    }
  }
  const reasons = new Map<number, string>()
  for (const [row, name] of unknown)
    reasons.set(row, `shared, as far as can be told: rows of ${name} cannot be counted`)
  for (const [row, byName] of outside) {
    const told = [...byName].map(([name, count]) => `${count} ${count === 1 ? 'row' : 'rows'} of ${name}`)
    reasons.set(row, `shared with ${told.join(' and ')}`)
  }
  return reasons
}

/** The rows of the request that point somewhere and do not stay there for others themselves. */
function isErased(from: string | undefined, shared: Shared): (kept: KeptRow, place: number) => boolean {
  const staying = from === undefined ? undefined : shared.get(from)
  // Of a collection that is not erased nobody asks whether its rows are others' as well.
  return (kept, place) => kept.own || (staying !== undefined && !staying.has(place))
}
