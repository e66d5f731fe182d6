import { type BoundList, type Expression, type KeyTarget, type SqlShapes, smallLetters } from '@habeas/sql'
import { sql } from 'kysely'
import { documentKey } from './document-form.js'
import { documentMembersOf } from './documents.js'
import { binderOf } from './key-binding.js'
import type { SnowflakeColumn } from './live-column.js'
import { holdsFolded, holdsForm, isInside } from './places.js'
import { tableOfLists } from './table-of-lists.js'
import { exactKey, exactSide, keyParameter, typed } from './typed-values.js'

type Target = KeyTarget<SnowflakeColumn>

/** The blanks around a text. */
const outerBlanks = sql.lit(' \t\r\n')

function listOf(column: SnowflakeColumn, values: readonly (string | null)[], exact = false): BoundList {
  return { values, typed: (text) => (exact ? exactKey(column, text) : typed(column, text)) }
}

const texts = (values: readonly string[]): BoundList => ({ values, typed: (text) => text })

/** What a comparison without regard to case compares. */
export function folded({ column, trimmed }: Target): Expression {
  return smallLetters(trimmed ? sql`trim(${asText(column)}, ${outerBlanks})` : asText(column))
}

function asText(column: SnowflakeColumn): Expression {
  return column.family === 'string' ? exactSide(column) : sql`to_varchar(${sql.id(column.name)})`
}

/** A value as the server compares it with the column, which brings its collation along. */
function collated(value: Expression, { collation }: SnowflakeColumn): Expression {
  return collation ? sql`collate(${value}, ${sql.lit(collation)})` : value
}

/** Keys and new values travel beside the table as one array, or in a list of parameters where a condition stands alone. */
export const snowflakeShapes: SqlShapes<SnowflakeColumn, string, BoundList> = {
  keyBinder: (column) => (column.family === 'document' ? documentKey : binderOf(column)),
  numbersBinder: ({ family }) => (family === 'document' ? (value) => documentKey(value, true) : undefined),
  valueBinder: binderOf,
  rewritable: () => false,
  rows: tableOfLists,
  numbers: (numbers) => ({ values: numbers.map(String), typed: (text) => sql`cast(${text} as number(38, 0))` }),
  isScalar: ({ family }) => family !== 'document',
  keys: (target, keys) => ({
    own: target.caseInsensitive || isInside(target) ? texts(keys) : listOf(target.column, keys),
  }),
  equals(target, value, operand) {
    const { column, caseInsensitive } = target
    if (isInside(target)) {
      const key = operand.form('own')
      return caseInsensitive
        ? holdsFolded(target, sql`to_json(to_variant(${key}))`, outerBlanks)
        : holdsForm(target, key)
    }
    const own = caseInsensitive ? folded(target) : exactSide(column, value)
    return sql<boolean>`${own} = ${operand.form('own')}`
  },
  holdsAny(target, keys) {
    const { column, caseInsensitive, as } = target
    const distinct = [...new Set(keys)]
    if (as)
      return sql<boolean>`${sql.id(column.name)} in (${sql.join(distinct.map((key) => keyParameter(column, key)))})`
    if (isInside(target)) {
      if (caseInsensitive) return holdsFolded(target, sql`${JSON.stringify(distinct)}`, outerBlanks)
      const forms = new Set(distinct.flatMap((key): string[] => JSON.parse(key)))
      return holdsForm(target, sql`${JSON.stringify([...forms])}`)
    }
    if (caseInsensitive) return sql<boolean>`${folded(target)} in (${sql.join(distinct)})`
    return sql<boolean>`${exactSide(column)} in (${sql.join(distinct.map((key) => keyParameter(column, key)))})`
  },
  record: (columns) => sql.join(columns.map((column) => exactSide(column))),
  holdsExactly: (columns, key) =>
    sql<boolean>`${sql.join(
      columns.map((column, part) => sql`equal_null(${exactSide(column)}, ${key(part)})`),
      sql` and `,
    )}`,
  exactKeys: (column, values) => listOf(column, values, true),
  order: ({ name }) => sql.id(name),
  constant: (column, value) => typed(column, sql`${value}`),
  newValues: (column, values) => listOf(column, values),
  newValue: (_, value) => value,
  members: documentMembersOf,
  update: (table, from, set, where) =>
    sql`update ${table} set ${set}${from ? sql` from ${from}` : sql``} where ${where}`,
  remove: (table, from, where) => sql`delete from ${table}${from ? sql` using ${from}` : sql``} where ${where}`,
  countedAtLeast: (selection) => sql`select count(*) from (${selection}) as ${sql.id('held')}`,
  referencedKeys: (to, keys) => listOf(to, keys),
  refersTo: ({ collation }, to, value, key) => sql<boolean>`${collation ? value : collated(value, to)} = ${key}`,
  isComparable: (column, to) =>
    column.family === to.family && column.family !== 'document' && column.family !== 'other',
  exactText: (_, value) => sql`to_varchar(${value})`,
}
