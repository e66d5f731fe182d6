import { isStructured, type Value } from '../../model/value.js'
import type { Row, UnchangedRows } from '../../ports/connector.js'
import type { Link, PlannedCollection } from '../../rules/plan/plan.js'
import { columnOf, ownColumns } from '../../rules/plan/spelled-column.js'
import { type KeyLimits, mostKeys } from '../find/most-keys.js'
import type { CollectionToErase } from './erasure-context.js'
import { judgingColumns } from './judged-values.js'
import { keyText } from './key-text.js'

/** Rows that decide the owner of a batch's rows, on the same connection. They are locked while the batch is written. */
export interface HeldOwners {
  /** Takes rows of a collection that lead on by a link. */
  readonly of: (from: PlannedCollection, link: Link) => (row: Row) => void
  /** Takes rows of a collection as they were read. `columns` must not change. */
  readonly rows: (from: PlannedCollection, read: readonly string[], columns: readonly string[]) => (row: Row) => void
  readonly list: (limits: KeyLimits) => UnchangedRows[]
  /** The collections of these rows. */
  readonly addresses: () => readonly string[]
}

interface Held {
  readonly collection: PlannedCollection
  readonly columns: readonly string[]
  /** Rows by their values, with the number of equal rows. */
  readonly rows: Map<string, { readonly values: readonly Value[]; count: number }>
}

export function heldOwners({ connectionKey }: CollectionToErase): HeldOwners {
  const all: Held[] = []
  function rowsOf(collection: PlannedCollection, read: readonly string[], columns: readonly string[]) {
    const at = columns.map((name) => read.indexOf(name))
    const rows: Held['rows'] = new Map()
    all.push({ collection, columns, rows })
    return (row: Row) => {
      const values = at.map((index) => row[index] ?? null)
      const name = keyText(values)
      const known = rows.get(name)
      if (known) known.count++
      else rows.set(name, { values, count: 1 })
    }
  }
  return {
    rows: rowsOf,
    of(collection, link) {
      if (collection.connectionKey !== connectionKey) return () => {}
      const judging = judgingColumns(collection).map((name) => ({ path: [name] }))
      const names = [...link.fields, ...link.when, ...judging].map(columnOf)
      const columns = ownColumns(collection.columns).filter((name) => names.includes(name))
      return rowsOf(collection, collection.columns, columns)
    },
    list: (limits) => all.flatMap((held) => unchangedRows(held, limits)),
    addresses: () => all.map(({ collection }) => collection.address),
  }
}

/** Leaves out documents: they were read again already, and no server compares them completely. */
function unchangedRows({ collection, columns, rows }: Held, limits: KeyLimits): UnchangedRows[] {
  const all = [...rows.values()]
  const compared = columns.flatMap((column, at) =>
    all.some(({ values }) => isStructured(values[at])) ? [] : [{ column, at }],
  )
  if (compared.length === 0) return []
  const fields = compared.map(({ column }) => ({ path: [column] }))
  const limit = mostKeys(limits, compared.length)
  const entries: UnchangedRows[] = []
  for (let from = 0; from < all.length; from += limit) {
    const some = all.slice(from, from + limit)
    const values = compared.map(({ at }) => some.map((each) => each.values[at] as Value))
    const count = some.reduce((sum, each) => sum + each.count, 0)
    entries.push({ collection: collection.collection, group: { fields, values, exact: true }, rows: count })
  }
  return entries
}
