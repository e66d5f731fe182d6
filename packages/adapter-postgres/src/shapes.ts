import {
  type DocumentWords,
  documentMembers,
  type Expression,
  holds,
  type ListedAssignment,
  mayHideNumbers,
  refusedFailure,
  type SqlMember,
  type SqlMemberWrite,
  type SqlShapes,
  type SqlTable,
} from '@habeas/sql'
import { sql } from 'kysely'
import { sameReferencesQuery } from './catalogue-query.js'
import {
  anyOf,
  elementsOf,
  equals,
  formsOf,
  keyList,
  ownSide,
  parameter,
  pointedList,
  pointedTo,
  pointsTo,
} from './comparison.js'
import { constant, exactKey, exactKeys, exactSide, newValue, newValues } from './exact-value.js'
import { integerArray, type KeyArray, textArray } from './key-array.js'
import type { BoundKey } from './key-binding.js'
import type { Family, LiveColumn } from './live-column.js'
import { isScalar, keyBinderOf, valueBinderOf } from './value-binding.js'

/** By what an error is known that rows have changed which were to stay as they were. */
export const changedSince = 'habeas: changed since '

/** One array parameter for each key column and each column of new values: one statement for all rows of a batch. */
export const postgresShapes: SqlShapes<LiveColumn, BoundKey, KeyArray> = {
  keyBinder: keyBinderOf,
  valueBinder: valueBinderOf,
  rewritable: ({ family, array }, list) => array === true || family !== 'json' || !mayHideNumbers(list),
  rows: (lists, name, columns) => sql`unnest(${sql.join(lists.map(parameter))}) as ${name}(${sql.join(columns)})`,
  numbers: integerArray,
  isScalar,
  elements: elementsOf,
  keys: (target, keys) => Object.fromEntries(formsOf(target).map((form) => [form, keyList(target, keys, form)])),
  pointedTo,
  equals,
  holdsAny: (target, keys) => holds(target, anyOf(target, keys), postgresShapes),
  record,
  exactKeys,
  order: (column) => ownSide(column, sql.id(column.name)),
  constant: (column, value) => constant(column, String(value)),
  newValues,
  newValue,
  members,
  update: (table, from, set, where) =>
    sql`update ${table} set ${set}${from ? sql` from ${from}` : sql``} where ${where}`,
  remove: (table, from, where) => sql`delete from ${table}${from ? sql` using ${from}` : sql``} where ${where}`,
  lock: {
    // a weaker lock would let a foreign key be checked meanwhile
    writing: ({ path }) => sql`for update of ${sql.id(path.at(-1)!)}`,
    reading: () => sql`for share`,
  },
  // a value that is no number ends the transaction within the packet that writes: asking first would cost a round trip
  countedAtLeast: (selection, rows) =>
    sql`select case when count(*) >= ${sql.lit(rows)} then 0 else (${sql.lit(changedSince)} || count(*))::int4 end from (${selection}) as ${sql.id('held')}`,
  unchangedFails: true,
  // until its transaction ends, the server refuses a statement from which policies hide rows, instead of hiding them
  everyRow: { sql: "select pg_catalog.set_config('row_security', 'off', true)", parameters: [] },
  // asked once the rows are gone: from then on the server lets no other be added until the transaction ends
  sameReferences: (referencedBy, { path }) => ({ sql: sameReferencesQuery, parameters: [referencedBy, ...path] }),
  referencedKeys: pointedList,
  refersTo: pointsTo,
  isComparable,
  // plain money is written in the server's locale
  exactText: ({ family }, value) => (family === 'money' ? sql`${value}::numeric::text` : sql`${value}::text`),
}

/**
 * The text of a record: of what a row holds, or of what a key is. Documents stand beside it, since a record shows neither the
 * scale of their numbers nor whether null is a value: to the server 1.0 is 1 there, and a list of both nulls is one list.
 */
function record(columns: readonly LiveColumn[], key?: (part: number) => Expression): Expression {
  const whole = columns.map((column, part) => (key ? exactKey(column, key(part)) : exactSide(column)))
  const documents = whole.filter((_, part) => isDocument(columns[part]!))
  const text = sql`row(${sql.join(whole.filter((_, part) => !isDocument(columns[part]!)))})::text`
  return documents.length === 0 ? text : sql`${text}, jsonb_build_array(${sql.join(documents)})`
}

const documents: DocumentWords<LiveColumn, KeyArray> = {
  list: (texts) => textArray('jsonb', texts),
  held: ({ name }) => sql`${sql.id(name)}::jsonb`,
  member: (document, path) => sql`(${document} #> ${pathOf(path)})`,
  same: (member, was) => sql<boolean>`${member} = ${was}`,
  replaced: (document, guard, path, to) => sql`jsonb_set(${document}, ${placeOf(guard, path)}, ${to}, false)`,
  removed: (document, guard, path) => sql`(${document} #- ${placeOf(guard, path)})`,
  written: ({ cast }, document) => sql`${document}::${sql.raw(cast)}`,
}

/** Where the guard does not hold the path is empty, which writes nothing and, unlike any other, fits every document. */
function placeOf(guard: Expression, path: SqlMemberWrite['path']): Expression {
  return sql`case when ${guard} then ${pathOf(path)} else '{}' end`
}

function pathOf(path: SqlMemberWrite['path']): Expression {
  return parameter(textArray('text', path.map(String)))
}

/** Of a column that is an array only the whole is written. */
function members(
  column: LiveColumn,
  members: readonly SqlMember[],
  table: SqlTable<LiveColumn>,
): ListedAssignment<KeyArray> {
  if (isDocument(column)) return documentMembers(column, members, table, documents)
  const [{ was, writes }] = members as [SqlMember]
  const bind = valueBinderOf(column)
  const held = exactKeys(
    column,
    was.map((value) => bind(value) ?? null),
  )
  const to = newValues(
    column,
    (writes[0]!.to as SqlMember['was']).map((value) => {
      const bound = value === null ? null : bind(value)
      if (bound === undefined) throw refusedFailure(table.path.at(-1)!, { column: column.name })
      return bound
    }),
  )
  return {
    lists: [held, to],
    to(source) {
      const unchanged = sql`${exactSide(column)}::text = ${exactKey(column, source.of(held))}::text`
      return sql`case when ${unchanged} then ${newValue(column, source.of(to))} else ${sql.id(column.name)} end`
    },
  }
}

function isDocument({ family, array }: LiveColumn): boolean {
  return family === 'json' && !array
}

const alike: readonly (readonly Family[])[] = [
  ['integer', 'decimal'],
  ['single', 'double'],
  ['text', 'blank_padded'],
]

/** Whether we know the types so well that we can compare as a foreign key does: with the `=` of the type it points to. */
function isComparable(column: LiveColumn, to: LiveColumn): boolean {
  if (column.array || to.array || column.family === 'json' || to.family === 'json') return false
  return column.cast === to.cast || alike.some((one) => one.includes(column.family) && one.includes(to.family))
}
