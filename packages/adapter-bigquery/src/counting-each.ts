import { type Expression, holds, type SqlErasing, type SqlTable } from '@habeas/sql'
import { sql } from 'kysely'
import type { BatchList } from './batch-list.js'
import type { Bound } from './bound-values.js'
import { isLoose, type LiveColumn } from './live-column.js'
import { rowsParameter, bigqueryShapes as shapes } from './shapes.js'

/** Names that no column has. */
const position = sql.id('habeas_position')
const held = sql.id('habeas_rows')
const tuple = sql.id('habeas_tuple')

/**
 * Counts tuple by tuple. Those of `@habeas/sql` join a lateral table, which GoogleSQL does not have: here each row gives
 * the positions that it holds, as an array. The columns of the result have names, so that a statement may stand around it.
 */
export const countingEach: Pick<SqlErasing<LiveColumn, Bound>, 'countEach' | 'countReferencing'> = {
  countEach(table, targets, keys, where) {
    const forms = positioned(keys)
    const lists = targets.map((target, part) => shapes.keys(target, forms.parts[part]!).own!)
    const met = targets.map((target, part) => {
      const key = keyOf(part)
      return holds(target, { form: () => key, lowered: () => key }, shapes)
    })
    const likely = targets.map((target, part) => shapes.holdsAny(target, keys[part]!))
    const plain = targets.every(({ column }) => shapes.isScalar(column))
    return counted(table, [shapes.numbers(forms.positions), ...lists], met, where ? [...likely, where] : likely, plain)
  },
  countReferencing(table, columns, to, keys, where) {
    if (!columns.every((column, part) => shapes.isComparable(column, to[part]!))) return undefined
    const lists = to.map((column, part) => shapes.referencedKeys(column, keys[part]!))
    const met = columns.map((column, part) => shapes.refersTo(column, to[part]!, sql.id(column.name), keyOf(part)))
    const likely = columns.flatMap((column, part) =>
      isLoose(column) || isLoose(to[part]!)
        ? []
        : [shapes.holdsAny({ column, path: [], caseInsensitive: false }, keys[part]!)],
    )
    const positions = shapes.numbers(keys[0]!.map((_, row) => row))
    return counted(table, [positions, ...lists], met, where ? [...likely, where] : likely, true)
  },
}

function keyOf(part: number): Expression {
  return sql`${tuple}.${sql.id(`f${part + 1}`)}`
}

function counted(
  table: SqlTable<LiveColumn>,
  lists: readonly BatchList[],
  met: readonly Expression[],
  where: readonly Expression[],
  plain: boolean,
): Expression {
  const tuples = sql`unnest(${rowsParameter(lists)}) as ${tuple}`
  if (plain) {
    const all = sql.join([...met, ...where], sql` and `)
    const at = sql`${tuple}.${sql.id('f0')} as ${position}`
    return sql`select ${at}, count(*) as ${held} from ${sql.id(...table.path)}, ${tuples} where ${all} group by 1`
  }
  // a row may hold a tuple in several of its elements, and still is one row
  const positions = sql`array(select distinct ${tuple}.${sql.id('f0')} from ${tuples} where ${sql.join(met, sql` and `)})`
  const rows = sql`${sql.id(...table.path)}, unnest(${positions}) as ${position}`
  return sql`select ${position}, count(*) as ${held} from ${rows} where ${sql.join(where, sql` and `)} group by 1`
}

/** A key of a document may have several forms: its tuple then stands there as often. */
function positioned(keys: readonly (readonly Bound[])[]): { parts: Bound[][]; positions: number[] } {
  const parts: Bound[][] = keys.map(() => [])
  const positions: number[] = []
  for (const row of keys[0]!.keys()) {
    let tuples: Bound[][] = [[]]
    for (const column of keys) {
      const key = column[row]!
      const forms: readonly Bound[] = Array.isArray(key) ? key : [key]
      tuples = tuples.flatMap((tuple) => forms.map((form) => [...tuple, form]))
    }
    for (const tuple of tuples) {
      positions.push(row)
      for (const [part, key] of tuple.entries()) parts[part]!.push(key)
    }
  }
  return { parts, positions }
}
