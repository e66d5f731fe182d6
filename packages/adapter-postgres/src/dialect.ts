import type { Condition, KeyTarget, SqlDialect } from '@habeas/sql'
import { PostgresQueryCompiler, type RawBuilder, sql } from 'kysely'
import { integerArray, type KeyArray, textArray } from './key-array.js'
import { type BoundKey, binderOf } from './key-binding.js'
import type { LiveColumn } from './live-column.js'

type Expression = RawBuilder<unknown>
type Side = readonly [Expression, KeyArray]

/** Above this the server may refuse to hash the tuples and compare row by row instead. */
const mostTuples = 40_000

/** Above this the server no longer trusts an inverted index, and an overlap compares each element with each key. */
const mostOverlaps = 100

/** PostgreSQL: a list of keys is one array parameter, which an index answers and a long list is hashed for. */
export const postgresDialect: SqlDialect<LiveColumn, BoundKey> = {
  createCompiler: () => new ArrayParameterCompiler(),
  select: ({ name, family, array }) =>
    // plain money is written in the server's locale
    family === 'money' ? sql`${sql.id(name)}::numeric${sql.raw(array ? '[]' : '')}` : sql.id(name),
  binder: binderOf,
  oneOf(target, keys) {
    const column = sql.id(target.column.name)
    if (target.column.family === 'json') return withinJson(target, column, keys)
    if (target.column.array) return withinArray(target, column, keys)
    return matching(target, column, keys)
  },
  tuples(targets, keys) {
    const sides = targets.flatMap(({ column, caseInsensitive }, part) => {
      if (column.family === 'json' || column.array || caseInsensitive) return []
      const reference = sql.id(column.name)
      return [column.loose ? asTexts(column, reference, keys[part]!) : compared(column, reference, keys[part]!)]
    })
    if (sides.length < 2 || keys[0]!.length > mostTuples) return undefined
    const columns = sql.join(sides.map(([side]) => side))
    const lists = sql.join(sides.map(([, list]) => parameter(list)))
    // `is true` keeps the planner from turning this into a join, for which it may read the whole table
    return sql<boolean>`((${columns}) in (select * from unnest(${lists}))) is true`
  },
}

/** One value of the column's type, be it the column itself or an element of it. */
function matching(
  { column, caseInsensitive }: KeyTarget<LiveColumn>,
  value: Expression,
  keys: readonly BoundKey[],
): Condition {
  if (caseInsensitive) return sql<boolean>`lower(${asText(column, value)}) = any(${lowered(keys)})`
  const [side, list] = compared(column, value, keys)
  const condition = sql<boolean>`${side} = any(${parameter(list)})`
  if (!column.loose) return condition
  // the server's own `=` uses the index, the bytewise one beside it leaves out what merely looks alike
  const [text, texts] = asTexts(column, value, keys)
  return sql<boolean>`(${condition} and ${text} = any(${parameter(texts)}))`
}

function compared(column: LiveColumn, value: Expression, keys: readonly BoundKey[]): Side {
  const { family } = column
  if (family === 'enum' || family === 'other') return asTexts(column, value, keys)
  return [family === 'money' ? sql`${value}::numeric` : value, listOf(keys, 'own', () => keyArray(column, keys))]
}

function asTexts(column: LiveColumn, value: Expression, keys: readonly BoundKey[]): Side {
  const exact = column.loose ? sql` collate "C"` : sql``
  return [
    sql`${asText(column, value)}${exact}`,
    listOf(keys, 'text', () => textArray('text', keys as readonly string[])),
  ]
}

function asText({ family, cast }: LiveColumn, value: Expression): Expression {
  // a cast of some types (inet) writes more than reading them does
  if (family === 'other') return sql`format('%s', ${value})`
  return family === 'text' && !cast.includes('.') ? value : sql`${value}::text`
}

