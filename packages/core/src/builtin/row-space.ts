import type { RowKind } from '../ports/rows.js'
import type { SearchedRow } from './row-query.js'

/** The rows of every kind as one transaction, or nobody in particular, sees them. */
export interface RowSpace {
  get(kind: RowKind, id: string): SearchedRow | undefined
  all(kind: RowKind): Iterable<SearchedRow>
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

/** Rows that are there for everybody. */
export const committedRows = (): RowSpace => {
  const kinds = new Map<RowKind, Map<string, SearchedRow>>()
  return {
    get: (kind, id) => kinds.get(kind)?.get(id),
    all: (kind) => kinds.get(kind)?.values() ?? [],
    put: (kind, row) => void mapOf(kinds, kind).set(row.id, row),
    remove: (kind, id) => void kinds.get(kind)?.delete(id),
  }
}

/** Rows of `below` with changes on top that only the holder of this space sees until `apply`. */
export const changedRows = (below: RowSpace): RowSpace & { apply(): void } => {
  const kinds = new Map<RowKind, Map<string, SearchedRow | undefined>>()

  function* all(kind: RowKind): Generator<SearchedRow> {
    const changes = kinds.get(kind)
    for (const row of below.all(kind)) if (changes?.has(row.id) !== true) yield row
    for (const row of changes?.values() ?? []) if (row !== undefined) yield row
  }

  return {
    get(kind, id) {
      const changes = kinds.get(kind)
      return changes?.has(id) === true ? changes.get(id) : below.get(kind, id)
    },
    all,
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
