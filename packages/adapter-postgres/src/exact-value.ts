import type { Expression } from '@habeas/sql'
import { sql } from 'kysely'
import { asText } from './comparison.js'
import { asJsonb } from './json-column.js'
import { type KeyArray, textArray } from './key-array.js'
import type { BoundKey } from './key-binding.js'
import type { LiveColumn } from './live-column.js'

type Values = readonly (BoundKey | null)[]

/**
 * Returns a value of the column in a type whose text differs for different values. Lists and documents are taken whole, and
 * as a read gives them: without the bounds of a list, and with zero for minus zero.
 */
export function exactSide(column: LiveColumn, value: Expression = sql.id(column.name)): Expression {
  const { family, array } = column
  if (family === 'json') return asJsonb(column, value)
  const type = sql.raw(comparedType(column))
  if (array) return listText(column, sql`${value}::${type}[]`)
  if (isFloat(column)) return sql`${value} + 0::${type}`
  if (family === 'money') return sql`${value}::${type}`
  return comparedType(column) === 'text' ? asText(column, value) : value
}

/** Returns a list of keys to compare with `exactSide`. `exactKey` turns each into what it stands for. */
export function exactKeys(column: LiveColumn, values: Values): KeyArray {
  return listOf(column, comparedType(column), values)
}

export function exactKey(column: LiveColumn, key: Expression): Expression {
  if (!column.array) return key
  const list = sql`${key}::${sql.raw(comparedType(column))}[]`
  return column.family === 'json' ? sql`to_jsonb(${list})` : listText(column, list)
}

function listText(column: LiveColumn, list: Expression): Expression {
  const text = sql`regexp_replace(${list}::text, ${sql.raw(String.raw`E'^\\[[^=]*='`)}, '')`
  return isFloat(column) ? sql`regexp_replace(${text}, '(?<=[{,])-(?=0[,}])', '', 'g')` : text
}

function isFloat({ family }: LiveColumn): boolean {
  return family === 'single' || family === 'double'
}

/** Returns a list of new values of the column, one for each row. `newValue` turns each into what it stands for. */
export function newValues(column: LiveColumn, values: Values): KeyArray {
  return listOf(column, assignedType(column), values)
}

export function newValue(column: LiveColumn, value: Expression): Expression {
  return column.array ? sql`${value}::${sql.raw(assignedType(column))}[]` : value
}

/** Returns one new value for every row. */
export function constant(column: LiveColumn, value: string): Expression {
  const type = assignedType(column)
  return sql`${sql.val(value)}::${sql.raw(column.array ? `${type}[]` : type)}`
}

/** Returns values as a list. Lists among them travel as text, because PostgreSQL would flatten a list of lists. */
function listOf({ array }: LiveColumn, type: string, values: Values): KeyArray {
  return textArray(
    array ? 'text' : type,
    values.map((value) => (value === null ? null : String(value))),
  )
}

function comparedType({ family, cast, array }: LiveColumn): string {
  if (family === 'json') return 'jsonb'
  if (family === 'money') return 'numeric'
  if (family === 'blank_padded') return 'text'
  return !array && (family === 'enum' || family === 'other') ? 'text' : cast
}

/** Returns the type that a new value is sent as. Money is sent as a number, since the server reads it in its own locale. */
function assignedType({ family, cast }: LiveColumn): string {
  return family === 'money' ? 'numeric' : cast
}
