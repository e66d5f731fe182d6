import { type BoundList, type Condition, type Expression, inOneForm, type KeyTarget, type SqlShapes } from '@habeas/sql'
import { sql } from 'kysely'
import { documentMembers, documentTexts } from './document-members.js'
import { binderOf, valueBinderOf } from './key-binding.js'
import type { MysqlColumn } from './live-column.js'
import type { ServerKind } from './server-version.js'
import { tableOfLists } from './table-of-lists.js'
import { asText, exact, isText, newValue, ownSide, pointedTo, pointing, readForm, typed } from './typed-values.js'

type Target = KeyTarget<MysqlColumn>

/** Returns texts in which the case of ASCII letters does not count, exactly comparable. */
export function folded(text: Expression, trimmed = false): Expression {
  if (!trimmed) return smallLetters(asText(text))
  // blanks inside a text become equal as well; rows that match only because of this are left out later
  const spaced = ['\t', '\r', '\n'].reduce((text, blank) => sql`replace(${text}, ${blank}, ' ')`, asText(text))
  return smallLetters(sql`trim(${spaced})`)
}

/**
 * LOWER also makes a `k` of the Kelvin sign, and would name rows of another person. In this set of characters only ASCII letters
 * have two cases, and the bytes of all other characters in UTF-8 stay what they are.
 */
function smallLetters(text: Expression): Expression {
  return exact(sql`lower(convert(${exact(text)} using tis620))`)
}

/** Whether an index of the column finds its texts in any case. */
export function foldsItself({ column, caseInsensitive, trimmed }: Target): boolean {
  return caseInsensitive && !trimmed && column.folds
}

/** Keys and new values travel beside the table as one document, or in a list of parameters where a condition stands alone. */
export function mysqlShapes(kind: ServerKind): SqlShapes<MysqlColumn, string, BoundList> {
  const own = (column: MysqlColumn, text: Expression) => typed(column, text, kind)
  const side = (column: MysqlColumn, value: Expression) => ownSide(column, value, kind)
  const listOf = (column: MysqlColumn, values: readonly (string | null)[]): BoundList => ({
    values,
    typed: (text) => own(column, text),
  })
  const keysOf = (column: MysqlColumn, values: readonly (string | null)[]): BoundList => ({
    values,
    typed: (text) => pointedTo(column, text, kind),
  })
  const texts = (values: readonly string[]): BoundList => ({ values, typed: asText })
  const among = (value: Expression, keys: readonly string[], form: (key: Expression) => Expression) =>
    sql<boolean>`${value} in (${inOneForm(keys, form)})`
  const both = (one: Condition, other: Condition) => sql<boolean>`(${one} and ${other})`

  const shapes: SqlShapes<MysqlColumn, string, BoundList> = {
    keyBinder: binderOf,
    valueBinder: valueBinderOf,
    rewritable: () => false,
    rows: tableOfLists,
    joinsKeys: true,
    numbers: (numbers) => ({ values: numbers.map(String), typed: (text) => sql`cast(${text} as signed)` }),
    isScalar: ({ family }) => family !== 'document',
    keys(target, keys) {
      const { column, as, caseInsensitive } = target
      if (as) return { own: keysOf(as, keys) }
      if (caseInsensitive) return { text: texts(keys), ...(foldsItself(target) && { own: listOf(column, keys) }) }
      return { own: listOf(column, keys), ...(isText(column) && { text: texts(keys) }) }
    },
    equals(target, value, operand) {
      const { column, as, caseInsensitive, trimmed } = target
      if (as) return shapes.refersTo(column, as, value, operand.form('own'))
      if (caseInsensitive) {
        const same = sql<boolean>`${folded(value, trimmed)} = ${operand.lowered(folded)}`
        return foldsItself(target) ? both(sql`${side(column, value)} = ${operand.form('own')}`, same) : same
      }
      const same = sql<boolean>`${side(column, value)} = ${operand.form('own')}`
      // the collation takes other texts for equal, and an index knows nothing else
      return isText(column) ? both(same, sql`${exact(asText(value))} = ${exact(operand.form('text'))}`) : same
    },
    holdsAny(target, keys) {
      const { column, as, caseInsensitive, trimmed } = target
      const distinct = [...new Set(keys)]
      const value = sql.id(column.name)
      if (as) return among(pointing(column, value, kind), distinct, (key) => pointedTo(as, key, kind))
      const found = among(side(column, value), distinct, (key) => own(column, key))
      if (caseInsensitive) {
        const same = among(folded(value, trimmed), distinct, (key) => folded(key))
        return foldsItself(target) ? both(found, same) : same
      }
      return isText(column) ? both(found, among(exact(asText(value)), distinct, exact)) : found
    },
    record: (columns) => sql.join(columns.map(({ name }) => sql.id(name))),
    holdsExactly(columns, key) {
      const same = columns.map((column, part) => {
        const value = sql.id(column.name)
        const alike = sql<boolean>`${side(column, value)} <=> ${key(part)}`
        return isText(column) ? both(alike, sql`${exact(asText(value))} <=> ${exact(asText(key(part)))}`) : alike
      })
      return sql<boolean>`${sql.join(same, sql` and `)}`
    },
    exactKeys: listOf,
    order: ({ name }) => sql.id(name),
    constant: (column, value) => newValue(column, sql`${value}`),
    newValues: (column, values) => ({ values, typed: (text) => newValue(column, text) }),
    newValue: (_, value) => value,
    members: documentMembers,
    documentTexts: documentTexts(kind),
    update: (table, from, set, where) => sql`update ${from ? sql`${table}, ${from}` : table} set ${set} where ${where}`,
    remove: (table, from, where) =>
      sql`delete from ${table}${from ? sql` using ${table}, ${from}` : sql``} where ${where}`,
    lock: { writing: () => sql`for update`, reading: () => sql`lock in share mode` },
    countedAtLeast: (selection) => sql`select count(*) from (${selection}) as ${sql.id('held')}`,
    referencedKeys: keysOf,
    refersTo: (column, _to, value, key) => sql<boolean>`${pointing(column, value, kind)} = ${key}`,
    isComparable: (column, to) => shapes.isScalar(column) && shapes.isScalar(to) && isText(column) === isText(to),
    exactText: (column, value) =>
      asText(column.family === 'bytes' ? sql`to_base64(${value})` : (readForm(column, value) ?? value)),
  }
  return shapes
}
