import { sql } from 'kysely'
import type { Condition, KeyTarget, SqlColumn, SqlTable } from '../dialect.js'
import { rowsOf } from '../rows-of.js'
import { rowSource } from './row-source.js'
import type { Expression, Form, Operand, RowSource, SqlShapes } from './sql-shapes.js'

type Keys<Bound> = readonly (readonly Bound[])[]

/** Tuples as lists side by side. Each form in which a part is compared has a list. */
export interface TupleLists<List> {
  readonly lists: readonly List[]
  /** The position of each tuple. A tuple that may have several forms in a document is listed once for each of them. */
  readonly positions: List
  operand(part: number, source: RowSource<List>): Operand
}

export function tupleLists<Column extends SqlColumn, Bound, List>(
  targets: readonly KeyTarget<Column>[],
  keys: Keys<Bound>,
  shapes: SqlShapes<Column, Bound, List>,
): TupleLists<List> {
  const { parts, positions } = expanded(keys)
  const lists = targets.map((target, part): Partial<Record<Form, List>> => shapes.keys(target, parts[part]!))
  return {
    lists: lists.flatMap((forms) => Object.values(forms)),
    positions: shapes.numbers(positions),
    operand: (part, source) => ({
      form: (form) => {
        const key = source.of(lists[part]![form]!)
        const { as } = targets[part]!
        return (as && shapes.pointedTo?.(as, key)) ?? key
      },
      lowered: (lower = (text) => sql`lower(${text})`) => lower(source.of((lists[part]!.text ?? lists[part]!.own)!)),
    }),
  }
}

/** Returns the condition that a row holds the operand: as the column, as an element of it, or at the path in a document. */
export function holds<Column extends SqlColumn, Bound, List>(
  target: KeyTarget<Column>,
  operand: Operand,
  shapes: Pick<SqlShapes<Column, Bound, List>, 'isScalar' | 'elements' | 'equals'>,
): Condition {
  const { column, as } = target
  if (as || shapes.isScalar(column)) return shapes.equals(target, sql.id(column.name), operand)
  if (!shapes.elements) throw new Error('compiled before refusing what lies inside a column')
  const element = sql.id('element')
  return sql<boolean>`exists (select 1 from ${shapes.elements(target)} as ${element} where ${shapes.equals(target, element, operand)})`
}

/** Returns the condition that the targets hold one of the tuples together. */
export function exactTuples<Column extends SqlColumn, Bound, List>(
  targets: readonly KeyTarget<Column>[],
  keys: Keys<Bound>,
  shapes: SqlShapes<Column, Bound, List>,
): Condition {
  const { lists, operand } = tupleLists(targets, keys, shapes)
  // only columns of the targets are named beside the lists
  const named: SqlTable<Column> = { path: [], columns: new Map(targets.map(({ column }) => [column.name, column])) }
  const source = rowSource(named, lists, shapes)
  const met = targets.map((target, part) => holds(target, operand(part, source), shapes))
  return sql<boolean>`exists (select 1 from ${source.from} where ${sql.join(met, sql` and `)})`
}

/** Counts the rows that hold each tuple and meet `where`. */
export function countOfEach<Column extends SqlColumn, Bound, List>(
  table: SqlTable<Column>,
  targets: readonly KeyTarget<Column>[],
  keys: Keys<Bound>,
  where: Condition | undefined,
  shapes: SqlShapes<Column, Bound, List>,
): Expression {
  const { lists, positions, operand } = tupleLists(targets, keys, shapes)
  const source = rowSource(table, [positions, ...lists], shapes)
  const position = source.of(positions)
  const rows = rowsOf(table)
  const others = where ? sql` and ${where}` : sql``
  if (targets.every(({ column, as }) => as || shapes.isScalar(column))) {
    const met = targets.map((target, part) => holds(target, operand(part, source), shapes))
    return sql`select ${position}, count(*) from ${rows}, ${source.from} where ${sql.join(met, sql` and `)}${others} group by ${position}`
  }
  // a row may hold a tuple in several of its elements, and is still one row
  const elements: Expression[] = []
  const met = targets.map((target, part) => {
    const { column, as } = target
    if (as || shapes.isScalar(column)) return shapes.equals(target, sql.id(column.name), operand(part, source))
    const element = source.name(part)
    elements.push(sql`${shapes.elements!(target)} as ${element}`)
    return shapes.equals(target, element, operand(part, source))
  })
  const positionsMet = sql`select distinct ${position} from ${sql.join([source.from, ...elements])} where ${sql.join(met, sql` and `)}`
  // this narrows the rows down by an index
  const likely = targets.map((target, part) => shapes.holdsAny(target, keys[part]!))
  return sql`select ${position}, count(*) from ${rows}, lateral (${positionsMet}) as ${source.name('met')} where ${sql.join(likely, sql` and `)}${others} group by ${position}`
}

/** Lists a tuple for each form that its keys may have in a document. Without such keys the lists stay as they are. */
function expanded<Bound>(keys: Keys<Bound>): { parts: Keys<Bound>; positions: number[] } {
  if (!keys.some(([first]) => Array.isArray(first)))
    return { parts: keys, positions: (keys[0] ?? []).map((_, row) => row) }
  const parts: Bound[][] = keys.map(() => [])
  const positions: number[] = []
  for (let row = 0; row < (keys[0]?.length ?? 0); row++) {
    let tuples: Bound[][] = [[]]
    for (const column of keys) {
      const key = column[row]!
      const forms = Array.isArray(key) ? key.map((form) => [form] as Bound) : [key]
      tuples = tuples.flatMap((tuple) => forms.map((form) => [...tuple, form]))
    }
    for (const tuple of tuples) {
      positions.push(row)
      for (const [part, key] of tuple.entries()) parts[part]!.push(key)
    }
  }
  return { parts, positions }
}
