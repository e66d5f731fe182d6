import {
  type BoundList,
  type Condition,
  type Expression,
  type KeyTarget,
  plainText,
  referencedKey,
  type SqlErasingDialect,
  setErasing,
  wholeColumn,
} from '@habeas/sql'
import { MysqlQueryCompiler, sql } from 'kysely'
import { binderOf } from './key-binding.js'
import type { MysqlColumn } from './live-column.js'
import { sameReferences } from './same-references.js'
import type { ServerKind } from './server-version.js'
import { folded, foldsItself, mysqlShapes } from './shapes.js'
import { asText, exact, isText, ownSide, pointedTo, pointing, readForm, typed } from './typed-values.js'
import { valueParser } from './value-parsers.js'

type Target = KeyTarget<MysqlColumn>
type Keys = readonly (readonly string[])[]

/** Texts of nothing but blanks that trimming removes. */
const blanks = '^[\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]*$'
const numeral = '^-?[0-9]{1,35}([.][0-9]{1,30})?$'

/** The driver gives no row with a column of such a name. */
const refusedNames = /^__(?:(?:define|lookup)[GS]etter|proto)__$/

/** The dialect of MySQL and MariaDB. Rows are found, counted and erased exactly. Nothing is looked up inside documents. */
export function mysqlDialect(kind: ServerKind): SqlErasingDialect<MysqlColumn, string> {
  const shapes = mysqlShapes(kind)
  const erasing = setErasing<MysqlColumn, string, BoundList>(shapes)
  const side = (column: MysqlColumn) => ownSide(column, sql.id(column.name), kind)
  const sideOf = ({ column, as }: Target) => (as ? pointing(column, sql.id(column.name), kind) : side(column))

  /** Returns that the targets hold one tuple together. An index that begins with them answers it, row by row of the list. */
  function inTuples(targets: readonly Target[], keys: Keys): Condition {
    const [only, ...more] = targets
    if (only && more.length === 0) return shapes.holdsAny(only, keys[0] as readonly string[])
    const found = targets.flatMap((target, part) =>
      target.caseInsensitive && !target.as && !foldsItself(target) ? [] : [{ target, part }],
    )
    const conditions: Condition[] = []
    const add = (sides: readonly Expression[], parts: readonly ((key: Expression) => Expression)[], from: Keys) => {
      const rows = from[0]!.map((_, row) => sql`(${sql.join(parts.map((form, at) => form(sql`${from[at]![row]}`)))})`)
      conditions.push(sql<boolean>`(${sql.join(sides)}) in (${sql.join(rows)})`)
    }
    if (found.length > 1)
      add(
        found.map(({ target }) => sideOf(target)),
        found.map(
          ({ target }) =>
            (key) =>
              target.as ? pointedTo(target.as, key, kind) : typed(target.column, key, kind),
        ),
        found.map(({ part }) => keys[part]!),
      )
    if (targets.some(({ column, as, caseInsensitive }) => !as && (caseInsensitive || isText(column))))
      add(
        targets.map((target) => {
          const { column, as, caseInsensitive, trimmed } = target
          if (as) return sideOf(target)
          if (caseInsensitive) return folded(sql.id(column.name), trimmed)
          return isText(column) ? exact(asText(sql.id(column.name))) : side(column)
        }),
        targets.map(({ column, as, caseInsensitive }) => (key) => {
          if (as) return pointedTo(as, key, kind)
          if (caseInsensitive) return folded(key)
          return isText(column) ? exact(key) : typed(column, key, kind)
        }),
        keys,
      )
    return conditions.length === 1 ? conditions[0]! : sql<boolean>`(${sql.join(conditions, sql` and `)})`
  }

  return {
    createCompiler: () => new MysqlQueryCompiler(),
    // a statement takes 65,535, and every list of keys some thousand
    mostParameters: 24_000,
    select(column) {
      const value = readForm(column) ?? sql.id(column.name)
      return refusedNames.test(column.name) ? sql`${value} as ${sql.id('value')}` : value
    },
    parserOf: (_, column) => valueParser(column),
    binder: (target) => (target.as || target.caseInsensitive ? plainText : binderOf(wholeColumn(target).column)),
    oneOf: (target, keys) => shapes.holdsAny(wholeColumn(target), keys),
    tuples: inTuples,
    holdsNothing(target, placeholders) {
      const { column } = wholeColumn(target)
      const value = sql.id(column.name)
      const alternatives = [sql`${value} is null`]
      const keys = placeholders.flatMap((placeholder) => binderOf(column)(placeholder) ?? [])
      const numbers = placeholders.filter((placeholder) => Number.isFinite(placeholder))
      if (isText(column)) {
        alternatives.push(sql`${asText(value)} regexp ${blanks}`)
        if (numbers.length > 0) {
          const number = (of: Expression) => sql`cast(${of} as decimal(65, 30))`
          const list = sql.join(numbers.map((each) => number(sql`${String(each)}`)))
          const equal = sql`${number(asText(value))} in (${list})`
          alternatives.push(sql`case when ${asText(value)} regexp ${numeral} then ${equal} else false end`)
        }
      }
      if (keys.length > 0) alternatives.push(shapes.holdsAny(target, keys))
      return sql<boolean>`(${sql.join(alternatives, sql` or `)})`
    },
    spelled: (table, columns, to) => referencedKey(table, columns, to, shapes),
    erasing: {
      ...erasing,
      // where the collation has no case, it still ignores blanks at the end
      isLoose: isText,
      // the server compares a text with any number as a double
      asNumber: (column) => ({ ...column, kind: 'float', family: 'double' }),
      tuples: inTuples,
      holding({ columns, values, nullSafe }) {
        if (!nullSafe && columns.every(shapes.isScalar)) {
          const targets = columns.map((column): Target => ({ column, path: [], caseInsensitive: false }))
          return inTuples(targets, values as Keys)
        }
        const rows = values[0]!.map((_, row) =>
          shapes.holdsExactly!(columns, (part) => typed(columns[part]!, sql`${values[part]![row]}`, kind)),
        )
        return sql<boolean>`(${sql.join(
          rows.map((row) => sql`(${row})`),
          sql` or `,
        )})`
      },
      sameReferences,
    },
  }
}
