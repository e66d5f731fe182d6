import type { ForeignKey, Value } from '@habeas/core'
import type { MemoryCollection } from '@habeas/testkit'
import {
  type Arrow,
  back,
  type Document,
  endsAtKey,
  type FieldFacts,
  isLookup,
  type Place,
  referencesOf,
} from '../engine/naive-graph.js'
import type { Whose } from '../engine/naive-model.js'
import { keysOf, readings } from '../engine/naive-rows.js'

/* §7.10: which rows that were looked up are shared with somebody outside the request. */

export interface Pointer {
  /** Absent: a table that nobody described. */
  readonly from: Place | undefined
  readonly to: Place
  readonly parts: Arrow['parts']
  readonly when: Readonly<Record<string, unknown>>
  readonly rows: readonly Document[]
  /** A foreign key takes every value for what it is. */
  readonly exact: boolean
}

/** Every way by which a row may point to the key of another: references, and live foreign keys. */
export function pointersOf(places: readonly Place[], live: ReadonlyMap<string, MemoryCollection>): Pointer[] {
  const declared = referencesOf(places).flatMap((each) =>
    [each, back(each)].flatMap((way, at): Pointer[] => {
      if (!endsAtKey(way)) return []
      // Against its direction only where it does not start at a key: there one row belongs with the other.
      if (each.directed && at === 1 && endsAtKey(back(way))) return []
      const when = way.when?.side === 'from' ? way.when.equals : {}
      return [{ ...way, when, rows: way.from.table.rows, exact: false }]
    }),
  )
  const foreign = [...live].flatMap(([address, { foreignKeys = [], rows }]) =>
    foreignKeys.map(({ columns, references }: ForeignKey): Pointer => {
      const dataset = address.slice(0, address.indexOf(':'))
      return {
        from: places.find((place) => place.address === address),
        to: places.find((place) => place.address === `${dataset}:${references.collection}`) as Place,
        parts: columns.map((name, at) => ({ from: name, to: references.columns[at] as string })),
        when: {},
        rows,
        exact: true,
      }
    }),
  )
  return [...declared, ...foreign]
}

interface Known {
  readonly is: Whose
  readonly left: ReadonlySet<string>
}

/**
 * Rows looked up to which something else points as well, or something that stays for others itself; or that were found
 * through a row which stays for others.
 */
export function sharedRows(
  places: readonly Place[],
  arrows: readonly Arrow[],
  pointers: readonly Pointer[],
  known: ReadonlyMap<Document, Known>,
  isErased: (place: Place) => boolean,
): ReadonlySet<Document> {
  const shared = new Set<Document>()
  for (let size = -1; size !== shared.size; ) {
    size = shared.size
    for (const place of places) {
      for (const row of place.table.rows) {
        if (known.get(row)?.is !== 'looked up' || shared.has(row)) continue
        const isPointed = pointers.some(
          (pointer) => pointer.to === place && isPointedTo(pointer, row, known, shared, isErased),
        )
        if (isPointed || arrows.some((arrow) => hangsOn(arrow, place, row, shared))) shared.add(row)
      }
    }
  }
  return shared
}

/** Whether a row was found through one that stays because it is shared. */
function hangsOn(arrow: Arrow, place: Place, row: Document, shared: ReadonlySet<Document>): boolean {
  const { from, to, parts, directed, when } = arrow
  const stays = from.collection.service_meta.on_shared === 'retain'
  if (to.address !== place.address || !directed || isLookup(arrow) || !stays) return false
  const meets = (side: 'from' | 'to', each: Document) =>
    when?.side !== side || Object.entries(when.equals).every(([name, value]) => each[name] === value)
  const targets = parts.map((part) => to.fields.get(part.to) as FieldFacts)
  const keysIn = (each: Document, names: readonly string[], sources: readonly FieldFacts[]) =>
    readings(each, names).flatMap(({ values }) => keysOf(values as Value[], targets, sources))
  const mine = keysIn(
    row,
    parts.map((part) => part.to),
    targets,
  )
  const sources = parts.map((part) => from.fields.get(part.from) as FieldFacts)
  return (
    meets('to', row) &&
    from.table.rows.some(
      (each) =>
        shared.has(each) &&
        meets('from', each) &&
        keysIn(
          each,
          parts.map((part) => part.from),
          sources,
        ).some((key) => mine.includes(key)),
    )
  )
}

function isPointedTo(
  { from, to, parts, when, rows, exact }: Pointer,
  row: Document,
  known: ReadonlyMap<Document, Known>,
  shared: ReadonlySet<Document>,
  isErased: (place: Place) => boolean,
): boolean {
  const names = parts.map((part) => part.to)
  const facts = (place: Place, of: readonly string[]) => of.map((name) => place.fields.get(name) as FieldFacts)
  const text = (each: Document, of: readonly string[]) => {
    const values = of.map((name) => each[name] ?? null)
    return values.includes(null) ? [] : [JSON.stringify(values)]
  }
  const keysIn = (each: Document, of: readonly string[], sources: readonly FieldFacts[]): string[] =>
    exact
      ? text(each, of)
      : readings(each, of).flatMap(({ values }) => keysOf(values as Value[], facts(to, names), sources))
  const sources =
    from &&
    facts(
      from,
      parts.map((part) => part.from),
    )
  // A key that is a placeholder where the pointer starts is the key of no row there.
  const isMeant = sources && keysIn(row, names, sources)
  const keys = keysIn(row, names, facts(to, names)).filter((key) => isMeant?.includes(key) ?? true)
  if (keys.length === 0) return false
  // Whether a text means the number is more than a server can be asked: the row is kept. What has no type is what it is.
  const kinds = facts(to, names).map(({ kind }) => kind)
  if (!exact && sources?.some(({ kind }, at) => kinds[at] !== undefined && kind !== kinds[at])) return true
  const origins = parts.map((part) => part.from)
  return rows.some((other) => {
    if (!Object.entries(when).every(([name, value]) => other[name] === value)) return false
    const { is, left } = known.get(other) ?? {}
    // Of a collection that is not erased nobody asks whether a looked-up row is others' as well.
    const isInside = is === 'own' || (is === 'looked up' && from && isErased(from) && !shared.has(other))
    if (!isInside) return keysIn(other, origins, sources ?? []).some((key) => keys.includes(key))
    // Elements of others stay in a row of the request, and point on.
    if (exact || !left || left.size === 0) return false
    return readings(other, origins).some(
      ({ values, elements }) =>
        elements.some((element) => left.has(element)) &&
        keysOf(values, facts(to, names), sources ?? []).some((key) => keys.includes(key)),
    )
  })
}
