import type { Condition, KeyTarget, SqlAssignment, SqlErasing, SqlKeys, SqlTable } from '@habeas/sql'
import { sql } from 'kysely'
import { anyOf, type Expression, equals, holds } from './comparison.js'
import { mayHideNumbers } from './json-text.js'
import type { KeyArray } from './key-array.js'
import type { BoundKey } from './key-binding.js'
import type { LiveColumn } from './live-column.js'
import { listedMembers, membersWritten } from './member-writes.js'
import { type RowSource, rowSource } from './row-source.js'
import { countOfEach, exactTuples, tupleLists } from './tuple-keys.js'
import { isScalar, keyBinderOf, valueBinderOf } from './value-binding.js'
import { constant, newValue, newValues, wholeKey, wholeKeys, wholeSide } from './whole-value.js'

type Table = SqlTable<LiveColumn>
type Keys = SqlKeys<LiveColumn, BoundKey>

/** What a column becomes, and the lists that travel for it. */
interface Assigned {
  readonly column: LiveColumn
  readonly lists: readonly KeyArray[]
  to(source: RowSource): Expression
}

/** One array parameter for each key column and each column of new values: one statement for all rows of a batch. */
export const postgresErasing: SqlErasing<LiveColumn, BoundKey> = {
  keyBinder: keyBinderOf,
  valueBinder: valueBinderOf,
  rewritable: ({ family, array }, list) => array === true || family !== 'json' || !mayHideNumbers(list),
  tuples: exactTuples,
  update({ table, keys, where }, set) {
    const assigned = set.map((assignment) => assignedOf(assignment, table))
    const lists = assigned.flatMap(({ lists }) => lists)
    const { source, condition } = matched({ table, keys, where }, lists)
    const assignments = assigned.map(({ column, to }) => sql`${sql.id(column.name)} = ${to(source)}`)
    const target = sql`update ${sql.id(...table.path)} set ${sql.join(assignments)}`
    return sql`${target}${clause('from', source)} where ${condition}`
  },
  remove(touch) {
    const { source, condition } = matched(touch)
    return sql`delete from ${sql.id(...touch.table.path)}${clause('using', source)} where ${condition}`
  },
  holders(touch) {
    const { source, condition } = matched(touch)
    return sql`select count(*) from ${sql.id(...touch.table.path)}${clause(',', source)} where ${condition}`
  },
  countEach: (table, targets, keys, where) =>
    countOfEach(
      table,
      targets,
      keys,
      targets.map((target, part) => holds(target, anyOf(target, keys[part]!))),
      where,
    ),
}

function clause(word: 'from' | 'using' | ',', { lists, from }: RowSource): Expression {
  if (lists.length === 0) return sql``
  return word === ',' ? sql`, ${from}` : sql` ${sql.raw(word)} ${from}`
}

/**
 * What ties rows of the table to the keys and to what they must hold: one list where that does, else the keys as a table
 * beside it.
 */
function matched(
  { table, keys, where }: { readonly table: Table; readonly keys: Keys; readonly where?: Condition },
  more: readonly KeyArray[] = [],
): { readonly source: RowSource; readonly condition: Expression } {
  const targets = keys.columns.map((column) => ({ column, path: [], caseInsensitive: false }))
  if (keys.nullSafe || !keys.columns.every(isScalar)) return matchedWhole(table, keys, targets, where, more)
  const values = keys.values as readonly (readonly BoundKey[])[]
  const single = targets.length === 1 ? holds(targets[0]!, anyOf(targets[0]!, values[0]!)) : undefined
  if (single && more.length === 0) {
    return { source: rowSource(table, []), condition: where ? sql`${single} and ${where}` : single }
  }
  const { lists, operand } = tupleLists(targets, values)
  const source = rowSource(table, [...lists, ...more])
  const parts: Expression[] = targets.map((target, part) =>
    equals(target, sql.id(target.column.name), operand(part, source)),
  )
  // beside the join the list keeps the planner from reading the whole table
  if (single) parts.push(single)
  // judged after the join: what the rows must hold says nothing of how many there are, and the planner thinks it does
  if (where) parts.push(sql`case when ${source.of(lists[0]!)} is not null then ${where} end`)
  return { source, condition: sql.join(parts, sql` and `) }
}

/** Keys with nulls, lists or documents: the text of a record tells all of them apart, and can be hashed. */
function matchedWhole(
  table: Table,
  keys: Keys,
  targets: readonly KeyTarget<LiveColumn>[],
  where: Condition | undefined,
  more: readonly KeyArray[],
): { readonly source: RowSource; readonly condition: Expression } {
  const lists = keys.columns.map((column, part) => wholeKeys(column, keys.values[part]!))
  const source = rowSource(table, [...lists, ...more])
  const rows = keys.columns.map((column) => wholeSide(column))
  const named = keys.columns.map((column, part) => wholeKey(column, source.of(lists[part]!)))
  const indexed = targets.flatMap((target, part) => {
    const values = keys.values[part]!
    const finds = target.column.indexed && isScalar(target.column) && !values.includes(null)
    return finds ? [holds(target, anyOf(target, values as readonly BoundKey[]))] : []
  })
  const same = sql`row(${sql.join(rows)})::text = row(${sql.join(named)})::text`
  return { source, condition: sql.join([same, ...indexed, ...(where ? [where] : [])], sql` and `) }
}

function assignedOf(assignment: SqlAssignment<LiveColumn, BoundKey>, table: Table): Assigned {
  const { column } = assignment
  if ('members' in assignment) {
    const members = listedMembers(column, assignment.members, table)
    const lists = members.flatMap(({ was, writes }) => [
      ...was,
      ...writes.flatMap(({ to }) => (to === 'remove' ? [] : to)),
    ])
    return { column, lists, to: (source) => membersWritten(column, members, source) }
  }
  const unlessNull = (to: Expression) => sql`case when ${sql.id(column.name)} is null then null else ${to} end`
  if ('to' in assignment) {
    const to = assignment.to === null ? sql`null` : unlessNull(constant(column, assignment.to as string))
    return { column, lists: [], to: () => to }
  }
  const list = newValues(column, assignment.toEach)
  return { column, lists: [list], to: (source) => unlessNull(newValue(column, source.of(list))) }
}
