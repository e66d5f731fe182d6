import { isTypedText, shortestDecimal, type Value } from '@habeas/core'

/*
 * Numbers as text that a column takes without changing them, and back. Each returns undefined where no row can hold the value.
 */

/** Returns a scalar as text, or undefined where it holds half a character, which no server stores. */
export function plainText(value: Value): string | undefined {
  const plain = isTypedText(value) ? value.text : value
  if (plain === null || typeof plain === 'object') return undefined
  const text = String(plain)
  return /\p{Surrogate}/u.test(text) ? undefined : text
}

/** Returns a text that looks like the pattern. */
export function matchingText(value: Value, pattern: RegExp): string | undefined {
  return typeof value === 'string' && pattern.test(value) ? value : undefined
}

/** Returns a whole number from `least` to `most`. */
export function wholeText(value: Value, [least, most]: readonly [bigint, bigint]): string | undefined {
  if (typeof value === 'boolean') return undefined
  const digits = typeof value === 'number' && !Number.isSafeInteger(value) ? undefined : plainText(value)
  if (digits === undefined || !/^-?[0-9]{1,20}$/.test(digits)) return undefined
  const number = BigInt(digits)
  return number >= least && number <= most ? String(number) : undefined
}

/** Returns the one way to write a number in digits, whatever its exponent and the zeros at its end. */
export function plainNumber(value: Value): string | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return shortestDecimal(String(value))
  return typeof value === 'string' ? shortestDecimal(value) : undefined
}

/** Returns exactly what the number is worth, without more digits than the column has: the server would round them away. */
export function decimalText(value: Value, precision: number, scale: number): string | undefined {
  const shown = plainNumber(value)
  const [, integer = '', fraction = ''] = /^-?(\d+)(?:\.(\d+))?$/.exec(shown ?? '') ?? []
  return integer.replace(/^0$/, '').length > precision - scale || fraction.length > scale ? undefined : shown
}

/** Returns a finite number, such as one that `Math.fround` has rounded to 32 bits. */
export function finiteText(value: Value, rounded: (number: number) => number): string | undefined {
  const shown = plainNumber(value)
  const number = shown === undefined ? Number.NaN : rounded(Number(shown))
  return Number.isFinite(number) ? String(number) : undefined
}

/** The number with the fewest digits that a server keeps as this one in 32 bits: 0.1 for 0.10000000149011612. */
export function shortestSingle(number: number): number {
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(number.toPrecision(digits))
    if (Math.fround(short) === number) return short
  }
  return number
}
