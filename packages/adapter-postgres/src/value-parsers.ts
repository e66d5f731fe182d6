import type { Value } from '@habeas/core'
import { parseJson, parseWrittenJson, type ValueParser } from '@habeas/sql'
import { parseArrayLiteral } from './array-literal.js'

/** Parsers of scalar types, by the numbers of the type and of its array, which are the same on every server. */
const scalars: readonly (readonly [type: number, array: number, parse: ValueParser])[] = [
  [16, 1000, (text) => text === 't'],
  [21, 1005, Number],
  [23, 1007, Number],
  [700, 1021, float],
  [701, 1022, float],
  [17, 1001, bytes],
  [114, 199, parseWrittenJson],
  [3802, 3807, parseJson],
  [1042, 1014, withoutPadding],
  [1114, 1115, timestamp],
  [1184, 1185, instant],
]

const parsers = new Map<number, ValueParser>(
  scalars.flatMap(([type, array, parse]) => [
    [type, parse],
    [array, (text: string) => parseArrayLiteral(text, parse)],
  ]),
)

function plainArray(text: string): Value {
  return parseArrayLiteral(text, (element) => element)
}

/**
 * Returns the parser of a type, or undefined where the server's text is the value. `array` says whether the column is an
 * array, which the numbers of rare types and of types that users define do not show.
 */
export function valueParser(type: number, array: boolean): ValueParser | undefined {
  return parsers.get(type) ?? (array ? plainArray : undefined)
}

/** Returns a number, or the text of NaN and infinity, since JSON has neither. */
function float(text: string): Value {
  const number = Number(text)
  return Number.isFinite(number) ? number : text
}

/** Returns bytes as Base64. The server writes them as `\x` and hexadecimal digits. */
function bytes(text: string): string {
  return Buffer.from(text.slice(2), 'hex').toString('base64')
}

/** Removes the blanks at the end of `character(n)`. The server ignores them, and removes them where it makes text of it. */
function withoutPadding(text: string): string {
  let end = text.length
  while (text[end - 1] === ' ') end--
  return text.slice(0, end)
}

/** Turns `2024-01-31 12:00:00.5` into RFC 3339 text without a zone, since the column has none. */
function timestamp(text: string): string {
  return text.replace(' ', 'T')
}

/** Turns `2024-01-31 12:00:00.5+00` into RFC 3339 text. The session's zone is UTC. Years before Christ keep their mark. */
function instant(text: string): string {
  const at = text.indexOf(' ')
  if (at < 0) return text
  const rest = text.slice(at + 1)
  const written = rest.endsWith('+00') ? `${rest.slice(0, -3)}Z` : rest.replace(/\+00(?= BC$)/, 'Z')
  return `${text.slice(0, at)}T${written}`
}
