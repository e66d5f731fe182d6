import {
  type KeyTarget,
  parseJson,
  type SqlErasingDialect,
  setErasing,
  shortestSingle,
  type ValueParser,
  wholeColumn,
} from '@habeas/sql'
import { PostgresQueryCompiler, sql } from 'kysely'
import { valueParser } from '../value-parsers.js'
import type { RedshiftColumn } from './redshift-column.js'
import { amongTuples, anyOfThese, inTuples, redshiftShapes } from './redshift-shapes.js'
import { asText, binderOf, foldedText, isText, readForm, typed } from './redshift-values.js'

type Target = KeyTarget<RedshiftColumn>

/** The blanks that an empty text may consist of. */
const blanks =
  '\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff'
const numeral = '^-?[0-9]{1,20}([.][0-9]{1,10})?$'

/** Redshift: no arrays, no RETURNING, no savepoints, no locks of rows. Nothing is looked up inside documents. */
export const redshiftDialect: SqlErasingDialect<RedshiftColumn, string> = {
  createCompiler: () => new PostgresQueryCompiler(),
  // a statement takes 32,767
  mostParameters: 24_000,
  select: (column) => readForm(column, sql.id(column.name)),
  parserOf: (type, column) => (column ? parserOf(column) : type === 16 ? valueParser(type, false) : undefined),
  binder: (target) => (target.caseInsensitive ? foldedText : scalarBinder(wholeColumn(target).column)),
  oneOf: (target, keys) => redshiftShapes.holdsAny(wholeColumn(target), keys),
  tuples: (targets, keys) => amongTuples(targets.map(wholeColumn), keys),
  holdsNothing(target, placeholders) {
    const { column } = wholeColumn(target)
    const value = sql.id(column.name)
    const alternatives = [sql`${value} is null`]
    const keys = placeholders.flatMap((placeholder) => scalarBinder(column)(placeholder) ?? [])
    if (isText(column)) {
      const text = asText(column, value)
      alternatives.push(sql`translate(${text}, ${sql.lit(blanks)}, '') = ''`)
      const numbers = placeholders.filter((placeholder) => Number.isFinite(placeholder))
      if (numbers.length > 0) {
        const list = sql.join(numbers.map((each) => sql`cast(${String(each)} as decimal(38, 10))`))
        const equal = sql`cast(${text} as decimal(38, 10)) in (${list})`
        alternatives.push(sql`case when ${text} ~ ${sql.lit(numeral)} then ${equal} else false end`)
      }
    }
    if (keys.length > 0) alternatives.push(redshiftShapes.holdsAny(target, keys))
    return sql<boolean>`(${sql.join(alternatives, sql` or `)})`
  },
  erasing: {
    ...setErasing(redshiftShapes),
    tuples: inTuples,
    holding({ columns, values, nullSafe }) {
      if (!nullSafe && columns.every(redshiftShapes.isScalar)) {
        const targets = columns.map((column): Target => ({ column, path: [], caseInsensitive: false }))
        return inTuples(targets, values as readonly (readonly string[])[])
      }
      const rows = values[0]!.map(
        (_, row) =>
          sql<boolean>`(${redshiftShapes.holdsExactly!(columns, (part) => typed(columns[part]!, sql`${values[part]![row]}`))})`,
      )
      return anyOfThese(rows)
    },
  },
}

/** Documents are no keys of groups, and nothing is found by them. */
function scalarBinder(column: RedshiftColumn): ReturnType<typeof binderOf> {
  return column.family === 'document' ? () => undefined : binderOf(column)
}

function parserOf({ family }: RedshiftColumn): ValueParser | undefined {
  switch (family) {
    case 'integer':
      return (text) => (Number.isSafeInteger(Number(text)) ? Number(text) : text)
    case 'single':
      return (text) => (Number.isFinite(Number(text)) ? shortestSingle(Number(text)) : text)
    case 'double':
      return (text) => (Number.isFinite(Number(text)) ? Number(text) : text)
    case 'boolean':
      return (text) => text === 't' || text === 'true'
    case 'padded':
      return (text) => text.replace(/ +$/, '')
    case 'timestamp':
      return valueParser(1114, false)
    case 'instant':
      return valueParser(1184, false)
    case 'bytes':
      return (text) => Buffer.from(text, 'hex').toString('base64')
    case 'document':
      return parseJson
    default:
      return undefined
  }
}
