import type { Json } from './bank.js'

type Rows = Readonly<Record<string, readonly Json[]>>

/** The result without the rows of one collection that are somebody else's. */
export const without =
  (address: string, isTheirs: (row: Json) => boolean) =>
  (given: Json): Json => {
    const drop = (rows: Rows): Rows =>
      Object.fromEntries(
        Object.entries(rows).map(([each, list]) => [
          each,
          each === address ? list.filter((row) => !isTheirs(row)) : list,
        ]),
      )
    const raw = drop(given['raw'] as Rows)
    const filtered = Object.entries((given['filtered'] ?? {}) as Record<string, Rows>)
    return {
      ...given,
      raw,
      others: { [address]: ((given['raw'] as Rows)[address]?.length ?? 0) - (raw[address]?.length ?? 0) },
      row_counts: { ...(given['row_counts'] as Json), [address]: raw[address]?.length },
      filtered: Object.fromEntries(filtered.map(([name, rows]) => [name, drop(rows)])),
    }
  }

/** What stays of a collection that the case has written: its rows as they were, and how many of them are retained. */
export interface Left {
  /** Default: all of them. */
  readonly row?: (row: Json) => boolean
  /** Columns of the rows that are written, which stay what they were. */
  readonly columns?: readonly string[]
  readonly retained?: number
}

/** The result of an erasure without what it leaves. */
export const leaving =
  (left: Readonly<Record<string, Left>>) =>
  (given: Json): Json => {
    const stays = (address: string, row: Json) => {
      const each = left[address]
      return each !== undefined && each.columns === undefined && (each.row?.(row) ?? true)
    }
    const changed = Object.entries(given['changed_rows'] as Rows).map(([address, rows]) => {
      const kept = left[address]?.columns ?? []
      const written = rows.flatMap(({ before, after }) => {
        const was = before as Json
        if (stays(address, was)) return []
        return [{ before, after: { ...(after as Json), ...Object.fromEntries(kept.map((name) => [name, was[name]])) } }]
      })
      return [address, written] as const
    })
    const statements = Object.entries(given['statements'] as Rows).map(
      ([address, list]) => [address, list.filter(({ where }) => !stays(address, where as Json))] as const,
    )
    const counted = changed.map(([address, rows]) => [address, rows.length] as const)
    return {
      changed_rows: Object.fromEntries(changed.filter(([, rows]) => rows.length > 0)),
      statements: Object.fromEntries(statements),
      counts: { ...(given['counts'] as Json), ...Object.fromEntries(counted) },
      retained: Object.fromEntries(
        Object.entries(left).flatMap(([address, { retained }]) =>
          retained === undefined ? [] : [[address, retained]],
        ),
      ),
    }
  }
