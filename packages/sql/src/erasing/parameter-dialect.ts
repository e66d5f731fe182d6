import type { Value, ValueKind } from '@habeas/core'
import { type QueryCompiler, sql } from 'kysely'
import type { Condition, SqlColumn, ValueParser } from '../dialect.js'
import type { SqlErasingDialect } from '../erasing-dialect.js'
import { jsonPath, parseJson, writeJson } from '../json-text.js'
import { textBinders } from '../key-binders.js'
import { wholeColumn } from '../whole-column.js'
import { type DocumentWords, documentMembers, oneAroundAnother } from './document-members.js'
import { referencedKey } from './referenced-key.js'
import { setErasing } from './set-erasing.js'
import type { Expression, SqlShapes } from './sql-shapes.js'

/** A live column, and what its keys are bound as. That is text where the type is not known. */
export interface TypedColumn extends SqlColumn {
  readonly family: ValueKind
}

/** One parameter for each row of a batch. */
export type ParameterList = readonly Expression[]

/** Functions over documents. A path is a text in SQL/JSON. See `DocumentWords`. */
export interface DocumentFunctions {
  member(document: Expression, path: string): Expression
  same(member: Expression, was: Expression): Condition
  replaced(document: Expression, guard: Condition, path: string, to: Expression): Expression
  removed(document: Expression, guard: Condition, path: string): Expression
}

/** The words of a server to which each key is sent as one parameter, always as text that the server casts. */
export interface ServerWords<Column extends TypedColumn>
  extends Pick<SqlShapes<Column, string, ParameterList>, 'update' | 'remove' | 'lock'> {
  createCompiler(): QueryCompiler
  /** Returns a value in the form in which rows give it, where its plain form is another. */
  read(column: Column, value: Expression): Expression
  /** Returns how values are made of what the driver gives. Documents are parsed elsewhere. */
  parserOf(column: Column): ValueParser | undefined
  /** Types that a text is cast to. The type for decimals keeps all digits. */
  readonly casts: Partial<Record<TypedColumn['family'], string>> & { readonly decimal: string }
  /** Returns a text as a value of any other type. It MUST let the server use an index of the column. */
  typed(column: Column, text: Expression): Expression
  /** Returns any value as text. */
  text(value: Expression): Expression
  /** Returns a text that equals no other text, whatever the server takes for equal. */
  exact(text: Expression): Expression
  /**
   * Returns a text with small letters, where only ASCII letters have two cases. It equals no other text. LOWER of most servers
   * makes letters of others as well: see `smallLetters`.
   */
  smallLetters(text: Expression): Expression
  /** Returns the condition that a text matches a regular expression. */
  matches(text: Expression, pattern: string): Condition
  readonly documents: DocumentFunctions
}

/** Texts of nothing but blanks that trimming removes. */
const blanks = '^[\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]*$'
const numeral = '^-?[0-9]{1,35}([.][0-9]{1,30})?$'

/**
 * Returns the dialect of a server without array parameters. Rows are found, counted and erased exactly. Nothing is looked up
 * inside documents.
 */
