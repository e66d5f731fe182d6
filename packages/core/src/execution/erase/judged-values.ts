import type { Value } from '../../model/value.js'
import type { KeyGroup, Row } from '../../ports/connector.js'
import type { PlannedCollection } from '../../rules/plan/plan.js'
import { columnOf } from '../../rules/plan/spelled-column.js'
import type { CollectionToErase } from './erasure-context.js'
import { keyText } from './key-text.js'

/** The values of found rows that decide their owner. */
export interface JudgedValues {
  readonly columns: readonly string[]
  /** The values by column, then by distinct combination. */
  readonly values: readonly Value[][]
  readonly names: ReadonlySet<string>
}

/** Columns that decide the owner of a row. */
export function ownerColumns({ judging: { identities, owners, open } }: PlannedCollection): readonly string[] {
  const judged = [
    ...identities.map(({ field }) => field.path),
    ...[...owners, ...open].flatMap(({ fields, when }) => [...fields, ...when].map(({ path }) => path)),
  ]
  return [...new Set(judged.map(([column]) => column as string))]
}

/** Columns by which a row is judged: those that decide its owner, and those of its entries. */
export function judgingColumns(collection: PlannedCollection): readonly string[] {
  const byEntry = collection.entries.flatMap(({ fields, when }) =>
    [...fields, ...when].map(({ path }) => path[0] as string),
  )
  return [...new Set([...ownerColumns(collection), ...byEntry])]
}

/**
 * Columns that decide the owner of a row, if there are more than those of its entry. A list that still holds the key may
 * name further people by now, so the key is not enough where lists are possible.
 */
export function judgedColumns(collection: CollectionToErase): readonly string[] {
  const { entries, arrays } = collection
  const columns = ownerColumns(collection)
  const searched = entries.filter(({ compared }) => !compared)
  const searchedColumns = new Set(searched.flatMap(({ fields, when }) => [...fields, ...when].map(columnOf)))
  return !arrays && searched.length === 1 && columns.every((column) => searchedColumns.has(column)) ? [] : columns
}

/** Gathers the values of a batch's rows that decide their owner. */
export function judgedValues(collection: CollectionToErase) {
  const columns = judgedColumns(collection)
  const at = columns.map((column) => collection.columns.indexOf(column))
  const values: Value[][] = columns.map(() => [])
  const names = new Set<string>()
  return {
    found: { columns, values, names } satisfies JudgedValues,
    add(row: Row): void {
      if (at.length === 0) return
      const held = at.map((index) => row[index] ?? null)
      const name = keyText(held)
      if (names.has(name)) return
      names.add(name)
      for (const [part, list] of values.entries()) list.push(held[part] as Value)
    },
  }
}

/** The values that rows must still hold. Undefined where the key that found them is enough. */
export function judgedGroup({ columns, values }: JudgedValues): KeyGroup | undefined {
  if (columns.length === 0) return undefined
  return { fields: columns.map((column) => ({ path: [column] })), values, exact: true }
}

/** Whether a row still holds the values that decide its owner. `read` names its columns. */
export function judgedReader({ columns, names }: JudgedValues, read: readonly string[]): (row: Row) => boolean {
  if (columns.length === 0) return () => true
  const at = columns.map((column) => read.indexOf(column))
  return (row) => names.has(keyText(at.map((index) => row[index] ?? null)))
}
