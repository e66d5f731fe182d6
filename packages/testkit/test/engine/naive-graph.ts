import type { Collection, Dataset, Field, Identity, Value, ValueKind } from '@habeas/core'

/* The part of the naive model that looks at descriptions only: what may be searched, and which way each reference runs. */

export type Document = { readonly [name: string]: Value }

/** A table as it lies in the database: its unique keys, the kinds of its columns, its rows. */
export interface NaiveTable {
  readonly keys: readonly (readonly string[])[]
  readonly kinds: Readonly<Record<string, ValueKind>>
  readonly rows: readonly Document[]
}

export interface World {
  readonly datasets: readonly { readonly dataset: Dataset; readonly tables: Readonly<Record<string, NaiveTable>> }[]
  readonly identities: readonly Identity[]
  /** Whether the policy asks for a field with these effective categories. */
  readonly asksFor: (categories: readonly string[]) => boolean
  /** Whether it is handed over; where absent, whatever the policy asks for is. */
  readonly delivers?: (categories: readonly string[]) => boolean
}

export interface FieldFacts {
  readonly meta: Field['service_meta']
  readonly kind: ValueKind | undefined
  readonly allElements: boolean
}

export interface Place {
  readonly address: string
  readonly dataset: Dataset
  readonly collection: Collection
  readonly table: NaiveTable
  readonly fields: ReadonlyMap<string, FieldFacts>
}

type Equalities = Readonly<Record<string, unknown>>

/** From where to where values lead. `when` holds on one of the two sides. */
export interface Arrow {
  readonly from: Place
  readonly to: Place
  readonly parts: readonly { readonly from: string; readonly to: string }[]
  readonly directed: boolean
  readonly when?: { readonly side: 'from' | 'to'; readonly equals: Equalities }
}

export function placesOf({ datasets }: World): Place[] {
  return datasets.flatMap(({ dataset, tables }) =>
    dataset.collections.map((collection) => {
      const table = tables[collection.name] as NaiveTable
      const fields = new Map<string, FieldFacts>()
      const walk = (list: readonly Field[], above: string, allElements: boolean) => {
        for (const field of list) {
          const name = above + field.name
          const declared = field.service_meta.data_type?.replace('[]', '') as ValueKind | undefined
          const every = allElements || field.service_meta.return_all_elements
          fields.set(name, { meta: field.service_meta, kind: table.kinds[name] ?? declared, allElements: every })
          walk(field.fields, `${name}.`, every)
        }
      }
      walk(collection.fields, '', false)
      return { address: `${dataset.service_key}:${collection.name}`, dataset, collection, table, fields }
    }),
  )
}

export function fieldsFor(place: Place, property: string): string[] {
  return [...place.fields].filter(([, { meta }]) => meta.identity === property).map(([name]) => name)
}

/** The properties of an identity object for which a collection declares fields. */
export function held(place: Place, identity: Identity): string[] {
  return Object.keys(identity).filter((property) => fieldsFor(place, property).length > 0)
}

function asksFor(place: Place, world: World): boolean {
  const below = (list: readonly Field[], above: readonly string[]): boolean =>
    list.some((field) => {
      const categories = [...above, ...field.data_categories]
      return world.asksFor(categories) || below(field.fields, categories)
    })
  return below(place.collection.fields, [...place.dataset.data_categories, ...place.collection.data_categories])
}

/** §3: references of one collection to one other with the same group are one; what both sides declare is one. */
export function referencesOf(places: readonly Place[]): Arrow[] {
  const drafts = new Map<string, Arrow & { parts: { from: string; to: string }[]; declaredOut: boolean }>()
  for (const own of places) {
    for (const [name, { meta }] of own.fields) {
      for (const [at, reference] of meta.references.entries()) {
        const [collection = '', ...path] = reference.field.split('.')
        const other = places.find(({ address }) => address === `${reference.dataset}:${collection}`)
        if (!other) continue
        const id = JSON.stringify([own.address, other.address, reference.direction, reference.group ?? [name, at]])
        // Undirected ones are written from the lesser address, so that both sides' declarations are the same.
        const out = reference.direction ? reference.direction === 'to' : own.address <= other.address
        const draft = drafts.get(id) ?? {
          ...{
            from: out ? own : other,
            to: out ? other : own,
            parts: [],
            directed: Boolean(reference.direction),
            declaredOut: out,
          },
          ...(reference.when && { when: { side: out ? 'from' : 'to', equals: reference.when } }),
        }
        draft.parts.push(out ? { from: name, to: path.join('.') } : { from: path.join('.'), to: name })
        drafts.set(id, draft)
      }
    }
  }
  const distinct = new Map<string, Arrow>()
  for (const { declaredOut, ...draft } of drafts.values()) {
    const parts = [...draft.parts].sort((a, b) => (a.to < b.to ? -1 : 1))
    const pairs = parts.map(({ from, to }) => `${from} ${to}`).sort()
    distinct.set(JSON.stringify([draft.from.address, draft.to.address, pairs, draft.directed, draft.when]), {
      ...draft,
      parts,
    })
  }
  return [...distinct.values()]
}

export function endsAtKey({ to, parts }: Arrow): boolean {
  return to.table.keys.some((key) => key.every((name) => parts.some((part) => part.to === name)))
}

export function back({ from, to, parts, when, directed }: Arrow): Arrow {
  const turned = parts.map((part) => ({ from: part.to, to: part.from })).sort((a, b) => (a.to < b.to ? -1 : 1))
  return {
    from: to,
    to: from,
    directed,
    parts: turned,
    ...(when && { when: { ...when, side: when.side === 'from' ? 'to' : 'from' } }),
  }
}

