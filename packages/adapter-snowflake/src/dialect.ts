import { PrivacyError, type Value } from '@habeas/core'
import { type KeyTarget, parseJson, type SqlErasingDialect, setErasing, type ValueParser } from '@habeas/sql'
import { PostgresQueryCompiler, sql } from 'kysely'
import { keyBinderOf, plainText } from './key-binding.js'
import type { SnowflakeColumn } from './live-column.js'
import { folded, snowflakeShapes } from './shapes.js'
import { exactSide, inExactKeys, keyParameter } from './typed-values.js'

type Target = KeyTarget<SnowflakeColumn>

/** The blanks that an empty text may consist of. */
const blanks =
  '\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff'

const erasing = setErasing(snowflakeShapes)

/**
 * Snowflake: a subquery may stand neither beside OR nor inside of a function, so that a condition names its keys in a list of
 * parameters. Nothing is looked up inside of documents.
 */
export const snowflakeDialect: SqlErasingDialect<SnowflakeColumn, string> = {
  createCompiler: () => new QuestionMarkCompiler(),
  mostParameters: 60_000,
  parserOf: (_, column) => parserOf(column),
  binder: (target) => (target.caseInsensitive ? plainText : keyBinderOf(whole(target).column)),
  oneOf: (target, keys) => snowflakeShapes.holdsAny(whole(target), keys),
  tuples: inTuples,
  holdsNothing(target, placeholders) {
    const { column } = whole(target)
    const value = sql.id(column.name)
    const alternatives = [sql`${value} is null`]
    const keys = placeholders.flatMap((placeholder) => keyBinderOf(column)(placeholder) ?? [])
    const numbers = placeholders.filter((placeholder) => Number.isFinite(placeholder))
    if (column.family === 'string') {
      const text = exactSide(column)
      alternatives.push(sql`translate(${text}, ${sql.lit(blanks)}, '') = ''`)
      if (numbers.length > 0) {
        const decimal = sql.raw('number(38, 18)')
        const list = numbers.map((number) => sql`cast(${String(number)} as ${decimal})`)
        alternatives.push(sql`coalesce(try_cast(${text} as ${decimal}) in (${sql.join(list)}), false)`)
      }
    }
    if (keys.length > 0) alternatives.push(snowflakeShapes.holdsAny(target, keys))
    return sql<boolean>`(${sql.join(alternatives, sql` or `)})`
  },
  erasing: {
    ...erasing,
    tuples: inTuples,
    holding({ columns, values, nullSafe }) {
      const plain = !nullSafe && columns.every(snowflakeShapes.isScalar)
      if (!plain) return inExactKeys(columns, values)
      const targets = columns.map((column): Target => ({ column, path: [], caseInsensitive: false }))
      return inTuples(targets, values as readonly (readonly string[])[])
    },
  },
}

/** That the targets hold one tuple together. */
function inTuples(targets: readonly Target[], keys: readonly (readonly string[])[]) {
  const [target, ...more] = targets
  if (target && more.length === 0) return snowflakeShapes.holdsAny(whole(target), keys[0]!)
  const own = targets.map((each) => (each.caseInsensitive ? folded(each) : exactSide(whole(each).column)))
  const tuples = keys[0]!.map((_, row) => {
    const parts = targets.map(({ column, caseInsensitive }, part) => {
      const key = keys[part]![row]!
      return caseInsensitive ? sql`lower(${key})` : keyParameter(column, key)
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
      return (text): Value => (Number.isFinite(Number(text)) ? Number(text) : text)
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

function whole(target: Target): Target {
  if (target.path.length === 0) return target
  const message = `What lies inside of "${target.column.name}" cannot be searched on this server: name the column itself.`
  throw new PrivacyError('unsupported', message, { feature: 'nestedFields' })
}

class QuestionMarkCompiler extends PostgresQueryCompiler {
  protected override getCurrentParameterPlaceholder(): string {
    return '?'
  }
}
