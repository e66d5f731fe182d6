import type { Value } from '@habeas/core'
import { parseJson, type ValueParser } from '@habeas/sql'
import { parseArrayLiteral } from './array-literal.js'

/** Scalar types by the number of the type and the number of its array, which are the same on every server. */
const scalars: readonly (readonly [type: number, array: number, parse: ValueParser])[] = [
  [16, 1000, (text) => text === 't'],
  [21, 1005, Number],
  [23, 1007, Number],
  [700, 1021, float],
  [701, 1022, float],
  [17, 1001, bytes],
  [114, 199, parseJson],
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

/** Undefined where the server's text is the value. `array` tells what the number of a type of the user's own, or of a rare one, does not. */
export function valueParser(type: number, array: boolean): ValueParser | undefined {
  return parsers.get(type) ?? (array ? plainArray : undefined)
}

/** JSON has neither NaN nor infinity. */
function float(text: string): Value {
  const number = Number(text)
  return Number.isFinite(number) ? number : text
}

/** The server writes bytes as `\x` and hexadecimal digits. */
function bytes(text: string): string {
  return Buffer.from(text.slice(2), 'hex').toString('base64')
}

/** Blanks at the end of `character(n)` mean nothing to the server, and are gone wherever it makes text of it. */
function withoutPadding(text: string): string {
  let end = text.length
  while (text[end - 1] === ' ') end--
  return text.slice(0, end)
}

/** `2024-01-31 12:00:00.5` becomes RFC 3339 text without a zone, as the column has none. */
function timestamp(text: string): string {
  return text.replace(' ', 'T')
}

/** `2024-01-31 12:00:00.5+00` becomes RFC 3339 text: the session's zone is UTC. Years before Christ keep their mark. */
function instant(text: string): string {
  const at = text.indexOf(' ')
  if (at < 0) return text
  const rest = text.slice(at + 1)
  const written = rest.endsWith('+00') ? `${rest.slice(0, -3)}Z` : rest.replace(/\+00(?= BC$)/, 'Z')
  return `${text.slice(0, at)}T${written}`
}
