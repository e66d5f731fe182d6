import type { Condition, Expression } from '@habeas/sql'
import { sql } from 'kysely'
import { documentForm, keyForm } from './document-form.js'
import type { SnowflakeColumn } from './live-column.js'

/** A text as a value of the column's type. */
export function typed({ family, cast }: SnowflakeColumn, text: Expression): Expression {
  switch (family) {
    case 'string':
      return text
    case 'bytes':
      return sql`to_binary(${text}, 'BASE64')`
    case 'document':
      return cast === 'variant' ? sql`parse_json(${text})` : sql`cast(parse_json(${text}) as ${sql.raw(cast)})`
    default:
      return sql`cast(${text} as ${sql.raw(cast)})`
  }
}

/** A key as a parameter. Whole numbers travel as such: a cast for each would be most of the statement. */
export function keyParameter(column: SnowflakeColumn, key: string): Expression {
  const number = column.family === 'number' && /^-?\d{1,15}$/.test(key) ? Number(key) : undefined
  return number === undefined ? typed(column, sql`${key}`) : sql`${number}`
}

/** The column such that only what is equal is equal. */
export function exactSide(column: SnowflakeColumn, value: Expression = sql.id(column.name)): Expression {
  // a JSON null is read as null
  if (column.family === 'document') return sql`nullif(${documentForm(value)}, 'null')`
  // a cast of a text that is no number would end the statement
  if (column.ofTexts) return sql`try_cast(${value} as ${sql.raw(column.cast)})`
  return column.collation ? sql`collate(${value}, '')` : value
}

/** A key for `exactSide`. */
export function exactKey(column: SnowflakeColumn, text: Expression): Expression {
  return column.family === 'document' ? keyForm(text) : typed(column, text)
}

function exactParameter(column: SnowflakeColumn, key: string): Expression {
  return column.family === 'document' ? exactKey(column, sql`${key}`) : keyParameter(column, key)
}

/** Stands for null where null equals null. What holds it says beside it whether it is one. */
function placeholder({ family, cast }: SnowflakeColumn): Expression {
  switch (family) {
    case 'number':
    case 'float':
      return sql`0`
    case 'boolean':
      return sql`false`
    case 'date':
      return sql`cast('1970-01-01' as date)`
    case 'time':
      return sql`cast('00:00:00' as time)`
    case 'timestamp':
      return sql`cast('1970-01-01 00:00:00' as ${sql.raw(cast)})`
    case 'bytes':
      return sql`to_binary('', 'BASE64')`
    default:
      return sql`''`
  }
}

/** That the columns hold one of the keys, null being equal to null: two values for each column, none of them null. */
export function inExactKeys(
  columns: readonly SnowflakeColumn[],
  values: readonly (readonly (string | null)[])[],
): Condition {
  const own = columns.flatMap((column) => {
    const value = exactSide(column)
    return [sql`coalesce(${value}, ${placeholder(column)})`, sql`(${value} is null)`]
  })
  const keys = (values[0] ?? []).map((_, row) => {
    const parts = columns.flatMap((column, part) => {
      const key = values[part]![row]
      return typeof key === 'string' ? [exactParameter(column, key), sql`false`] : [placeholder(column), sql`true`]
    })
    return sql`(${sql.join(parts)})`
  })
  return sql<boolean>`(${sql.join(own)}) in (${sql.join(keys)})`
}