export function parameterDialect<Column extends TypedColumn>(
  words: ServerWords<Column>,
): SqlErasingDialect<Column, string> {
  const { text, exact, read } = words
  const typed = (column: Column, value: Expression) => {
    const cast = words.casts[column.family]
    return cast ? sql`cast(${value} as ${sql.raw(cast)})` : words.typed(column, value)
  }
  const number = (value: Expression) => sql`cast(${value} as ${sql.raw(words.casts.decimal)})`
  const isText = ({ family }: Column) => family === 'string' || family === 'uuid'
  const isScalar = ({ family }: Column) => family !== 'object'
  const among = (value: Expression, keys: readonly Expression[]) => sql<boolean>`${value} in (${sql.join(keys)})`
  const listed = (column: Column, values: readonly (string | null)[]) =>
    values.map((value) => typed(column, sql`${value}`))
  const folded = (value: Expression, trimmed = false) => {
    if (!trimmed) return words.smallLetters(text(value))
    // blanks inside a text become equal as well; rows that match only because of this are left out later
    const spaced = ['\t', '\r', '\n'].reduce((text, blank) => sql`replace(${text}, ${blank}, ' ')`, text(value))
    return words.smallLetters(sql`trim(${spaced})`)
  }
  const binderOf = (column: Column) => textBinders[column.family]
  const keyBinder = (column: Column) => (isScalar(column) ? binderOf(column) : () => undefined)

  /** Returns a value as it is read. Decimals get one scale. */
  const comparable = (column: Column, value: Expression) =>
    column.family === 'decimal' ? number(text(value)) : read(column, value)

  const documents: DocumentWords<Column, ParameterList> = {
    list: (texts) => texts.map((each) => sql`${each}`),
    held: ({ name }) => sql.id(name),
    member: (document, path) => words.documents.member(document, jsonPath(path)),
    same: words.documents.same,
    changed: oneAroundAnother({
      replaced: (document, guard, path, to) => words.documents.replaced(document, guard, jsonPath(path), to),
      removed: (document, guard, path) => words.documents.removed(document, guard, jsonPath(path)),
    }),
  }

  const shapes: SqlShapes<Column, string, ParameterList> = {
    ...words,
    keyBinder,
    valueBinder: (column) => (isScalar(column) ? binderOf(column) : (value: Value) => writeJson(value)),
    rewritable: () => false,
    rows(lists, name, columns) {
      const [first = []] = lists
      const rows = first.map((_, row) => {
        const values = lists.map((list, at) => (row === 0 ? sql`${list[row]} as ${columns[at]}` : list[row]))
        return sql`select ${sql.join(values)}`
      })
      return sql`(${sql.join(rows, sql` union all `)}) as ${name}`
    },
    numbers: (numbers) => numbers.map((number) => sql`${sql.lit(number)}`),
    isScalar,
    keys: ({ column, as, caseInsensitive }, keys) => ({
      own: caseInsensitive ? keys.map((key) => sql`${key}`) : listed(as ?? column, keys),
    }),
    equals({ column, as, caseInsensitive, trimmed }, value, operand) {
      const own = operand.form('own')
      if (as) return shapes.refersTo(column, as, value, own)
      if (caseInsensitive) return sql<boolean>`${folded(value, trimmed)} = ${operand.lowered(folded)}`
      const same = sql<boolean>`${value} = ${own}`
      return isText(column) ? sql<boolean>`(${same} and ${exact(text(value))} = ${exact(own)})` : same
    },
    holdsAny({ column, as, caseInsensitive, trimmed }, keys) {
      const value = sql.id(column.name)
      if (caseInsensitive && !as)
        return among(
          folded(value, trimmed),
          [...new Set(keys)].map((key) => folded(sql`${key}`)),
        )
      const own = listed(as ?? column, [...new Set(keys)])
      if (as || !isText(column)) return among(value, own)
      return sql<boolean>`(${among(value, own)} and ${among(exact(text(value)), own.map(exact))})`
    },
    record(columns, key) {
      const texts = columns.map((column, part) => text(key ? key(part) : comparable(column, sql.id(column.name))))
      return exact(text(sql`json_array(${sql.join(texts)})`))
    },
    exactKeys: (column, values) => values.map((value) => comparable(column, typed(column, sql`${value}`))),
    order: ({ name }) => sql.id(name),
    constant: (column, value) => typed(column, sql`${value}`),
    newValues: listed,
    newValue: (_, value) => value,
    members: (column, members, table) => documentMembers(column, members, table, documents),
    countedAtLeast: (selection) => sql`select count(*) from (${selection}) as ${sql.id('held')}`,
    referencedKeys: listed,
    refersTo: (_column, _to, value, key) => sql<boolean>`${value} = ${key}`,
    isComparable: (column, to) => isScalar(column) && isScalar(to) && isText(column) === isText(to),
    exactText: (column, value) => text(read(column, value)),
  }

  const holdsNothing: SqlErasingDialect<Column, string>['holdsNothing'] = (target, placeholders) => {
    const { column } = wholeColumn(target)
    const value = sql.id(column.name)
    const alternatives = [sql`${value} is null`]
    const keys = placeholders.flatMap((placeholder) => binderOf(column)(placeholder) ?? [])
    const numbers = placeholders.filter((placeholder) => Number.isFinite(placeholder))
    if (isText(column)) {
      alternatives.push(words.matches(text(value), blanks))
      if (numbers.length > 0) {
        const equal = among(
          number(text(value)),
          numbers.map((each) => number(sql`${String(each)}`)),
        )
        alternatives.push(sql`case when ${words.matches(text(value), numeral)} then ${equal} else false end`)
      }
    }
    if (keys.length > 0) alternatives.push(shapes.holdsAny(target, keys))
    return sql<boolean>`(${sql.join(alternatives, sql` or `)})`
  }

  return {
    createCompiler: words.createCompiler,
    select: (column) => read(column, sql.id(column.name)),
    parserOf: (_, column) => (column?.family === 'object' ? parseJson : column && words.parserOf(column)),
    binder: (target) =>
      target.as || target.caseInsensitive ? textBinders.string : keyBinder(wholeColumn(target).column),
    oneOf: (target, keys) => shapes.holdsAny(wholeColumn(target), keys),
    tuples: (targets, keys) => setErasing(shapes).tuples(targets, keys),
    holdsNothing,
    spelled: (table, columns, to) => referencedKey(table, columns, to, shapes),
    erasing: setErasing(shapes),
  }
}
