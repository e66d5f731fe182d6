import type { Value } from '@habeas/core'
import {
  type Condition,
  type KeyTarget,
  parseJson,
  type SqlErasingDialect,
  setErasing,
  type ValueParser,
} from '@habeas/sql'
import { PostgresQueryCompiler, sql } from 'kysely'
import { countEachInside } from './counting-each.js'
import { binderOf, foldedText } from './key-binding.js'
import { asNumber, type SnowflakeColumn } from './live-column.js'
import { formsBinder, holdsNothingInside, isInside, isNumber } from './places.js'
import { folded, snowflakeShapes } from './shapes.js'
import { exactSide, inExactKeys, keyParameter } from './typed-values.js'
import { checkLength } from './within-limits.js'

type Target = KeyTarget<SnowflakeColumn>

/** The blanks that an empty text may consist of. */
const blanks =
  '\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff'

const erasing = setErasing(snowflakeShapes)

/**
 * Snowflake: a subquery may stand neither beside OR nor inside of a function, so that a condition names its keys in a list of
 * parameters. Documents are looked into by functions over lists, which are no subqueries.
 */
export const snowflakeDialect: SqlErasingDialect<SnowflakeColumn, string> = {
  createCompiler: () => new QuestionMarkCompiler(),
  // each is some 35 letters of a statement, which has 1 MB at most
  mostParameters: 24_000,
  // the driver keeps columns by name in a plain object, and stumbles over what such an object has of its own
  select: ({ name }) => (name in {} ? sql`${sql.id(name)} as ${sql.id(`${name} `)}` : sql.id(name)),
  parserOf: (_, column) => parserOf(column),
  binder(target) {
    if (!isInside(target)) return target.caseInsensitive ? foldedText : binderOf(target.column)
    const bind = formsBinder(target)
    return target.caseInsensitive && target.column.family === 'document' ? foldedText : bind
  },
  oneOf: (target, keys) => snowflakeShapes.holdsAny(target, keys),
  // a read gives more rows than are asked for: its rows are compared again
  tuples: (targets, keys) => (targets.some(isInside) ? undefined : inTuples(targets, keys)),
  exactTuples: inTuples,
  holdsNothing(target, placeholders) {
    const { column } = target
    if (column.family === 'document') return holdsNothingInside(target, placeholders, sql.lit(blanks))
    // only documents have members
    if (target.path.length > 0) return sql<boolean>`true`
    const value = sql.id(column.name)
    const alternatives = [sql`${value} is null`]
    const keys = placeholders.flatMap((placeholder) => binderOf(column)(placeholder) ?? [])
    const numbers = placeholders.filter((placeholder) => Number.isFinite(placeholder))
    if (column.family === 'string') {
      const text = exactSide(column)
      alternatives.push(sql`translate(${text}, ${sql.lit(blanks)}, '') = ''`)
      if (numbers.length > 0) {
        alternatives.push(
          isNumber(
            text,
            numbers.map((number) => sql`${String(number)}`),
          ),
        )
      }
    }
    if (keys.length > 0) alternatives.push(snowflakeShapes.holdsAny(target, keys))
    return sql<boolean>`(${sql.join(alternatives, sql` or `)})`
  },
  erasing: {
    ...erasing,
    checkLength,
    tuples: inTuples,
    isLoose: ({ collation }) => collation !== undefined,
    asNumber,
    countEach: (table, targets, keys, where) =>
      (targets.some(isInside) ? countEachInside : erasing.countEach)(table, targets, keys, where),
    holding({ columns, values, nullSafe }) {
      const plain = !nullSafe && columns.every(snowflakeShapes.isScalar)
      if (!plain) return inExactKeys(columns, values)
      const targets = columns.map((column): Target => ({ column, path: [], caseInsensitive: false }))
      return inTuples(targets, values as readonly (readonly string[])[])
    },
  },
}

/** That the targets hold one tuple together. */
function inTuples(targets: readonly Target[], keys: readonly (readonly string[])[]): Condition {
  const [target, ...more] = targets
  if (target && more.length === 0) return snowflakeShapes.holdsAny(target, keys[0]!)
  if (targets.some(isInside)) {
    const tuples = keys[0]!.map((_, row) => {
      const met = targets.map((each, part) => snowflakeShapes.holdsAny(each, [keys[part]![row]!]))
      return sql`(${sql.join(met, sql` and `)})`
    })
    return sql<boolean>`(${sql.join(tuples, sql` or `)})`
  }
  const own = targets.map((each) => (each.caseInsensitive ? folded(each) : exactSide(each.column)))
  const tuples = keys[0]!.map((_, row) => {
    const parts = targets.map(({ column, caseInsensitive }, part) => {
      const key = keys[part]![row]!
      return caseInsensitive ? sql`${key}` : keyParameter(column, key)
    })
    return sql`(${sql.join(parts)})`
  })
  return sql<boolean>`(${sql.join(own)}) in (${sql.join(tuples)})`
}

function parserOf(column: SnowflakeColumn | undefined): ValueParser | undefined {
  switch (column?.family) {
    case 'number':
      return column.scale === 0 ? wholeNumber : undefined
    case 'float':
      return floatOf
    case 'document':
      return parseJson
    default:
      return undefined
  }
}

function wholeNumber(text: string): Value {
  const number = Number(text)
  return Number.isSafeInteger(number) ? number : text
}

/** The server writes `inf` where everything else says `Infinity`. */
function floatOf(text: string): Value {
  const number = Number(text)
  return Number.isFinite(number) ? number : text.replace(/^(-?)inf(?:inity)?$/i, '$1Infinity')
}

class QuestionMarkCompiler extends PostgresQueryCompiler {
  protected override getCurrentParameterPlaceholder(): string {
    return '?'
  }
}
