import {
  type Expression,
  plainText,
  referencedKey,
  rowSource,
  type SqlErasingDialect,
  setErasing,
  wholeColumn,
} from '@habeas/sql'
import { MssqlQueryCompiler, sql } from 'kysely'
import { binderOf } from './key-binding.js'
import type { MssqlColumn } from './live-column.js'
import { sameReferences } from './same-references.js'
import { mssqlShapes } from './shapes.js'
import { asText, isText, readForm, withoutLanguage } from './typed-values.js'
import { valueParser } from './value-parsers.js'

const erasing = setErasing(mssqlShapes)

/** Texts in which LIKE finds another character than those that trimming removes. */
const notBlank =
  '%[^\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]%'

/** The dialect of SQL Server. Rows are found, counted and erased exactly. Nothing is looked up inside documents. */
export const mssqlDialect: SqlErasingDialect<MssqlColumn, string> = {
  createCompiler: () => new BracketCompiler(),
  // a statement takes 2,100, and a list of keys is one
  mostParameters: 2_000,
  select: (column) => readForm(column) ?? sql.id(column.name),
  parserOf: (_, column) => valueParser(column),
  binder: (target) => (target.as || target.caseInsensitive ? plainText : binderOf(wholeColumn(target).column)),
  oneOf: (target, keys) => mssqlShapes.holdsAny(wholeColumn(target), keys),
  tuples: (targets, keys) => erasing.tuples(targets, keys),
  holdsNothing(target, placeholders) {
    const { column } = wholeColumn(target)
    const value = sql.id(column.name)
    const alternatives = [sql`${value} is null`]
    const keys = placeholders.flatMap((placeholder) => binderOf(column)(placeholder) ?? [])
    const numbers = placeholders.filter((placeholder) => Number.isFinite(placeholder))
    if (isText(column)) {
      alternatives.push(sql`${withoutLanguage(value)} not like ${notBlank}`)
      if (numbers.length > 0) alternatives.push(isNumber(value, numbers.map(String)))
    }
    if (keys.length > 0) alternatives.push(mssqlShapes.holdsAny(target, keys))
    return sql<boolean>`(${sql.join(alternatives, sql` or `)})`
  },
  spelled: (table, columns, to) => referencedKey(table, columns, to, mssqlShapes),
  erasing: {
    ...erasing,
    // where the collation has no case, it still ignores blanks at the end
    isLoose: isText,
    asNumber: (column) => ({ ...column, kind: 'integer', family: 'numeral' }),
    holding(keys) {
      const { columns, values, nullSafe } = keys
      if (!nullSafe && columns.every(mssqlShapes.isScalar)) return erasing.holding(keys)
      const lists = columns.map((column, part) => mssqlShapes.exactKeys(column, values[part]!))
      const named = { path: [], columns: new Map(columns.map((column) => [column.name, column])) }
      const source = rowSource(named, lists, mssqlShapes)
      const same = mssqlShapes.holdsExactly!(columns, (part) => source.of(lists[part]!))
      return sql<boolean>`exists (select 1 from ${source.from} where ${same})`
    },
    sameReferences,
  },
}

/** Returns the condition that a text is written as one of the numbers. Nineteen characters are never rounded. */
function isNumber(value: Expression, numbers: readonly string[]): Expression {
  const text = withoutLanguage(value)
  const number = (of: Expression) => sql`try_convert(decimal(38, 19), ${of})`
  const equal = sql`${number(asText(value))} in (${sql.join(numbers.map((each) => number(sql`${each}`)))})`
  const isNumeral = sql`${text} not like ${'%[^-.0-9]%'} and ${text} like ${'%[0-9]%'} and len(${text}) < 20`
  return sql`case when ${isNumeral} then case when ${equal} then 1 else 0 end else 0 end = 1`
}

/** Writes names in brackets, whatever QUOTED_IDENTIFIER says, and the same parameter for the same text. */
class BracketCompiler extends MssqlQueryCompiler {
  readonly #names = new Map<unknown, string>()

  protected override getLeftIdentifierWrapper(): string {
    return '['
  }

  protected override getRightIdentifierWrapper(): string {
    return ']'
  }

  protected override sanitizeIdentifier(identifier: string): string {
    return identifier.replaceAll(']', ']]')
  }

  protected override appendValue(parameter: unknown): void {
    const known = this.#names.get(parameter)
    if (known !== undefined) {
      this.append(known)
      return
    }
    super.appendValue(parameter)
    this.#names.set(parameter, this.getCurrentParameterPlaceholder())
  }
}
