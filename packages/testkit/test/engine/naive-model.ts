import type { Identity, Value } from '@habeas/core'
import {
  type Arrow,
  type Document,
  type FieldFacts,
  fieldsFor,
  graphOf,
  held,
  isLookup,
  type Place,
  type World,
} from './naive-graph.js'
import { delivered, keyOf, keysOf, type Reading, readings } from './naive-rows.js'

/*
 * What decisions §7.1–7.9 say an access request delivers, in the simplest way: whole tables in memory, every rule asked
 * of every row again and again until nothing changes. Slow on purpose; it shares nothing with the engine.
 */

export interface Found {
  readonly address: string
  /** What is delivered. */
  readonly rows: readonly Value[]
  readonly own: number
  readonly lookedUp: number
  readonly others: number
  readonly elementsLeft: number
  readonly nearMatches: number
  /** Whose each row of the table is, and where in it elements lie that are not the request's: '/items/0'. */
  readonly whose: readonly { readonly row: Document; readonly is: Whose; readonly left: ReadonlySet<string> }[]
}

export type Whose = 'own' | 'looked up' | "somebody else's" | 'not found'

/** An entry: fields whose values, together, may be a key that the request holds. */
interface Slot {
  readonly place: Place
  readonly names: readonly string[]
  readonly when: Readonly<Record<string, unknown>>
  readonly key: string
  /** Of several properties of an identity. */
  readonly identity: boolean
  readonly own: Set<string>
  readonly lookedUp: Set<string>
}

interface IdentityEntry {
  readonly slot: Slot
  readonly object: number
  readonly values: readonly Value[]
  /** Enters only once the object is confirmed. */
  readonly waits: boolean
}

/** What becomes of every collection that is searched; undefined where no dataset knows any of the properties. */
export function naiveAccess(world: World): readonly Found[] | undefined {
  const { places, arrows, waits, canEnter, anyIdentityKnown } = graphOf(world)
  if (!anyIdentityKnown) return undefined
  const slots: Slot[] = []
  /** One entry for the same fields under the same condition; an identity of several properties is an entry of its own. */
  const slotAt = (place: Place, names: readonly string[], when: Slot['when'] = {}, identity = false): Slot => {
    const key = JSON.stringify([names, when, identity])
    const slot = slots.find((each) => each.place === place && each.key === key)
    const made = slot ?? { place, names, when, key, identity, own: new Set(), lookedUp: new Set() }
    if (!slot) slots.push(made)
    return made
  }
  const entries = places.flatMap((place) =>
    world.identities.flatMap((identity, object) =>
      (canEnter(place, object) ? choices(place, identity) : []).map((choice): IdentityEntry => {
        const names = choice.map(({ field }) => field)
        const slot = slotAt(place, names, {}, names.length > 1)
        return {
          slot,
          object,
          values: choice.map(({ property }) => identity[property] as Value),
          waits: waits(place, object),
        }
      }),
    ),
  )
  const ways = arrows.map((arrow) => {
    const names = arrow.parts.map((part) => part.to)
    return {
      arrow,
      slot: slotAt(arrow.to, names, arrow.when?.side === 'to' ? arrow.when.equals : {}),
      lookup: isLookup(arrow),
    }
  })
  const of = (place: Place) => slots.filter((slot) => slot.place === place)
  const confirmed = new Set<number>()
  for (let size = -1; size !== sizeOf(slots) + confirmed.size; ) {
    size = sizeOf(slots) + confirmed.size
    for (const { slot, object, values, waits } of entries) {
      const key = keyOf(values, factsOf(slot.place, slot.names), [])
      if (key === undefined || (waits && !confirmed.has(object))) continue
      slot.own.add(key)
      const matches = (row: Document) => readings(row, slot.names).some((reading) => keyAt(slot, reading) === key)
      if (slot.names.length > 1 && slot.place.table.rows.some(matches)) confirmed.add(object)
    }
    for (const { arrow, slot, lookup } of ways) {
      for (const row of arrow.from.table.rows) {
        const whose = judge(row, of(arrow.from))
        if (whose !== 'own' && (whose !== 'looked up' || !arrow.directed)) continue
        for (const key of keysOut(arrow, row, of(arrow.from)))
          (whose === 'own' && !lookup ? slot.own : slot.lookedUp).add(key)
      }
    }
  }
  return places.map((place) =>
    foundIn(
      place,
      of(place),
      entries.filter(({ slot }) => slot.place === place),
      world,
    ),
  )
}

const sizeOf = (slots: readonly Slot[]) => slots.reduce((sum, { own, lookedUp }) => sum + own.size + lookedUp.size, 0)

/** §7.3: fields of one object's properties together; several fields of one property are alternatives. */
function choices(place: Place, identity: Identity): { property: string; field: string }[][] {
  const properties = held(place, identity)
  const all = properties.reduce<{ property: string; field: string }[][]>(
    (lists, property) =>
      lists.flatMap((list) => fieldsFor(place, property).map((field) => [...list, { property, field }])),
    properties.length > 0 ? [[]] : [],
  )
  return all.map((choice) => choice.sort((a, b) => (a.field < b.field ? -1 : 1)))
}

