import type { ForeignKey, Value } from '@habeas/core'
import type { MemoryCheck, MemoryCollection } from '@habeas/testkit'
import {
  type Arrow,
  back,
  type Document,
  endsAtKey,
  type Place,
  placesOf,
  referencesOf,
  type World,
} from '../engine/naive-graph.js'
import { naiveAccess, type Whose } from '../engine/naive-model.js'
import { keyOf } from '../engine/naive-rows.js'

/*
 * What decisions §7.10–7.16 say an erasure leaves behind, in the simplest way: whole tables in memory, every row looked at
 * on its own. It shares nothing with the engine.
 */

/** What a text becomes that nobody can foretell. */
export const hashed = 'what a hash gives'
export const randomly = 'what chance gives'

export interface Expected {
  /** By address, each row with what becomes of it, in the order of the table; undefined: it is deleted. */
  readonly rows: ReadonlyMap<
    string,
    readonly { readonly row: Document; readonly to: Document | undefined; readonly found: boolean }[]
  >
  /** Why the database would not have it, or it must not be tried. */
  readonly impossible: readonly string[]
}

interface Fates {
  readonly masks: readonly { readonly name: string; readonly strategy: string; readonly to: Value }[]
  readonly targeted: readonly string[]
  readonly keeps: readonly string[]
  readonly impossible: readonly string[]
}

/** By address, the live table behind a collection. */
export type Live = ReadonlyMap<string, MemoryCollection>

export function naiveErasure(world: World, live: Live): Expected | undefined {
  const access = naiveAccess(world)
  if (!access) return undefined
  const places = placesOf(world)
  const whose = new Map<Document, Whose>(access.flatMap((found) => found.whose.map(({ row, is }) => [row, is])))
  const searched = new Set(access.map(({ address }) => address))
  const pointers = pointersOf(places, live)
  const shared = sharedRows(places, pointers, whose)
  const impossible: string[] = []
  const rows = new Map<string, { row: Document; to: Document | undefined; found: boolean }[]>()
  for (const place of places) {
    const { erase: how, on_shared: onShared } = place.collection.service_meta
    const fates = fatesOf(place, live.get(place.address) as MemoryCollection, places, live)
    if (searched.has(place.address) && how !== 'delete') impossible.push(...fates.impossible)
    rows.set(
      place.address,
      place.table.rows.map((row) => {
        const is = whose.get(row)
        const found = is === 'own' || is === 'looked up'
        const isShared = shared.has(row)
        const holds = (name: string) => (row[name] ?? null) !== null
        if (!found || (isShared && onShared !== 'erase') || !fates.targeted.some(holds)) return { row, to: row, found }
        if (how === 'delete' && !isShared && !fates.keeps.some(holds)) return { row, to: undefined, found }
        const changes = fates.masks.filter(({ name }) => holds(name)).map(({ name, to }) => [name, to] as const)
        return { row, to: { ...row, ...Object.fromEntries(changes) }, found }
      }),
    )
  }
  impossible.push(...refusals(rows, live))
  return { rows, impossible }
}

interface Pointer {
  readonly from: Place
  readonly to: Place
  readonly parts: Arrow['parts']
  readonly when: Readonly<Record<string, unknown>>
}

/** Every way by which a row may point to the key of another: references, and live foreign keys. */
function pointersOf(places: readonly Place[], live: Live): Pointer[] {
  const declared = referencesOf(places).flatMap((each) =>
    [each, back(each)].flatMap((way, at) => {
      if (!endsAtKey(way)) return []
      // Against its direction only where it does not start at a key: there one row belongs with the other.
      if (each.directed && at === 1 && endsAtKey(back(way))) return []
      return [{ ...way, when: way.when?.side === 'from' ? way.when.equals : {} }]
    }),
  )
  const foreign = places.flatMap((from) =>
    (live.get(from.address)?.foreignKeys ?? []).map(({ columns, references }: ForeignKey) => ({
      from,
      to: places.find(({ address }) => address === `${from.dataset.service_key}:${references.collection}`) as Place,
      parts: columns.map((name, at) => ({ from: name, to: references.columns[at] as string })),
      when: {},
    })),
  )
  return [...declared, ...foreign]
}

/** §7.10: rows looked up to which something else points as well, or something that stays for others itself. */
function sharedRows(places: readonly Place[], pointers: readonly Pointer[], whose: ReadonlyMap<Document, Whose>) {
  const shared = new Set<Document>()
  const keyAt = (place: Place, names: readonly string[], as: readonly string[], to: Place, row: Document) =>
    keyOf(
      names.map((name) => row[name] ?? null),
      as.map((name) => to.fields.get(name) as never),
      names.map((name) => place.fields.get(name) as never),
    )
  for (let size = -1; size !== shared.size; ) {
    size = shared.size
    for (const place of places) {
      for (const row of place.table.rows) {
        if (whose.get(row) !== 'looked up' || shared.has(row)) continue
        const isPointedTo = pointers.some(({ from, to, parts, when }) => {
          if (to !== place) return false
          const names = parts.map((part) => part.to)
          const key = keyAt(place, names, names, place, row)
          if (key === undefined) return false
          // Whether a text means the number is more than a server can be asked: the row is kept.
          const kinds = parts.map((part) => [from.fields.get(part.from)?.kind, place.fields.get(part.to)?.kind])
          if (kinds.some(([one, other]) => one !== other)) return true
          return from.table.rows.some((other) => {
            const is = whose.get(other)
            // Of a collection that is not erased nobody asks whether a looked-up row is others' as well.
            const isErased = from.collection.fields.some((field) => field.data_categories.includes('user'))
            if (is === 'own' || (is === 'looked up' && isErased && !shared.has(other))) return false
            if (!Object.entries(when).every(([name, value]) => other[name] === value)) return false
            return (
              keyAt(
                from,
                parts.map((part) => part.from),
                names,
                place,
                other,
              ) === key
            )
          })
        })
        if (isPointedTo) shared.add(row)
      }
    }
  }
  return shared
}

