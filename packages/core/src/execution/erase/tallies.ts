import type { ErasureTally } from '../../ports/erasure-rows.js'

export interface Tallies {
  add(outcome: ErasureTally['outcome'], reason: string | undefined, rowCount: number): void
  /** Subtracts one row from an outcome that was counted. */
  takeBack(outcome: ErasureTally['outcome'], reason: string | undefined): void
  list(): ErasureTally[]
}

/** Counts rows by outcome and reason, in addition to `before`. */
export function tallies(before: readonly ErasureTally[] = []): Tallies {
  const counted = new Map<string, ErasureTally>()
  const add: Tallies['add'] = (outcome, reason, rowCount) => {
    const name = `${outcome}\0${reason ?? ''}`
    const known = counted.get(name)?.rowCount ?? 0
    counted.set(name, { outcome, ...(reason !== undefined && { reason }), rowCount: known + rowCount })
  }
  for (const { outcome, reason, rowCount } of before) add(outcome, reason, rowCount)
  const takeBack: Tallies['takeBack'] = (outcome, reason) => {
    const name = `${outcome}\0${reason ?? ''}`
    const known = counted.get(name)
    if (known && known.rowCount > 1) counted.set(name, { ...known, rowCount: known.rowCount - 1 })
    else counted.delete(name)
  }
  return { add, takeBack, list: () => [...counted.values()] }
}
