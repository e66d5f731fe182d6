import {
  type BoundList,
  type Condition,
  documentMembers,
  type Expression,
  exactTuples,
  type KeyTarget,
  type SqlShapes,
} from '@habeas/sql'
import { sql } from 'kysely'
import { documentWords } from './document-words.js'
import { binderOf, valueBinderOf } from './key-binding.js'
import type { MssqlColumn } from './live-column.js'
import { tableOfLists } from './table-of-lists.js'
import { asText, exact, folded, isText, newValue, ownSide, readForm, typed, unpadded } from './typed-values.js'

type Target = KeyTarget<MssqlColumn>

/** Whether an index of the column finds its texts in any case. */
function foldsItself({ column, caseInsensitive, trimmed }: Target): boolean {
  return caseInsensitive && !trimmed && column.folds
}

const both = (one: Condition, other: Condition) => sql<boolean>`(${one} and ${other})`

const listOf = (column: MssqlColumn, values: readonly (string | null)[]): BoundList => ({
  values,
  typed: (text) => typed(column, text),
})

/** Keys and new values travel beside the table as one document, of which OPENJSON makes rows. */
export const mssqlShapes: SqlShapes<MssqlColumn, string, BoundList> = {
  keyBinder: binderOf,
  valueBinder: valueBinderOf,
  rewritable: () => false,
  conditionsAreNoValues: true,
  rows: tableOfLists,
  numbers: (numbers) => ({ values: numbers.map(String), typed: (text) => sql`convert(int, ${text})` }),
  isScalar: ({ family }) => family !== 'document' && family !== 'other',
  keys(target, keys) {
    const { column, as, caseInsensitive } = target
    if (as) return { own: listOf(as, keys) }
    const text = { values: keys, typed: asText }
    if (caseInsensitive) return { text, ...(foldsItself(target) && { own: listOf(column, keys) }) }
    return { own: listOf(column, keys), ...(isText(column) && { text }) }
  },
  equals(target, value, operand) {
    const { column, as, caseInsensitive, trimmed } = target
    if (as) return mssqlShapes.refersTo(column, as, value, operand.form('own'))
    const found = () => sql<boolean>`${ownSide(column, value)} = ${operand.form('own')}`
    if (caseInsensitive) {
      const same = sql<boolean>`${folded(unpadded(column, value), trimmed)} = ${operand.lowered((text) => folded(text))}`
      return foldsItself(target) ? both(found(), same) : same
    }
    // the collation takes other texts for equal, and an index knows nothing else
    if (isText(column)) return both(found(), sql`${exact(unpadded(column, value))} = ${exact(operand.form('text'))}`)
    return column.family === 'bytes' ? both(found(), sameLength(value, operand.form('own'))) : found()
  },
  holdsAny: (target, keys) => exactTuples([target], [keys], mssqlShapes),
  record: (columns) => sql.join(columns.map(({ name }) => sql.id(name))),
  holdsExactly(columns, key) {
    const same = columns.map((column, part) => {
      const value = sql.id(column.name)
      const alike = isText(column)
        ? sql`${exact(unpadded(column, value))} = ${exact(key(part))}`
        : sql`${ownSide(column, value)} = ${key(part)}`
      const sized = column.family === 'bytes' ? sql`${alike} and ${sameLength(value, key(part))}` : alike
      return sql<boolean>`(${sized} or (${value} is null and ${key(part)} is null))`
    })
    return sql<boolean>`${sql.join(same, sql` and `)}`
  },
  exactKeys: (column, values) => (isText(column) ? { values, typed: asText } : listOf(column, values)),
  order: ({ name }) => sql.id(name),
  constant: (column, value) => newValue(column, sql`${value}`),
  newValues: (column, values) => ({ values, typed: (text) => newValue(column, text) }),
  newValue: (_, value) => value,
  members: (column, members, table) => documentMembers(column, members, table, documentWords),
  update: (table, from, set, where) =>
    sql`update ${table} set ${set}${from ? sql` from ${table}, ${from}` : sql``} where ${where}`,
  remove: (table, from, where) =>
    sql`delete from ${table}${from ? sql` from ${table}, ${from}` : sql``} where ${where}`,
  // Such a lock lets the check of a foreign key pass. What refers to the rows is counted in a serializable transaction: see `connector.ts`.
  lock: {
    behindTable: true,
    writing: () => sql`with (updlock, holdlock)`,
    reading: () => sql`with (updlock, holdlock)`,
  },
  countedAtLeast: (selection) => sql`select count(*) from (${selection}) as ${sql.id('held')}([one])`,
  referencedKeys: listOf,
  refersTo: (column, _to, value, key) => sql<boolean>`${ownSide(column, value)} = ${key}`,
  isComparable: (column, to) =>
    mssqlShapes.isScalar(column) && mssqlShapes.isScalar(to) && isText(column) === isText(to),
  exactText(column, value) {
    switch (column.family) {
      case 'bytes':
        return sql`convert(nvarchar(max), convert(varbinary(max), ${value}), 2)`
      case 'single':
      case 'double':
        return sql`convert(nvarchar(40), ${value}, 3)`
      default:
        return asText(readForm(column, value) ?? value)
    }
  },
}

/** The server takes bytes for equal that end in different numbers of zeros. */
function sameLength(value: Expression, key: Expression): Condition {
  return sql<boolean>`datalength(${value}) = datalength(${key})`
}
