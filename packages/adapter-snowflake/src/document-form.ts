import type { Value } from '@habeas/core'
import { type Expression, withExponents, writeJson } from '@habeas/sql'
import { sql } from 'kysely'

/** The text of a double that is zero. One with a sign is read as zero as well. */
const zero = `0.${'0'.repeat(15)}e+00`

/** A sign that stands nowhere in a JSON text. */
const mark = '\u0001'
const textsAndNumbers = '("([^"\\\\]|\\\\.)*"|undefined|-?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?)'
const asTheyAre = `([eE][+-]?[0-9]+|(^|[^.0-9])[0-9]{17,})${mark}`

/**
 * The text of a document in the one form that equal documents have. The server keeps 10, 10.0 and 1e1 apart: in its text the first two
 * are decimals with the digits they were written with, and the last is 1.000000000000000e+01. What was read is 10 for each. So
 * every number is read by the server as a double, of which it shows 16 digits. It has no function that does so at any
 * depth, and its patterns know neither lazy repetition nor a look ahead: each text and number gets a mark, which then becomes
 * an exponent behind numbers that have none. An element without a value, which it writes as `undefined`, was read as null.
 */
export function documentForm(document: Expression): Expression {
  const marked = sql`regexp_replace(to_json(${document}), ${textsAndNumbers}, ${`\\1${mark}`})`
  const inNumbers = sql`replace(${marked}, ${`"${mark}`}, '"')`
  const withNulls = sql`replace(${inNumbers}, ${`undefined${mark}`}, 'null')`
  const withoutExponent = sql`regexp_replace(${withNulls}, ${asTheyAre}, ${'\\1'})`
  return keyForm(sql`replace(${withoutExponent}, ${mark}, 'e0')`)
}

/** The texts of doubles that are this number in digits; none where a double is shown with fewer digits than it has. */
export function doubleTexts(number: string): readonly string[] {
  const parts = /^(-?)(\d+)(?:\.(\d+))?$/.exec(number)
  if (!parts) return []
  const [, sign = '', whole = '', fraction = ''] = parts
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const shown = digits.replace(/0+$/, '')
  if (shown === '') return [zero, `-${zero}`]
  if (shown.length > 16) return []
  const exponent = digits.length - fraction.length - 1
  const power = `${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
  return [`${sign}${shown[0]}.${shown.slice(1).padEnd(15, '0')}e${power}`]
}

/** A document that was read as JSON, for `keyForm`. */
export function documentKey(value: Value, numbers = false): string | undefined {
  const json = writeJson(value, numbers)
  return json === undefined ? undefined : withExponents(json)
}

/** The same form of what `documentKey` gives. */
export function keyForm(json: Expression): Expression {
  return sql`replace(to_json(parse_json(${json})), ${sql.lit(`-${zero}`)}, ${sql.lit(zero)})`
}
