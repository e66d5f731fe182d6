import type { Value } from '@habeas/core'
import { noCode } from './build-tables.js'
import { type ColumnType, tableOf, type World, type WorldReference, type WorldRow } from './world.js'

/* Key values: as rows hold them, and as others spell the same. */

/** The key of the `ordinal`th row of a table. Tables have the same ones, as they do where servers count them. */
export function keyValue(type: ColumnType, ordinal: number): Value {
  switch (type) {
    case 'integer':
      return ordinal
    case 'bigint':
      return String(9_007_199_254_740_992n + BigInt(ordinal))
    case 'numeric':
      return `${ordinal}.00`
    case 'uuid':
      return `00000000-0000-4000-8000-${String(ordinal).padStart(12, '0')}`
    case 'text':
      return `k${ordinal}`
    case 'no_case':
      return `Key${ordinal}`
  }
}

/** The same value in another column, in one of the ways its server holds equal over a foreign key, or without one. */
function spelled(value: Value, from: ColumnType, to: ColumnType, how: number, isLinked: boolean): Value {
  if (from === 'no_case') {
    const text = String(value)
    return isLinked ? ([text, text.toUpperCase(), text.toLowerCase()][how % 3] as string) : text
  }
  if (from === to) return value
  if (to === 'text') return String(value)
  return to === 'numeric' ? `${value}.00` : Number(value)
}

/** What the columns of a reference hold in a row that points there. */
export function referencing(
  world: Pick<World, 'tables'>,
  reference: WorldReference,
  target: WorldRow | undefined,
  how: number,
): Record<string, Value> {
  const { columns, toColumns, to, onDelete } = reference
  const table = tableOf(world, to)
  const from = world.tables.find(({ references }) => references.includes(reference))
  // nobody asks a server what it holds equal in a schema that another connection leads to
  const isLinked = onDelete !== undefined && from?.dataset === table.dataset
  const says = (column: string) => (table.placeholders[column] !== undefined && how % 2 === 1 ? noCode : null)
  return Object.fromEntries(
    columns.map(({ name, type }, at) => {
      const column = toColumns[at] as string
      if (!target) return [name, says(column)]
      const keyType = table.key.find((part) => part.name === column)?.type ?? 'text'
      return [name, spelled(target.values[column] ?? null, keyType, type, how, isLinked)]
    }),
  )
}

/** Whether a row can be pointed to this way: a code that says nothing leads nowhere. */
export const canBePointedTo = ({ toColumns }: WorldReference, { values }: WorldRow): boolean =>
  toColumns.every((column) => values[column] !== null && values[column] !== noCode)
