import { type Condition, type Expression, holds, referencedKey, type SqlErasingDialect, setErasing } from '@habeas/sql'
import { PostgresQueryCompiler, sql } from 'kysely'
import { anyOfUuids, keyList, ownSide, parameter, textSide } from './comparison.js'
import { textArray } from './key-array.js'
import { type BoundKey, binderOf } from './key-binding.js'
import type { LiveColumn } from './live-column.js'
import { holdsNothing } from './nothing-held.js'
import { postgresShapes } from './shapes.js'
import { isScalar } from './value-binding.js'
import { valueParser } from './value-parsers.js'

/** Above this the server may refuse to hash the tuples and compare row by row instead. */
const mostTuples = 40_000

/** Above this the server no longer uses an inverted index, and an overlap compares each element with each key. */
const mostOverlaps = 100

const erasing = setErasing(postgresShapes)

/** The dialect of PostgreSQL. A list of keys is one array parameter. An index answers it, and a long list is hashed. */
export const postgresDialect: SqlErasingDialect<LiveColumn, BoundKey> = {
  createCompiler: () => new ArrayParameterCompiler(),
  // the server's own limit is 1,664
  mostColumns: 1_600,
  parserOf: (type, column) => valueParser(type, column?.array ?? false),
  select: ({ name, family, array }) =>
    // plain money is written in the server's locale
    family === 'money' ? sql`${sql.id(name)}::numeric${sql.raw(array ? '[]' : '')}` : sql.id(name),
  binder: binderOf,
  oneOf(target, keys) {
    const { column, as, caseInsensitive } = target
    const overlaps = !as && column.array && column.inverted && !caseInsensitive && !column.loose
    if (overlaps && castsAnyKey(column) && keys.length <= mostOverlaps) return overlapping(column, keys)
    return postgresShapes.holdsAny(target, keys)
  },
  oneOfUuids(target, uuids) {
    const { column, path, caseInsensitive } = target
    if (column.family !== 'uuid' || path.length > 0 || caseInsensitive || uuids.length === 0) return undefined
    return holds(target, anyOfUuids(uuids), postgresShapes)
  },
  tuples(targets, keys) {
    if (targets.some(({ as }) => as)) return erasing.tuples(targets, keys)
    const sides = targets.flatMap(({ column, caseInsensitive }, part): [Expression, Expression][] => {
      if (column.family === 'json' || column.array || caseInsensitive) return []
      const form = column.loose ? 'text' : 'own'
      const side = (form === 'text' ? textSide : ownSide)(column, sql.id(column.name))
      return [[side, parameter(keyList({ column }, keys[part]!, form))]]
    })
    if (sides.length < 2 || keys[0]!.length > mostTuples) return undefined
    const columns = sql.join(sides.map(([side]) => side))
    // `is true` keeps the planner from turning this into a join, for which it may read the whole table
    return sql<boolean>`((${columns}) in (select * from unnest(${sql.join(sides.map(([, list]) => list))}))) is true`
  },
  exactTuples(targets, keys) {
    const hashed = targets.every(({ column, caseInsensitive, as }) => isScalar(column) && !caseInsensitive && !as)
    if (!hashed) return erasing.tuples(targets, keys)
    const portions: Condition[] = []
    for (let from = 0; from < keys[0]!.length; from += mostTuples) {
      const portion = keys.map((column) => column.slice(from, from + mostTuples))
      portions.push(postgresDialect.tuples(targets, portion)!)
    }
    return sql<boolean>`(${sql.join(portions, sql` or `)})`
  },
  holdsNothing,
  spelled: (table, columns, to) => referencedKey(table, columns, to, postgresShapes),
  erasing: { ...erasing, isLoose: ({ loose, array }) => loose && !array },
}

/** Returns whether each key can be cast to the type, unchanged: the server refuses some as that type, and cuts off a long `name`. */
function castsAnyKey({ family, cast }: LiveColumn): boolean {
  return !['json', 'enum', 'other', 'money'].includes(family) && cast !== 'name'
}

/** Returns the condition that a list overlaps with the keys. An inverted index answers it. Both lists need the same type. */
function overlapping({ name, cast }: LiveColumn, keys: readonly BoundKey[]): Condition {
  return sql<boolean>`${sql.id(name)} && ${parameter(textArray(cast, fitting(cast, keys)))}`
}

function fitting(cast: string, keys: readonly BoundKey[]): string[] {
  const limit = cast === 'int2' ? 2 ** 15 : cast === 'int4' ? 2 ** 31 : undefined
  const held =
    limit === undefined ? keys : keys.filter((key) => typeof key === 'number' && key >= -limit && key < limit)
  return held.map(String)
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