/** §7.5: whose a row is, by the keys the request holds. */
function judge(row: Document, slots: readonly Slot[]): Whose {
  const held = slots.filter((slot) => meets(row, slot.when)).map((slot) => ({ slot, keys: keysAt(slot, row) }))
  if (held.some(({ slot, keys }) => keys.some((key) => slot.own.has(key)))) return 'own'
  if (!held.some(({ slot, keys }) => keys.some((key) => isKnown(slot, key)))) return 'not found'
  if (slots.some(({ place }) => place.collection.service_meta.others)) return 'looked up'
  return held.some(({ slot, keys }) => isForeign(slot, keys, row)) ? "somebody else's" : 'looked up'
}

const isKnown = (slot: Slot, key: string | undefined) =>
  key !== undefined && (slot.own.has(key) || slot.lookedUp.has(key))

/** An entry that holds keys, and none that the request has; of an identity of several properties one such part is enough. */
function isForeign(slot: Slot, keys: readonly string[], row: Document): boolean {
  if (keys.some((key) => isKnown(slot, key))) return false
  if (!slot.identity) return keys.length > 0
  return slot.names.some((name, at) => {
    const known = [...slot.own, ...slot.lookedUp].map((key) => JSON.stringify([(JSON.parse(key) as string[])[at]]))
    const facts = factsOf(slot.place, [name])
    return readings(row, [name]).some(({ values }) => {
      const part = keyOf(values, facts, facts)
      return part !== undefined && !known.includes(part)
    })
  })
}

const meets = (row: Document, when: Slot['when']) => Object.entries(when).every(([name, value]) => row[name] === value)
const factsOf = (place: Place, names: readonly string[]) => names.map((name) => place.fields.get(name) as FieldFacts)

function keyAt(slot: Slot, { values }: Reading): string | undefined {
  const facts = factsOf(slot.place, slot.names)
  return keyOf(values, facts, facts)
}

function keysAt(slot: Slot, row: Document): string[] {
  return readings(row, slot.names).flatMap((reading) => keyAt(slot, reading) ?? [])
}

/** The keys to which a row leads, out of the elements that are the request's. */
function keysOut({ from, to, parts, when }: Arrow, row: Document, slots: readonly Slot[]): string[] {
  if (when?.side === 'from' && !meets(row, when.equals)) return []
  const seen = keptOf(row, slots).row
  const names = parts.map((part) => part.from)
  const target = factsOf(
    to,
    parts.map((part) => part.to),
  )
  return readings(seen, names).flatMap(({ values }) => keysOf(values, target, factsOf(from, names)))
}

/** §7.8: the row with only those elements of entry arrays that meet a key of the request. */
function keptOf(row: Document, slots: readonly Slot[]): { row: Document; left: ReadonlySet<string> } {
  const onTheWay = slots.flatMap(({ place, names }) => names.filter((name) => !place.fields.get(name)?.allElements))
  const keys = slots
    .filter(({ when }) => meets(row, when))
    .flatMap((slot) => readings(row, slot.names).filter((reading) => isKnown(slot, keyAt(slot, reading))))
  const kept = new Set(keys.flatMap(({ elements }) => elements))
  const left = new Set<string>()
  const copy = (value: Value, place: string, path: string): Value => {
    if (Array.isArray(value)) {
      const filtered = onTheWay.some((name) => `${name}.`.startsWith(`${path}.`))
      const elements = (value as Value[])
        .map((element, at) => [element, `${place}/${at}`] as const)
        .filter(([, at]) => {
          if (filtered && !kept.has(at)) left.add(at)
          return !left.has(at)
        })
      return elements.map(([element, at]) => copy(element, at, path))
    }
    if (value === null || typeof value !== 'object') return value
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [
        name,
        copy(inner, `${place}/${name}`, path === '' ? name : `${path}.${name}`),
      ]),
    )
  }
  return { row: copy(row, '', '') as Document, left }
}

function foundIn(place: Place, slots: readonly Slot[], entries: readonly IdentityEntry[], world: World): Found {
  const whose = place.table.rows.map((row) => ({ row, is: judge(row, slots), left: keptOf(row, slots).left }))
  const own = whose.filter(({ is }) => is === 'own')
  const lookedUp = whose.filter(({ is }) => is === 'looked up')
  const tuples = entries.filter(({ slot }) => slot.names.length > 1)
  const partly = (row: Document, every: boolean) =>
    tuples.some(({ slot, values }) => {
      const parts = slot.names.map((name, at) => {
        const facts = factsOf(place, [name])
        const wanted = keyOf([values[at] as Value], facts, [])
        return wanted !== undefined && readings(row, [name]).some((each) => keyOf(each.values, facts, facts) === wanted)
      })
      return every ? parts.every(Boolean) : parts.some(Boolean)
    })
  const categories = [...place.dataset.data_categories, ...place.collection.data_categories]
  return {
    address: place.address,
    rows: [...own, ...lookedUp].flatMap(
      ({ row }) => delivered(keptOf(row, slots).row, place.collection.fields, categories, world) ?? [],
    ),
    own: own.length,
    lookedUp: lookedUp.length,
    others: whose.filter(({ is }) => is === "somebody else's").length,
    elementsLeft: own.reduce((sum, { left }) => sum + left.size, 0),
    nearMatches: place.table.rows.filter((row) => partly(row, false) && !partly(row, true)).length,
    whose,
  }
}