/** Lists are made once for each column of keys, so that a condition and its tuples share the parameter. */
const lists = new WeakMap<readonly BoundKey[], { own?: KeyArray; text?: KeyArray }>()

function listOf(keys: readonly BoundKey[], form: 'own' | 'text', make: () => KeyArray): KeyArray {
  const known = lists.get(keys) ?? {}
  lists.set(keys, known)
  known[form] ??= make()
  return known[form]
}

/** Keys as a list of their own type, or of one that compares with it by index: numbers of any width do. */
function keyArray({ family, cast, loose }: LiveColumn, keys: readonly BoundKey[]): KeyArray {
  switch (family) {
    case 'integer':
      return integerArray(keys as readonly (number | string)[])
    case 'decimal':
    case 'money':
      return textArray('numeric', keys as readonly string[])
    case 'text':
      return textArray(loose ? cast : 'text', keys as readonly string[])
    default:
      return textArray(cast, keys.map(String))
  }
}

/** An inverted index answers an overlap. Anything else is hashed and compared element by element. */
function withinArray(target: KeyTarget<LiveColumn>, list: Expression, keys: readonly BoundKey[]): Condition {
  const { column, caseInsensitive } = target
  if (column.inverted && keys.length <= mostOverlaps && !caseInsensitive && !column.loose) {
    // lists overlap only where their types are the same
    return sql<boolean>`${list} && ${parameter(textArray(column.cast, fitting(column.cast, keys)))}`
  }
  const element = sql.id('element')
  return sql<boolean>`exists (select 1 from unnest(${list}) as ${element} where ${matching(target, element, keys)})`
}

function fitting(cast: string, keys: readonly BoundKey[]): string[] {
  const limit = cast === 'int2' ? 2 ** 15 : cast === 'int4' ? 2 ** 31 : undefined
  const held =
    limit === undefined ? keys : keys.filter((key) => typeof key === 'number' && key >= -limit && key < limit)
  return held.map(String)
}

/** Leads through objects and, wherever one lies, through arrays and arrays of arrays. */
function withinJson(
  { path, caseInsensitive }: KeyTarget<LiveColumn>,
  column: Expression,
  keys: readonly BoundKey[],
): Condition {
  const steps = path.map((member) => `.${JSON.stringify(member)}[*]`).join('')
  const found = sql`jsonb_path_query(to_jsonb(${column}), ${`lax $[*]${steps}[*]`}::jsonpath)`
  const element = sql.id('element')
  const met = caseInsensitive
    ? sql`lower(${element} #>> '{}') = any(${lowered(keys)})`
    : sql`${element} = any(${parameter(textArray('jsonb', (keys as readonly (readonly string[])[]).flat()))})`
  return sql<boolean>`exists (select 1 from ${found} as ${element} where ${met})`
}

/**
 * The server lower-cases both sides. Both functions are immutable, so it does this side once, while planning, and takes
 * the outcome for a constant list: one that an index answers and that is hashed when long.
 */
function lowered(keys: readonly BoundKey[]): Expression {
  const texts = keys as readonly string[]
  let separator = '\u001f'
  for (let attempt = 0; texts.some((text) => text.includes(separator)); attempt++) separator = `\u001f${attempt}\u001f`
  return sql`string_to_array(lower(${texts.join(separator)}::text), ${separator}::text)`
}

function parameter(list: KeyArray): Expression {
  return sql`${sql.val(list)}::${sql.raw(list.type)}`
}

/** Writes the same placeholder for the same list, so that long lists travel once. */
class ArrayParameterCompiler extends PostgresQueryCompiler {
  readonly #placeholders = new Map<unknown, string>()

  protected override appendValue(parameter: unknown): void {
    const known = this.#placeholders.get(parameter)
    if (known !== undefined) {
      this.append(known)
      return
    }
    super.appendValue(parameter)
    if (typeof parameter === 'object') this.#placeholders.set(parameter, this.getCurrentParameterPlaceholder())
  }
}
