import type { Value } from '@habeas/core'
import type { MemoryCollection } from '@habeas/testkit'
import { type Document, graphOf, type Place, placesOf } from '../engine/naive-graph.js'
import { naiveAccess } from '../engine/naive-model.js'
import type { Shape } from '../engine/random-world.js'
import type { DraftWorld } from '../engine/world-of-shape.js'
import { type Fates, fatesOf, leavesAt, masked, stays } from './naive-fates.js'
import { orderRefusals, orders } from './naive-order.js'
import { refusals } from './naive-refusals.js'
import { pointersOf, sharedRows } from './naive-sharing.js'

/*
 * What decisions §7.10–7.16 say an erasure leaves behind, in the simplest way: whole tables in memory, every row looked at
 * on its own. It shares nothing with the engine.
 */

/** A world with all that an erasure in it depends on. */
export interface ErasureWorld {
  readonly shape: Shape
  readonly world: DraftWorld
  /** By address, the live table behind a collection, and those that nobody described. */
  readonly live: ReadonlyMap<string, MemoryCollection>
  /** By dataset, in order. */
  readonly access: readonly ('read' | 'write')[]
  readonly readOnly: ReadonlySet<string>
  /** Rows that a batch holds. */
  readonly maxErased: number
  /** What erases, in order; without a strategy where none is named. */
  readonly rules: readonly {
    readonly covers: (categories: readonly string[]) => boolean
    readonly strategy: 'delete' | NamedStrategy | undefined
  }[]
  readonly policy: { readonly service_key: string; readonly rules: readonly object[] }
}

interface NamedStrategy {
  readonly strategy: string
  readonly configuration: {
    readonly rewrite_value?: string
    readonly format_preservation?: { readonly suffix: string }
  }
}

export interface ExpectedRow {
  readonly row: Document
  /** Undefined: it is deleted. */
  readonly to: Document | undefined
  readonly found: boolean
}

export interface Expected {
  /** By address, each row with what becomes of it, in the order of the table. */
  readonly rows: ReadonlyMap<string, readonly ExpectedRow[]>
  /** Why it must not be begun (§7.15): with one of them nothing at all is written. */
  readonly forbidden: readonly string[]
  /** Why the database would not have it: with one of them the request cannot end well. */
  readonly impossible: readonly string[]
  /** What the database may refuse, depending on the order of writing and on the row that is tried. */
  readonly refusable: readonly string[]
  /** Which collections are written before which others. */
  readonly orders: readonly { readonly first: string; readonly next: string }[]
  /** By address, the columns that name a row. */
  readonly keys: ReadonlyMap<string, readonly string[]>
  /** By address, what is handed over. */
  readonly delivered: ReadonlyMap<string, readonly Value[]>
}

export function naiveErasure(world: ErasureWorld): Expected | undefined {
  const { model } = world.world
  const access = naiveAccess(model)
  if (!access) return undefined
  const places = placesOf(model)
  const graph = graphOf(model)
  const searched = places.filter(({ address }) => graph.places.some((each) => each.address === address))
  const known = new Map(access.flatMap((found) => found.whose.map(({ row, is, left }) => [row, { is, left }])))
  const fates = new Map(places.map((place) => [place, fatesOf(place, world, places)]))
  const isErased = (place: Place) => searched.includes(place) && fates.get(place)?.targeted.length !== 0
  const pointers = pointersOf(places, world.live)
  const shared = sharedRows(places, graph.arrows, pointers, known, isErased)
  const forbidden: string[] = []
  const rows = new Map<string, ExpectedRow[]>()
  for (const place of places) {
    const of = fates.get(place) as Fates
    if (searched.includes(place)) forbidden.push(...of.impossible.map((why) => `${place.address}: ${why}`))
    const ends = place.table.rows.map((row): ExpectedRow => {
      const { is = 'not found', left = new Set<string>() } = known.get(row) ?? {}
      const found = is === 'own' || is === 'looked up'
      if (!found) return { row, to: row, found }
      return { row, to: endOf(row, of, left, place, shared.has(row), (why) => forbidden.push(why)), found }
    })
    rows.set(place.address, ends)
    const isWritten = ends.some(({ row, to }) => to === undefined || JSON.stringify(to) !== JSON.stringify(row))
    const masksInstead = ends.some(({ row, to }) => to && JSON.stringify(to) !== JSON.stringify(row))
    if (masksInstead) forbidden.push(...of.instead.map((why) => `${place.address}: ${why}`))
    if (isWritten && world.readOnly.has(place.dataset.service_key)) forbidden.push(`${place.address} may only be read`)
  }
  for (const [address, table] of world.live) {
    if (!rows.has(address))
      rows.set(
        address,
        table.rows.map((row) => ({ row, to: row, found: false })),
      )
  }
  const refused = refusals(rows, world, places)
  const demanded = orders(searched, graph.arrows, fates, world.live)
  return {
    rows,
    forbidden: [...forbidden, ...refused.forbidden, ...orderRefusals(demanded.hard)],
    impossible: refused.impossible,
    refusable: refused.refusable,
    orders: demanded.all,
    keys: new Map([...world.live].map(([address, { primaryKey = [] }]) => [address, primaryKey])),
    delivered: new Map(access.map(({ address, rows: each }) => [address, each])),
  }
}

/** §7.10, §7.13, §7.16: what becomes of a row of the request. */
function endOf(
  row: Document,
  { how, masks, targeted, keeps }: Fates,
  left: ReadonlySet<string>,
  { collection: { service_meta: meta } }: Place,
  isShared: boolean,
  refuse: (why: string) => void,
): Document | undefined {
  const holds = (name: string) => leavesAt(row, name.split('.')).length > 0
  if (meta.retain && stays(meta.retain, row)) return row
  if (isShared && meta.on_shared !== 'erase') return row
  if (!targeted.some(holds)) return row
  const isKept = keeps.some(({ name, retain }) => holds(name) && (!retain || stays(retain, row)))
  if (how === 'delete' && !isShared && !isKept && left.size === 0) return undefined
  return masks
    .filter(({ retain }) => !retain || !stays(retain, row))
    .reduce((now, mask) => masked(now, mask, left, refuse), row)
}