/** §7.5: what such an arrow reaches is looked up. */
export function isLookup(arrow: Arrow): boolean {
  return arrow.from === arrow.to || (endsAtKey(arrow) && !endsAtKey(back(arrow)))
}

/** §7.2. Collections to which nothing leads have no place in the order. */
function orderOf(places: readonly Place[], steps: readonly Arrow[], entered: ReadonlySet<Place>): Place[] {
  const distance = new Map([...entered].map((place) => [place, 0]))
  for (let size = -1; size !== distance.size; ) {
    size = distance.size
    const nearest = Math.max(...distance.values())
    for (const { from, to } of steps)
      if (distance.get(from) === nearest && !distance.has(to)) distance.set(to, nearest + 1)
  }
  const rank = (place: Place) =>
    JSON.stringify([`${distance.get(place)}`.padStart(3, '0'), place.dataset.service_key, place.collection.name])
  const waits = (place: Place, order: readonly Place[]) =>
    place.collection.service_meta.after.some((name) =>
      places.some((each) => each.address === name && distance.has(each) && !order.includes(each)),
    )
  const order: Place[] = []
  for (;;) {
    const discovered = places.filter(
      (place) => entered.has(place) || steps.some(({ from, to }) => to === place && order.includes(from)),
    )
    const ready = discovered.filter((place) => !order.includes(place) && !waits(place, order))
    const least = ready.sort((a, b) => (rank(a) < rank(b) ? -1 : 1))[0]
    if (!least) return order
    order.push(least)
  }
}

/** §7.6: the ways in which each reference is followed. */
function arrowsOf(references: readonly Arrow[], entered: ReadonlySet<Place>, order: readonly Place[]): Arrow[] {
  const forward = (each: Arrow) => order.indexOf(each.from) <= order.indexOf(each.to)
  const fromEarlier = (each: Arrow) => (forward(each) ? each : back(each))
  const startsAtKey = (each: Arrow) => endsAtKey(back(each))
  /** The ways by which own rows may lead to own rows of another collection. */
  const ownWays = (each: Arrow): Arrow[] => {
    const ways = each.directed ? [each] : [each, back(each)]
    if (!each.directed && !endsAtKey(each) && !startsAtKey(each))
      return each.from === each.to ? [] : [fromEarlier(each)]
    return ways.filter((way) => !isLookup(way) && (way.directed || startsAtKey(way)))
  }
  const own = new Set([...entered].filter((place) => order.includes(place)))
  for (let size = -1; size !== own.size; ) {
    size = own.size
    for (const way of references.flatMap(ownWays)) if (own.has(way.from)) own.add(way.to)
  }
  const ownWithout = (reference: Arrow, place: Place) =>
    entered.has(place) ||
    references.some(
      (other) => other !== reference && ownWays(other).some((way) => way.to === place && own.has(way.from)),
    )
  return references.flatMap((each): Arrow[] => {
    if (each.directed) return [each]
    if (each.from !== each.to && entered.has(each.from) && entered.has(each.to)) return [each, back(each)]
    if (endsAtKey(each) !== startsAtKey(each)) {
      const fromKey = startsAtKey(each) ? each : back(each)
      return [own.has(fromKey.from) ? fromKey : back(fromKey)]
    }
    if (!endsAtKey(each) || each.from === each.to) return [fromEarlier(each)]
    // Both ends are keys: from each end that is own for another reason, the earlier one counting as if it were.
    const ways = [each, back(each)].filter((way) => own.has(way.from) && (forward(way) || ownWithout(each, way.from)))
    return ways.length > 0 ? ways : [fromEarlier(each)]
  })
}

/** The collections that a request searches and the ways between them: what is asked for, and what leads there. */
export function graphOf(world: World) {
  const properties = [...new Set(world.identities.flatMap((identity) => Object.keys(identity)))]
  const declares = (place: Place) => properties.some((property) => fieldsFor(place, property).length > 0)
  const described = placesOf(world)
  const places = described.filter(({ collection }) => !collection.service_meta.skip_processing)
  /** §7.3: a collection that declares one property of an object waits for those that declare more, if there are any. */
  const isAlone = (place: Place, identity: Identity) =>
    held(place, identity).length === 1 && Object.keys(identity).length > 1
  const confirmers = world.identities.map((identity) => described.filter((place) => held(place, identity).length > 1))
  const waits = (place: Place, object: number) =>
    isAlone(place, world.identities[object] as Identity) && confirmers[object]?.length !== 0
  const canEnter = (place: Place, object: number) =>
    !waits(place, object) || confirmers[object]?.some((each) => places.includes(each))
  const entered = new Set(
    places.filter((place) =>
      world.identities.some((identity, object) => held(place, identity).length > 0 && canEnter(place, object)),
    ),
  )
  const references = referencesOf(places)
  const order = orderOf(
    places,
    references.flatMap((each) => (each.directed ? [each] : [each, back(each)])),
    entered,
  )
  const reached = references.filter(({ from, to }) => order.includes(from) && order.includes(to))
  const arrows = arrowsOf(reached, entered, order)
  const searched = new Set(order.filter((place) => asksFor(place, world)))
  for (let size = -1; size !== searched.size; ) {
    size = searched.size
    for (const { from, to } of arrows) if (searched.has(to)) searched.add(from)
    for (const [object, confirming] of confirmers.entries()) {
      if (![...searched].some((place) => waits(place, object))) continue
      for (const place of confirming) if (places.includes(place)) searched.add(place)
    }
  }
  return {
    places: [...searched],
    arrows: arrows.filter(({ from, to }) => searched.has(from) && searched.has(to)),
    waits,
    canEnter,
    anyIdentityKnown: described.some(declares),
  }
}
