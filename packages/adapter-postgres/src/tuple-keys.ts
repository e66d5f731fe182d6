import { type Condition, type KeyTarget, rowsOf, type SqlTable } from '@habeas/sql'
import { sql } from 'kysely'
import {
  type Expression,
  equals,
  type Form,
  formsOf,
  found,
  holds,
  keyList,
  type Operand,
  pointedTo,
} from './comparison.js'
import { integerArray, type KeyArray } from './key-array.js'
import type { BoundKey } from './key-binding.js'
import type { LiveColumn } from './live-column.js'
import { type RowSource, rowSource } from './row-source.js'
import { isScalar } from './value-binding.js'

type Target = KeyTarget<LiveColumn>
type Keys = readonly (readonly BoundKey[])[]

/** Tuples as lists side by side: each form in which a part is compared has a list. */
export interface TupleLists {
  readonly lists: readonly KeyArray[]
  /** Where each tuple stood; one that may have several forms in a document stands there as often. */
  readonly positions: KeyArray
  operand(part: number, source: RowSource): Operand
}

export function tupleLists(targets: readonly Target[], keys: Keys): TupleLists {
  const { parts, positions } = expanded(keys)
  const lists = targets.map(
    (target, part): Partial<Record<Form, KeyArray>> =>
      Object.fromEntries(formsOf(target).map((form) => [form, keyList(target, parts[part]!, form)])),
  )
  return {
    lists: lists.flatMap((forms) => Object.values(forms)),
    positions: integerArray(positions),
    operand: (part, source) => ({
      form: (form) => {
        const key = source.of(lists[part]![form]!)
        const { as } = targets[part]!
        return as ? pointedTo(as, key) : key
      },
      lowered: () => sql`lower(${source.of(lists[part]!.text!)})`,
    }),
  }
}

/** That the targets hold one of the tuples together. */
export function exactTuples(targets: readonly Target[], keys: Keys): Condition {
  const { lists, operand } = tupleLists(targets, keys)
  // only columns of the targets are named beside the lists
  const named: SqlTable<LiveColumn> = { path: [], columns: new Map(targets.map(({ column }) => [column.name, column])) }
  const source = rowSource(named, lists)
  const met = targets.map((target, part) => holds(target, operand(part, source)))
  return sql<boolean>`exists (select 1 from ${source.from} where ${sql.join(met, sql` and `)})`
}

/** How many rows hold each tuple. `likely` narrows rows down by an index, `where` holds of those that count. */
export function countOfEach(
  table: SqlTable<LiveColumn>,
  targets: readonly Target[],
  keys: Keys,
  likely: readonly Condition[],
  where: Condition | undefined,
): Expression {
  const { lists, positions, operand } = tupleLists(targets, keys)
  const source = rowSource(table, [positions, ...lists])
  const position = source.of(positions)
  const rows = rowsOf(table)
  const others = where ? sql` and ${where}` : sql``
  if (targets.every(({ column, as }) => as || isScalar(column))) {
    const met = targets.map((target, part) => holds(target, operand(part, source)))
    return sql`select ${position}, count(*) from ${rows}, ${source.from} where ${sql.join(met, sql` and `)}${others} group by ${position}`
  }
  // a row may hold a tuple in several of its elements, and still is one row
  const elements: Expression[] = []
  const met = targets.map((target, part) => {
    const { column, path, as } = target
    const reference = sql.id(column.name)
    if (as || isScalar(column)) return equals(target, reference, operand(part, source))
    const element = source.name(part)
    elements.push(sql`${column.family === 'json' ? found(reference, path) : sql`unnest(${reference})`} as ${element}`)
    return equals(target, element, operand(part, source))
  })
  const positionsMet = sql`select distinct ${position} from ${sql.join([source.from, ...elements])} where ${sql.join(met, sql` and `)}`
  const any = sql.join(likely, sql` and `)
  return sql`select ${position}, count(*) from ${rows}, lateral (${positionsMet}) as ${source.name('met')} where ${any}${others} group by ${position}`
}

/** A key of a document may have several forms. Where none has, the lists stay what they are and are sent once. */
function expanded(keys: Keys): { parts: Keys; positions: number[] } {
  if (!keys.some(([first]) => Array.isArray(first)))
    return { parts: keys, positions: (keys[0] ?? []).map((_, row) => row) }
  const parts: BoundKey[][] = keys.map(() => [])
  const positions: number[] = []
  for (let row = 0; row < (keys[0]?.length ?? 0); row++) {
    let tuples: BoundKey[][] = [[]]
    for (const column of keys) {
      const key = column[row]!
      const forms = Array.isArray(key) ? key.map((form: string) => [form]) : [key]
      tuples = tuples.flatMap((tuple) => forms.map((form) => [...tuple, form]))
    }
    for (const tuple of tuples) {
      positions.push(row)
      for (const [part, key] of tuple.entries()) parts[part]!.push(key)
    }
  }
  return { parts, positions }
}
