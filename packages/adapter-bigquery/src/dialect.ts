import { type Condition, type Expression, exactTuples, type SqlErasingDialect, setErasing } from '@habeas/sql'
import { sql } from 'kysely'
import { type Bound, formsIn, scalarBinder } from './bound-values.js'
import { certainly, comparedAs, isAmong, ownSide, textSide } from './comparison.js'
import { countingEach } from './counting-each.js'
import { isLoose, type LiveColumn, type LiveType } from './live-column.js'
import { type Place, placeOf } from './place.js'
import { GoogleSqlCompiler, list, type ParameterNames, parameterNames, scalar } from './query-parameters.js'
import { checkLength } from './request-limits.js'
import { bigqueryShapes, binderOf } from './shapes.js'

export type BigqueryDialect = SqlErasingDialect<LiveColumn, Bound>

/** All Unicode blanks, and nothing else. */
const blanks = '^[\\t\\n\\v\\f\\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]*$'

/** GoogleSQL, with the parameters of one job. Rows are found, counted and erased exactly. */
export function bigqueryDialect(names: ParameterNames = parameterNames()): BigqueryDialect {
  const sets = setErasing(bigqueryShapes)
  const erasing: typeof sets = {
    ...sets,
    ...countingEach,
    isLoose,
    checkLength,
    // beside the keys: the service takes no filter inside of EXISTS for one over partitions
    remove({ table: { within, ...table }, ...touch }) {
      const statement = sets.remove({ ...touch, table })
      return within ? sql`${statement} and ${within}` : statement
    },
  }
  return {
    createCompiler: () => new GoogleSqlCompiler(names),
    // in the text in which it is compared: results spell some types in another way
    select: ({ name, type }) =>
      ['geography', 'other'].includes(type.family) && !type.repeated ? textSide(type, sql.id(name)) : sql.id(name),
    binder: binderOf,
    oneOf: (target, keys) => bigqueryShapes.holdsAny(target, keys),
    tuples: (targets, keys) => exactTuples(targets, keys, bigqueryShapes),
    holdsNothing({ column, path }, placeholders) {
      const place = placeOf(column, path)
      if (!place) return sql<boolean>`true`
      const nothing = nothingOf(place, placeholders)
      if (place.from.length === 0) return nothing
      return sql<boolean>`not exists (select 1 from ${sql.join(place.from)} where not ${nothing})`
    },
    erasing,
  }
}

type Placeholders = readonly (string | number | boolean)[]

function nothingOf({ leaf, value }: Place, placeholders: Placeholders): Condition {
  const among = (side: Expression, type: string, keys: readonly string[]) =>
    keys.length === 0 ? [] : [certainly(isAmong(leaf, side, keys, sql`${list(type, keys)}`))]
  const isText = leaf.family === 'string' || leaf.family === 'json'
  const text =
    leaf.family === 'json' ? sql`if(starts_with(${value}, '"'), ${textSide(leaf, value)}, null)` : textSide(leaf, value)
  const numbers = isText ? placeholders.filter((placeholder) => Number.isFinite(placeholder)).map(String) : []
  const conditions: Expression[] = [
    sql`${value} is null`,
    ...(leaf.family === 'json' ? [certainly(sql`${value} = 'null'`)] : []),
    ...(isText ? [certainly(sql`regexp_contains(${text}, ${scalar('STRING', blanks)})`)] : []),
    ...among(ownSide(leaf, value), comparedAs(leaf), keysOf(leaf, placeholders)),
    ...among(sql`safe_cast(${text} as bignumeric)`, 'BIGNUMERIC', numbers),
  ]
  return sql<boolean>`(${sql.join(conditions, sql` or `)})`
}

function keysOf(leaf: LiveType, placeholders: Placeholders): string[] {
  const bind = leaf.family === 'json' ? formsIn(false) : scalarBinder(leaf)
  return placeholders.flatMap((placeholder) => bind(placeholder) ?? [])
}
