import { sql } from 'kysely'
import type { Condition, KeyTarget, SqlColumn, SqlDialect } from './dialect.js'

/** Whether a server takes `(a, b) in ((1, 2), …)`, or only `(a = 1 and b = 2) or …`. */
export interface ListKeysOptions {
  readonly rowValues: boolean
}

/** Returns conditions over keys for servers without array parameters, with one bound value for each key. */
export function listKeys<Column extends SqlColumn, Bound>({
  rowValues,
}: ListKeysOptions): Pick<SqlDialect<Column, Bound>, 'oneOf' | 'tuples'> {
  return {
    oneOf(target, keys) {
      if (target.path.length > 0 || target.column.array) return undefined
      const distinct = [...new Set(keys)]
      return sql<boolean>`${side(target, sql.id(target.column.name))} in (${sql.join(distinct.map((key) => side(target, sql.val(key))))})`
    },
    tuples(targets, keys) {
      const columns = targets.map((target) => side(target, sql.id(target.column.name)))
      const rows = keys[0]!.map((_, row) => targets.map((target, part) => side(target, sql.val(keys[part]![row]))))
      if (rowValues) {
        const tuples = rows.map((parts) => sql`(${sql.join(parts)})`)
        return sql<boolean>`(${sql.join(columns)}) in (${sql.join(tuples)})`
      }
      const tuples = rows.map((parts) => {
        const equalities = parts.map((key, part) => sql`${columns[part]!} = ${key}`)
        return sql`(${sql.join(equalities, sql` and `)})`
      })
      return sql<boolean>`(${sql.join(tuples, sql` or `)})` as Condition
    },
  }
}

function side(target: KeyTarget, expression: ReturnType<typeof sql>): ReturnType<typeof sql> {
  if (!target.caseInsensitive) return expression
  if (!target.trimmed) return sql`lower(${expression})`
  // Blanks inside a text become equal as well. Rows that match only because of this are left out later.
  const blanks = ['\t', '\r', '\n'].reduce((text, blank) => sql`replace(${text}, ${blank}, ' ')`, expression)
  return sql`lower(trim(${blanks}))`
}
