import { sameValue } from '@habeas/core'
import {
  type DocumentWords,
  documentMembers,
  type Expression,
  holds,
  type ListedAssignment,
  mayHideNumbers,
  oneAroundAnother,
  refusedFailure,
  type SqlMember,
  type SqlMemberWrite,
  type SqlShapes,
  type SqlTable,
  type Statement,
  writeJson,
} from '@habeas/sql'
import { sql } from 'kysely'
import { type CatalogueQueries, postgresQueries } from './catalogue-query.js'
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
import { asJsonb, repaired, repeatsMembers } from './json-column.js'
import { integerArray, type KeyArray, textArray } from './key-array.js'
import type { BoundKey } from './key-binding.js'
import type { Family, LiveColumn } from './live-column.js'
import { isScalar, keyBinderOf, valueBinderOf } from './value-binding.js'

/** This text in an error says that rows have changed that should have stayed as they were. */
export const changedSince = 'habeas: changed since '

/** Fails where the foreign keys that carry a deletion on differ from those in the catalogue. */
export const sameReferences = (
  queries: CatalogueQueries,
  referencedBy: string,
  path: readonly string[],
): Statement => ({ sql: queries.sameReferences, parameters: [referencedBy, ...path] })

/** The shapes of PostgreSQL. Each column of keys or new values is one array parameter, for all rows of a statement. */
export const postgresShapes: SqlShapes<LiveColumn, BoundKey, KeyArray> = {
  keyBinder: keyBinderOf,
  numbersBinder: (column) => (isDocument(column) ? (value) => writeJson(repaired(column, value), true) : undefined),
  valueBinder: valueBinderOf,
  onlyWhole: (column, document) => !sameValue(document, repaired(column, document)),
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
    // a weaker lock would let the check of a foreign key pass meanwhile
    writing: ({ path }) => sql`for update of ${sql.id(path.at(-1)!)}`,
    reading: () => sql`for share`,
  },
  // a text that is no number ends the transaction within the packet that writes; asking first would cost a round trip
  countedAtLeast: (selection, rows) =>
    sql`select case when count(*) >= ${sql.lit(rows)} then 0 else (${sql.lit(changedSince)} || count(*))::int4 end from (${selection}) as ${sql.id('held')}`,
  unchangedFails: true,
  // until the transaction ends, the server then refuses a statement from which policies would hide rows
  everyRow: { sql: "select pg_catalog.set_config('row_security', 'off', true)", parameters: [] },
  // this runs after the rows are gone; from then on no foreign key can be added until the transaction ends
  sameReferences: (referencedBy, { path }) => sameReferences(postgresQueries, referencedBy, path),
  referencedKeys: pointedList,
  refersTo: pointsTo,
  isComparable,
  // plain money is written in the server's locale
  exactText: ({ family }, value) => (family === 'money' ? sql`${value}::numeric::text` : sql`${value}::text`),
}

/**
 * Returns the text of a record of the row's values, or of the parts of a key. Documents stand beside it in one document.
 * There 1.0 equals 1, and null as a value equals null in the column. A read does not tell these apart, but the text would.
 */
function record(columns: readonly LiveColumn[], key?: (part: number) => Expression): Expression {
  const whole = columns.map((column, part) => (key ? exactKey(column, key(part)) : exactSide(column)))
  const documents = whole.filter((_, part) => isDocument(columns[part]!))
  const text = sql`row(${sql.join(whole.filter((_, part) => !isDocument(columns[part]!)))})::text`
  return documents.length === 0 ? text : sql`${text}, jsonb_build_array(${sql.join(documents)})`
}

const documents: DocumentWords<LiveColumn, KeyArray> = {
  list: (texts) => textArray('jsonb', texts),
  held: (column) => asJsonb(column, sql.id(column.name)),
  whole: ({ name }) => sql`${sql.id(name)}::jsonb`,
  repaired,
  always: repeatsMembers,
  member: (document, path) => sql`(${document} #> ${pathOf(path)})`,
  same: (member, was) => sql<boolean>`${member} = ${was}`,
  changed: oneAroundAnother({
    replaced: (document, guard, path, to) => sql`jsonb_set(${document}, ${placeOf(guard, path)}, ${to}, false)`,
    removed: (document, guard, path) => sql`(${document} #- ${placeOf(guard, path)})`,
  }),
  written: ({ cast }, document) => sql`${document}::${sql.raw(cast)}`,
}

/** Returns the path where the guard holds, and else an empty one: only that writes nothing into any document. */
function placeOf(guard: Expression, path: SqlMemberWrite['path']): Expression {
  return sql`case when ${guard} then ${pathOf(path)} else '{}' end`
}

function pathOf(path: SqlMemberWrite['path']): Expression {
  return parameter(textArray('text', path.map(String)))
}

/** Writes members of a document. A column that is an array is only written whole. */
function members(
  column: LiveColumn,
  members: readonly SqlMember[],
  table: SqlTable<LiveColumn>,
): ListedAssignment<KeyArray> {
  if (isDocument(column)) return documentMembers(column, members, table, documents)
  const [{ was, writes }] = members as [SqlMember]
  const bind = valueBinderOf(column)
  const held = keysOf(column, was)
  const to = newValues(
    column,
    (writes[0]!.to as SqlMember['was']).map((value) => {
      const bound = value === null ? null : bind(value)
      if (bound === undefined) throw refusedFailure(table.path.at(-1)!, { column: column.name })
      return bound
    }),
  )
  return {
    lists: [...held, to],
    to(source) {
      const same = held.map((form) => sql`${exactSide(column)}::text = ${exactKey(column, source.of(form))}::text`)
      const always = repeatsMembers(column)
      if (always) same.push(always)
      const written = newValue(column, source.of(to))
      // a CASE takes its type from its branches
      const typed = column.family === 'money' ? sql`${written}::money[]` : written
      return sql`case when ${sql.join(same, sql` or `)} then ${typed} else ${sql.id(column.name)} end`
    },
  }
}

/** Returns lists that were read as lists to compare with. A number in a document may have been read as text. */
function keysOf(column: LiveColumn, was: SqlMember['was']): KeyArray[] {
  const isHiding = column.family === 'json' && was.some(mayHideNumbers)
  return (isHiding ? [false, true] : [false]).map((numbers) => {
    const bind = keyBinderOf(column, numbers)
    return exactKeys(
      column,
      was.map((value) => bind(value) ?? null),
    )
  })
}

function isDocument({ family, array }: LiveColumn): boolean {
  return family === 'json' && !array
}

const alike: readonly (readonly Family[])[] = [
  ['integer', 'decimal'],
  ['single', 'double'],
  ['text', 'blank_padded'],
]

/** Returns whether the types are known well enough to compare as a foreign key does, with the `=` of the type it refers to. */
function isComparable(column: LiveColumn, to: LiveColumn): boolean {
  if (column.array || to.array || column.family === 'json' || to.family === 'json') return false
  return column.cast === to.cast || alike.some((one) => one.includes(column.family) && one.includes(to.family))
}
