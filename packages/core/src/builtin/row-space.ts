import type { RowKind } from '../ports/rows.js'
import type { FieldValue, SearchedRow } from './row-query.js'

/** The rows of every kind as one transaction sees them, or as everyone outside of one does. */
export interface RowSpace {
  get(kind: RowKind, id: string): SearchedRow | undefined
  all(kind: RowKind): Iterable<SearchedRow>
  /**
   * Returns the rows whose field holds one of these values, by an index. A few that do not match may be among them.
   */
  holding(kind: RowKind, field: string, values: readonly FieldValue[]): Iterable<SearchedRow>
  put(kind: RowKind, row: SearchedRow): void
  remove(kind: RowKind, id: string): void
}

const mapOf = <Value>(maps: Map<RowKind, Map<string, Value>>, kind: RowKind): Map<string, Value> => {
  let map = maps.get(kind)
  if (map === undefined) {
    map = new Map()
    maps.set(kind, map)
  }
  return map
}

/** Rows by the value of one of their fields. */
type Index = Map<unknown, Map<string, SearchedRow>>

/** Holds the committed rows. A field gets an index with the first search for one of its values. */
export const committedRows = (): RowSpace => {
  const kinds = new Map<RowKind, Map<string, SearchedRow>>()
  const indexes = new Map<RowKind, Map<string, Index>>()

  const enter = (index: Index, field: string, row: SearchedRow) => {
    const rows = index.get(row[field])
    if (rows) rows.set(row.id, row)
    else index.set(row[field], new Map([[row.id, row]]))
  }
  const leave = (kind: RowKind, row: SearchedRow | undefined) => {
    if (row === undefined) return
    for (const [field, index] of indexes.get(kind) ?? []) {
      const rows = index.get(row[field])
      if (rows?.delete(row.id) && rows.size === 0) index.delete(row[field])
    }
  }
  const indexOf = (kind: RowKind, field: string): Index => {
    const fields = mapOf(indexes, kind)
    const known = fields.get(field)
    if (known) return known
    const index: Index = new Map()
    for (const row of kinds.get(kind)?.values() ?? []) enter(index, field, row)
    fields.set(field, index)
    return index
  }

  return {
    get: (kind, id) => kinds.get(kind)?.get(id),
    all: (kind) => kinds.get(kind)?.values() ?? [],
    *holding(kind, field, values) {
      const index = indexOf(kind, field)
      for (const value of new Set(values)) yield* index.get(value)?.values() ?? []
    },
    put(kind, row) {
      const rows = mapOf(kinds, kind)
      leave(kind, rows.get(row.id))
      rows.set(row.id, row)
      for (const [field, index] of indexes.get(kind) ?? []) enter(index, field, row)
    },
    remove(kind, id) {
      const rows = mapOf(kinds, kind)
      leave(kind, rows.get(id))
      rows.delete(id)
    },
  }
}

/** Holds the rows of `below` with changes on top, which only the holder of this space sees until `apply`. */
export const changedRows = (below: RowSpace): RowSpace & { apply(): void } => {
  const kinds = new Map<RowKind, Map<string, SearchedRow | undefined>>()

  function* over(kind: RowKind, rows: Iterable<SearchedRow>): Generator<SearchedRow> {
    const changes = kinds.get(kind)
    for (const row of rows) if (changes?.has(row.id) !== true) yield row
    for (const row of changes?.values() ?? []) if (row !== undefined) yield row
  }

  return {
    get(kind, id) {
      const changes = kinds.get(kind)
      return changes?.has(id) === true ? changes.get(id) : below.get(kind, id)
    },
    all: (kind) => over(kind, below.all(kind)),
    // Changes are few, so every search looks at each of them.
    holding: (kind, field, values) => over(kind, below.holding(kind, field, values)),
    put: (kind, row) => void mapOf(kinds, kind).set(row.id, row),
    remove: (kind, id) => void mapOf(kinds, kind).set(id, undefined),
    apply() {
      for (const [kind, changes] of kinds) {
        for (const [id, row] of changes) {
          if (row === undefined) below.remove(kind, id)
          else below.put(kind, row)
        }
      }
    },
  }
}
