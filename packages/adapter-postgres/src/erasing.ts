import {
  type Condition,
  type KeyTarget,
  rowsOf,
  type SqlAssignment,
  type SqlErasing,
  type SqlKeys,
  type SqlTable,
} from '@habeas/sql'
import { sql } from 'kysely'
import { anyOf, type Expression, equals, holds, ownSide } from './comparison.js'
import { mayHideNumbers } from './json-text.js'
import type { KeyArray } from './key-array.js'
import type { BoundKey } from './key-binding.js'
import type { LiveColumn } from './live-column.js'
import { listedMembers, membersWritten } from './member-writes.js'
import { countOfReferencing } from './pointing-columns.js'
import { type RowSource, rowSource } from './row-source.js'
import { countOfEach, exactTuples, tupleLists } from './tuple-keys.js'
import { isScalar, keyBinderOf, valueBinderOf } from './value-binding.js'
import { constant, exactKey, exactKeys, exactSide, newValue, newValues } from './whole-value.js'

type Table = SqlTable<LiveColumn>
type Keys = SqlKeys<LiveColumn, BoundKey>

/** What a column becomes, and the lists that travel for it. */
interface Assigned {
  readonly column: LiveColumn
  readonly lists: readonly KeyArray[]
  to(source: RowSource): Expression
}

/** By what an error is known that rows have changed which were to stay as they were. */
export const changedSince = 'habeas: changed since '

/** One array parameter for each key column and each column of new values: one statement for all rows of a batch. */
export const postgresErasing: SqlErasing<LiveColumn, BoundKey> = {
  keyBinder: keyBinderOf,
  valueBinder: valueBinderOf,
  rewritable: ({ family, array }, list) => array === true || family !== 'json' || !mayHideNumbers(list),
  holding({ columns, values, nullSafe }) {
    const targets = targetsOf(columns)
    if (nullSafe || !columns.every(isScalar)) return holdingExactly(columns, values)
    const keys = values as readonly (readonly BoundKey[])[]
    const parts = targets.map((target, part) => holds(target, anyOf(target, keys[part]!)))
    return targets.length === 1
      ? parts[0]!
      : sql<boolean>`(${sql.join([...parts, exactTuples(targets, keys)], sql` and `)})`
  },
  tuples: exactTuples,
  update({ table, keys, where }, set) {
    const assigned = set.map((assignment) => assignedOf(assignment, table))
    const lists = assigned.flatMap(({ lists }) => lists)
    const { source, condition } = matched({ table, keys, where }, lists)
    const assignments = assigned.map(({ column, to }) => sql`${sql.id(column.name)} = ${to(source)}`)
    const target = sql`update ${rowsOf(table)} set ${sql.join(assignments)}`
    return sql`${target}${clause('from', source)} where ${condition}`
  },
  remove(touch) {
    const { source, condition } = matched(touch)
    return sql`delete from ${rowsOf(touch.table)}${clause('using', source)} where ${condition}`
  },
  lock({ table, keys }) {
    const { source, condition } = matched({ table, keys })
    const rows = sql`select 1 from ${rowsOf(table)}${clause(',', source)} where ${condition} order by ${keyOrder(keys)}`
    // a weaker lock would let a foreign key be checked meanwhile
    const locked = sql`${rows} for update of ${sql.id(table.path.at(-1)!)}`
    return sql`select count(*) from (${locked}) as ${source.name('locked')}`
  },
  unchanged(table, where, rows) {
    const locked = table.lockable ? sql` for share` : sql``
    const held = sql`select 1 from ${rowsOf(table)} where ${where}${locked}`
    // a value that is no number ends the transaction within the packet that writes: asking first would cost a round trip
    const enough = sql`case when count(*) >= ${sql.lit(rows)} then 0 else (${sql.lit(changedSince)} || count(*))::int4 end`
    return sql`select ${enough} from (${held}) as ${sql.id('held')}`
  },
  holders(touch) {
    const { source, condition } = matched(touch)
    return sql`select count(*) from ${rowsOf(touch.table)}${clause(',', source)} where ${condition}`
  },
  countEach: (table, targets, keys, where) =>
    countOfEach(
      table,
      targets,
      keys,
      targets.map((target, part) => holds(target, anyOf(target, keys[part]!))),
      where,
    ),
  countReferencing: countOfReferencing,
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
  const targets = targetsOf(keys.columns)
  if (keys.nullSafe || !keys.columns.every(isScalar)) return matchedExactly(table, keys, targets, where, more)
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
function matchedExactly(
  table: Table,
  keys: Keys,
  targets: readonly KeyTarget<LiveColumn>[],
  where: Condition | undefined,
  more: readonly KeyArray[],
): { readonly source: RowSource; readonly condition: Expression } {
  const lists = keys.columns.map((column, part) => exactKeys(column, keys.values[part]!))
  const source = rowSource(table, [...lists, ...more])
  const same = sql`(${wholeRow(keys.columns)}) = (${wholeRow(keys.columns, (part) => source.of(lists[part]!))})`
  return {
    source,
    condition: sql.join([same, ...indexedParts(targets, keys.values), ...(where ? [where] : [])], sql` and `),
  }
}

/** The same as a condition alone: the server hashes the texts of the keys. */
function holdingExactly(columns: readonly LiveColumn[], values: Keys['values']): Condition {
  const lists = columns.map((column, part) => exactKeys(column, values[part]!))
  const named: Table = { path: [], columns: new Map(columns.map((column) => [column.name, column])) }
  const source = rowSource(named, lists)
  const texts = sql`select ${wholeRow(columns, (part) => source.of(lists[part]!))} from ${source.from}`
  const parts = [sql`(${wholeRow(columns)}) in (${texts})`, ...indexedParts(targetsOf(columns), values)]
  return sql<boolean>`(${sql.join(parts, sql` and `)})`
}

/**
 * The text of a record: of what a row holds, or of what a key is. Documents stand beside it, since whoever reads them learns
 * neither the scale of a number nor whether null is a value: to the server 1.0 is 1 there, and a list of both nulls one list.
 */
function wholeRow(columns: readonly LiveColumn[], key?: (part: number) => Expression): Expression {
  const whole = columns.map((column, part) => (key ? exactKey(column, key(part)) : exactSide(column)))
  const isDocument = columns.map(({ family, array }) => family === 'json' && !array)
  const documents = whole.filter((_, part) => isDocument[part])
  const text = sql`row(${sql.join(whole.filter((_, part) => !isDocument[part]))})::text`
  return documents.length === 0 ? text : sql`${text}, jsonb_build_array(${sql.join(documents)})`
}

/** An order that every type has. */
function keyOrder({ columns, nullSafe }: Keys): Expression {
  if (nullSafe || !columns.every(isScalar)) return wholeRow(columns)
  return sql.join(columns.map((column) => ownSide(column, sql.id(column.name))))
}

/** What finds the rows by an index, beside what tells them apart. */
function indexedParts(targets: readonly KeyTarget<LiveColumn>[], values: Keys['values']): Condition[] {
  return targets.flatMap((target, part) => {
    const keys = values[part]!
    const finds = target.column.indexed && isScalar(target.column) && !keys.includes(null)
    return finds ? [holds(target, anyOf(target, keys as readonly BoundKey[]))] : []
  })
}

function targetsOf(columns: readonly LiveColumn[]): KeyTarget<LiveColumn>[] {
  return columns.map((column) => ({ column, path: [], caseInsensitive: false }))
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
