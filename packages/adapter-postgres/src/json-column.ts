import { isTypedText, type Value } from '@habeas/core'
import { type Condition, type Expression, mayHideNumbers } from '@habeas/sql'
import { sql } from 'kysely'
import type { LiveColumn } from './live-column.js'

type JsonColumn = Pick<LiveColumn, 'cast' | 'array'>

/** Finds texts that the type `json` may hold and `jsonb` refuses: `\u0000`, half a surrogate pair, a number that is too long. */
const refused = sql.raw(String.raw`E'\\\\u(?:0000|[dD][89a-fA-F])|[eE][-+]?0*[1-9][0-9]{4}|[0-9]{251}'`)

/** The escapes among them, in a text in which each backslash begins an escape. */
const refusedEscapes = sql.raw(
  String.raw`E'\\\\u(?:0000|[dD][89abAB][0-9a-fA-F]{2}(?!\\\\u[dD][c-fC-F])|[dD][c-fC-F][0-9a-fA-F]{2}(?<!\\\\u[dD][89abAB][0-9a-fA-F]{2}\\\\u.{4}))'`,
)

/** The digits among them that are too many. Texts in quotes are matched first, and stay. */
const refusedDigits = sql.raw(
  String.raw`E'("(?:[^"\\\\]|\\\\.)*")|([eE][-+]?)0*([1-9][0-9]{3})[0-9]+|([0-9]{250})[0-9]+'`,
)

/** Stands for two backslashes. No document holds this character as it is. */
const backslashes = sql.raw(String.raw`E'\x01'`)

/**
 * Returns a document, or a list of documents, as `jsonb`. What only `json` can hold becomes the character SUBSTITUTE, or a
 * shorter number that nobody has for a key: one such document would otherwise end each search of the table.
 */
export function asJsonb(column: JsonColumn, value: Expression): Expression {
  if (column.cast !== 'json') return column.array ? sql`to_jsonb(${value})` : value
  const text = textOf(column, value)
  const escaped = sql`replace(${text}, ${sql.raw(String.raw`E'\\\\'`)}, ${backslashes})`
  const storable = sql`regexp_replace(${escaped}, ${refusedEscapes}, ${sql.raw(String.raw`E'\\\\u001a'`)}, 'g')`
  const short = sql`regexp_replace(${storable}, ${refusedDigits}, ${sql.raw(String.raw`E'\\1\\2\\3\\4'`)}, 'g')`
  const repaired = sql`replace(${short}, ${backslashes}, ${sql.raw(String.raw`E'\\\\'`)})`
  return sql`(case when ${text} ~ ${refused} then ${repaired} else ${text} end)::jsonb`
}

/**
 * Returns the condition that a document of the column has two members of one name. `jsonb` keeps the last of them alone.
 * Undefined where none can have them.
 */
export function repeatsMembers(column: LiveColumn): Condition | undefined {
  if (column.cast !== 'json') return undefined
  const held = sql.id(column.name)
  return sql<boolean>`${membersOf(textOf(column, held))} > ${membersOf(sql`${asJsonb(column, held)}::text`)}`
}

/** Returns how many members a document has: that many colons stand outside of its texts. */
function membersOf(text: Expression): Expression {
  const bare = sql`regexp_replace(${text}, ${sql.raw(String.raw`E'"(?:[^"\\\\]|\\\\.)*"|[^:"]+'`)}, '', 'g')`
  return sql`length(${bare})`
}

function textOf({ array }: JsonColumn, value: Expression): Expression {
  return array ? sql`to_json(${value})::text` : sql`${value}::text`
}

const refusedCharacters = /[\0\p{Surrogate}]/gu

/** Returns a value that was read from the column as `asJsonb` gives it. */
export function repaired(column: JsonColumn, value: Value): Value {
  if (column.cast !== 'json') return value
  if (typeof value === 'string') return mayHideNumbers(value) ? shortened(value) : storable(value)
  if (Array.isArray(value)) return value.map((element: Value) => repaired(column, element))
  if (typeof value !== 'object' || value === null || isTypedText(value)) return value
  const members = Object.entries(value as Readonly<Record<string, Value>>)
  return Object.fromEntries(members.map(([name, member]) => [storable(name), repaired(column, member)]))
}

function storable(text: string): string {
  return text.replace(refusedCharacters, '\u001a')
}

function shortened(number: string): string {
  return number.replace(/([eE][-+]?)0*([1-9][0-9]{3})[0-9]+|([0-9]{250})[0-9]+/g, '$1$2$3')
}
