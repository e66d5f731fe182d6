import { sql } from 'kysely'
import type { Condition, KeyTarget, SqlColumn, SqlTable } from '../dialect.js'
import type { SqlAssignment, SqlErasing, SqlKeys } from '../erasing-dialect.js'
import { rowsOf } from '../rows-of.js'
import { rowSource } from './row-source.js'
import type { Expression, ListedAssignment, RowSource, SqlShapes } from './sql-shapes.js'
import { countOfEach, exactTuples, tupleLists } from './tuple-lists.js'

/** Erases by sets: keys and new values are lists beside the table, so that one statement writes all rows of a shape. */
export function setErasing<Column extends SqlColumn, Bound, List>(
  shapes: SqlShapes<Column, Bound, List>,
): SqlErasing<Column, Bound> {
  type Table = SqlTable<Column>
  type Keys = SqlKeys<Column, Bound>
  interface Matched {
    readonly source: RowSource<List>
    readonly condition: Expression
  }
  const isPlain = ({ columns, nullSafe }: Keys) => !nullSafe && columns.every(shapes.isScalar)

  /**
   * Returns the condition of rows that hold the keys and meet `where`. The keys are one list where that is enough, else they
   * are a table beside the one that is written.
   */
  function matched(
    { table, keys, where }: { readonly table: Table; readonly keys: Keys; readonly where?: Condition },
    more: readonly List[] = [],
  ): Matched {
    // the filter stands by itself, so that the server sees which part of the table it has to read
    const filter = table.within ? [table.within] : []
    if (!isPlain(keys)) return matchedExactly(table, keys, where, more)
    const targets = targetsOf(keys.columns)
    const values = keys.values as readonly (readonly Bound[])[]
    const isOneList = targets.length === 1 && !shapes.joinsKeys
    const single = isOneList ? shapes.holdsAny(targets[0]!, values[0]!) : undefined
    if (single && more.length === 0) {
      const all = sql.join([...filter, single, ...(where ? [where] : [])], sql` and `)
      return { source: rowSource(table, [], shapes), condition: all }
    }
    const { lists, operand } = tupleLists(targets, values, shapes)
    const source = rowSource(table, [...lists, ...more], shapes)
    const met = targets.map((target, part) => shapes.equals(target, sql.id(target.column.name), operand(part, source)))
    const parts: Expression[] = [...filter, ...met]
    // the list beside the join keeps the planner from reading the whole table
    if (single) parts.push(single)
    // this is judged after the join, because the planner would wrongly expect `where` to leave fewer rows
    if (where)
      parts.push(
        shapes.conditionsAreNoValues ? where : sql`case when ${source.of(lists[0]!)} is not null then ${where} end`,
      )
    return { source, condition: sql.join(parts, sql` and `) }
  }

  /** Does the same for keys with nulls, lists or documents. */
  function matchedExactly(table: Table, keys: Keys, where: Condition | undefined, more: readonly List[]): Matched {
    const { columns, values } = keys
    const lists = columns.map((column, part) => shapes.exactKeys(column, values[part]!))
    const source = rowSource(table, [...lists, ...more], shapes)
    const filter = table.within ? [table.within] : []
    const key = (part: number) => source.of(lists[part]!)
    const same =
      shapes.holdsExactly?.(columns, key) ?? sql`(${shapes.record(columns)}) = (${shapes.record(columns, key)})`
    const parts = [...filter, same, ...indexedParts(keys), ...(where ? [where] : [])]
    return { source, condition: sql.join(parts, sql` and `) }
  }

  /** Returns the same as a condition alone, for which the server can hash the keys. */
  function holdingExactly(keys: Keys): Condition {
    const { columns, values } = keys
    const lists = columns.map((column, part) => shapes.exactKeys(column, values[part]!))
    const named: Table = { path: [], columns: new Map(columns.map((column) => [column.name, column])) }
    const source = rowSource(named, lists, shapes)
    const records = sql`select ${shapes.record(columns, (part) => source.of(lists[part]!))} from ${source.from}`
    const parts = [sql`(${shapes.record(columns)}) in (${records})`, ...indexedParts(keys)]
    return sql<boolean>`(${sql.join(parts, sql` and `)})`
  }

  /** Returns conditions that find the rows by an index, beside the condition that compares them exactly. */
  function indexedParts({ columns, values }: Keys): Condition[] {
    return targetsOf(columns).flatMap((target, part) => {
      const keys = values[part]!
      const finds = target.column.indexed && shapes.isScalar(target.column) && !keys.includes(null)
      return finds ? [shapes.holdsAny(target, keys as readonly Bound[])] : []
    })
  }

  function keyOrder(keys: Keys): Expression {
    return isPlain(keys) ? sql.join(keys.columns.map(shapes.order)) : shapes.record(keys.columns)
  }

  function assignedOf(assignment: SqlAssignment<Column, Bound>, table: Table): ListedAssignment<List> {
    const { column } = assignment
    if ('members' in assignment) return shapes.members(column, assignment.members, table)
    const unlessNull = (to: Expression) => sql`case when ${sql.id(column.name)} is null then null else ${to} end`
    if ('to' in assignment) {
      const to = assignment.to === null ? sql`null` : unlessNull(shapes.constant(column, assignment.to))
      return { lists: [], to: () => to }
    }
    const list = shapes.newValues(column, assignment.toEach)
    return { lists: [list], to: (source) => unlessNull(shapes.newValue(column, source.of(list))) }
  }

  const { keyBinder, numbersBinder, valueBinder, rewritable, onlyWhole } = shapes
  const { unchangedFails, everyRow, documentTexts, sameReferences, lock } = shapes
  return {
    keyBinder,
    ...(numbersBinder && { numbersBinder }),
    valueBinder,
    rewritable,
    ...(onlyWhole && { onlyWhole }),
    ...(unchangedFails && { unchangedFails }),
    ...(everyRow && { everyRow }),
    ...(documentTexts && { documentTexts }),
    ...(sameReferences && { sameReferences }),
    holding(keys) {
      if (!isPlain(keys)) return holdingExactly(keys)
      const targets = targetsOf(keys.columns)
      const values = keys.values as readonly (readonly Bound[])[]
      const parts = targets.map((target, part) => shapes.holdsAny(target, values[part]!))
      return targets.length === 1
        ? parts[0]!
        : sql<boolean>`(${sql.join([...parts, exactTuples(targets, values, shapes)], sql` and `)})`
    },
    tuples: (targets, keys) => exactTuples(targets, keys, shapes),
    update({ table, keys, where }, set) {
      const assigned = set.map((assignment) => assignedOf(assignment, table))
      const lists = assigned.flatMap((each) => each.lists)
      const { source, condition } = matched({ table, keys, where }, lists)
      const assignments = set.map(({ column }, at) => sql`${sql.id(column.name)} = ${assigned[at]!.to(source)}`)
      return shapes.update(rowsOf(table), besideOf(source), sql.join(assignments), condition)
    },
    remove(touch) {
      const { source, condition } = matched(touch)
      return shapes.remove(rowsOf(touch.table), besideOf(source), condition)
    },
    ...(lock && {
      lock({ table, keys }) {
        const { source, condition } = matched({ table, keys })
        if (lock.behindTable) {
          const beside = besideOf(source)
          const from = sql`${rowsOf(table)} ${lock.writing(table)}${beside ? sql`, ${beside}` : sql``}`
          return sql`select count(*) from ${from} where ${condition}`
        }
        const rows = sql`select 1 from ${tablesOf(table, source)} where ${condition} order by ${keyOrder(keys)}`
        const locked = sql`${rows} ${lock.writing(table)}`
        return sql`select count(*) from (${locked}) as ${source.name('locked')}`
      },
    }),
    unchanged(table, where, rows) {
      const locked = lock && table.lockable ? sql` ${lock.reading(table)}` : sql``
      const [hint, end] = lock?.behindTable ? [locked, sql``] : [sql``, locked]
      return shapes.countedAtLeast(sql`select 1 from ${rowsOf(table)}${hint} where ${where}${end}`, rows)
    },
    holders({ table, keys }) {
      const { source, condition } = matched({ table, keys })
      return sql`select count(*) from ${tablesOf(table, source)} where ${condition}`
    },
    countEach: (table, targets, keys, where) => countOfEach(table, targets, keys, where, shapes),
    countReferencing(table, columns, to, keys, where) {
      if (!columns.every((column, part) => shapes.isComparable(column, to[part]!))) return undefined
      const lists = to.map((column, part) => shapes.referencedKeys(column, keys[part]!))
      const positions = shapes.numbers(keys[0]!.map((_, row) => row))
      const source = rowSource(table, [positions, ...lists], shapes)
      const met = columns.map((column, part) =>
        shapes.refersTo(column, to[part]!, sql.id(column.name), source.of(lists[part]!)),
      )
      const all = sql.join(where ? [...met, where] : met, sql` and `)
      const position = source.of(positions)
      return sql`select ${position}, count(*) from ${tablesOf(table, source)} where ${all} group by ${position}`
    },
  }

  function besideOf({ lists, from }: RowSource<List>): Expression | undefined {
    return lists.length === 0 ? undefined : from
  }

  function tablesOf(table: Table, source: RowSource<List>): Expression {
    const beside = besideOf(source)
    return beside ? sql`${rowsOf(table)}, ${beside}` : rowsOf(table)
  }
}

function targetsOf<Column extends SqlColumn>(columns: readonly Column[]): KeyTarget<Column>[] {
  return columns.map((column) => ({ column, path: [], caseInsensitive: false }))
}
