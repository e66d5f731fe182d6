import type { Value } from '@habeas/core'
import { type Expression, withExponents, writeJson } from '@habeas/sql'
import { sql } from 'kysely'

/** A sign that stands nowhere in a JSON text. */
const mark = '\u0001'
const textsAndNumbers = '("([^"\\\\]|\\\\.)*"|-?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?)'
const asTheyAre = `([eE][+-]?[0-9]+|(^|[^.0-9])[0-9]{17,})${mark}`

/**
 * The text of a document in the one form that equal documents have. The server keeps 10, 10.0 and 1e1 apart: in its text the first two
 * are decimals with the digits they were written with, and the last is 1.000000000000000e+01. What was read is 10 for each. So
 * every number is read by the server as a double, of which it shows 16 digits. It has no function that does so at any
 * depth, and its patterns know neither lazy repetition nor a look ahead: each text and number gets a mark, which then becomes
 * an exponent behind numbers that have none.
 */
export function documentForm(document: Expression): Expression {
  const marked = sql`regexp_replace(to_json(${document}), ${textsAndNumbers}, ${`\\1${mark}`})`
  const inNumbers = sql`replace(${marked}, ${`"${mark}`}, '"')`
  const withoutExponent = sql`regexp_replace(${inNumbers}, ${asTheyAre}, ${'\\1'})`
  return sql`to_json(parse_json(replace(${withoutExponent}, ${mark}, 'e0')))`
}

/** A document that was read as JSON, for `keyForm`. */
export function documentKey(value: Value, numbers = false): string | undefined {
  const json = writeJson(value, numbers)
  return json === undefined ? undefined : withExponents(json)
}

/** The same form of what `documentKey` gives. */
export function keyForm(json: Expression): Expression {
  return sql`to_json(parse_json(${json}))`
}