/** §7.13–7.15: what becomes of the fields of one collection. */
function fatesOf(place: Place, table: MemoryCollection, places: readonly Place[], live: Live): Fates {
  const { primaryKey = [], uniqueKeys = [], columns = [], foreignKeys = [] } = table
  const declared = [...place.fields].filter(([, { meta }]) => meta.primary_key).map(([name]) => name)
  const keys = primaryKey.length > 0 ? primaryKey : declared
  const isNamed = (name: string) =>
    places.some((other) =>
      [...other.fields.values()].some(({ meta }) =>
        meta.references.some(
          (reference) =>
            reference.dataset === place.dataset.service_key && reference.field === `${place.collection.name}.${name}`,
        ),
      ),
    ) ||
    places.some(
      (other) =>
        other.dataset === place.dataset &&
        (live.get(other.address)?.foreignKeys ?? []).some(
          ({ references }) => references.collection === place.collection.name && references.columns.includes(name),
        ),
    )
  const masks: { name: string; strategy: string; to: Value }[] = []
  const targeted: string[] = []
  const keeps: string[] = []
  const impossible: string[] = []
  for (const field of place.collection.fields) {
    const { name, service_meta: meta } = field
    const column = columns.find((each) => each.name === name)
    const own = meta.masking_strategy?.strategy
    if (meta.retain || own === 'preserve') keeps.push(name)
    if (!field.data_categories.includes('user')) continue
    targeted.push(name)
    if (meta.retain || meta.read_only || own === 'preserve') continue
    const isForeign = foreignKeys.some((each) => each.columns.includes(name))
    if ((keys.includes(name) || isNamed(name) || isForeign) && !meta.masking_strategy) continue
    const needsText = column?.nullable === false && column.kind === 'string'
    const strategy = own ?? (needsText ? 'random_string_rewrite' : 'null_rewrite')
    const isText = strategy !== 'null_rewrite'
    if (isText && column?.kind !== 'string') impossible.push(`${name} is no text`)
    if (!isText && column?.nullable === false) impossible.push(`${name} is not null`)
    const isUnique = [primaryKey, ...uniqueKeys].some((key) => key.length === 1 && key[0] === name)
    if (strategy === 'string_rewrite' && isUnique) impossible.push(`${name} is unique`)
    if (isText && foreignKeys.some((key) => key.columns.includes(name))) impossible.push(`${name} is foreign`)
    const to = { null_rewrite: null, string_rewrite: 'x', hash: hashed, random_string_rewrite: randomly }[
      strategy as 'hash'
    ]
    masks.push({ name, strategy, to })
  }
  return { masks, targeted, keeps, impossible }
}

/** §7.15: what the database would refuse of the end, or carry along. */
function refusals(rows: Expected['rows'], live: Live): string[] {
  const found: string[] = []
  const text = (row: Document, columns: readonly string[]) => {
    const values = columns.map((column) => row[column] ?? null)
    return values.includes(null) ? undefined : JSON.stringify(values)
  }
  for (const [address, table] of live) {
    const all = rows.get(address) ?? []
    const after = all.flatMap(({ to }) => (to ? [to] : []))
    const changed = all.flatMap(({ row, to }) => (to && to !== row ? [to] : []))
    for (const columns of [table.primaryKey ?? [], ...(table.uniqueKeys ?? [])]) {
      // What nobody can foretell is never twice the same, but a hash of equal texts.
      const texts = after.flatMap((row) => {
        const known = columns.length > 0 ? text(row, columns) : undefined
        return known === undefined || known.includes(hashed) || known.includes(randomly) ? [] : [known]
      })
      if (new Set(texts).size < texts.length) found.push(`${address} is not unique`)
    }
    for (const { name, nullable, kind } of table.columns ?? []) {
      if (kind !== 'string' && changed.some((row) => typeof row[name] === 'string'))
        found.push(`${address}.${name} is no text`)
      const isEmptied = ({ row, to }: (typeof all)[number]) =>
        to !== undefined && row[name] !== null && to[name] === null
      if (nullable === false && all.some(isEmptied)) found.push(`${address}.${name} is not null`)
    }
    for (const { name, holds } of (table.checks ?? []) as readonly MemoryCheck[]) {
      if (!changed.every((row) => holds(row as never))) found.push(`${address} breaks ${name}`)
    }
    for (const { columns, references } of table.foreignKeys ?? []) {
      const target = rows.get(`${address.slice(0, address.indexOf(':'))}:${references.collection}`) ?? []
      const lost = new Set(
        target.flatMap(({ row, to }) => {
          const known = text(row, references.columns)
          return known !== undefined && (!to || text(to, references.columns) !== known) ? [known] : []
        }),
      )
      if (after.some((row) => lost.has(text(row, columns) ?? ''))) found.push(`${address} would be carried along`)
    }
  }
  return found
}
