import { isTypedText, type Value } from '@habeas/core'
import type { KeyTarget } from '@habeas/sql'
import { isCalendarDate, isDateTime } from './date-text.js'
import type { Family, LiveColumn } from './live-column.js'

/** A key as its type takes it. A list holds the forms that one key may have in a JSON document. */
export type BoundKey = string | number | boolean | readonly string[]

type Binder = (value: Value) => BoundKey | undefined

const smallestInt8 = -(2n ** 63n)
const largestInt8 = 2n ** 63n - 1n

/**
 * Returns a function that turns values into keys of the target's type. It leaves out what the type cannot hold: no row
 * holds that, and it would make the whole statement fail.
 */
export function binderOf({ column, path, kind, caseInsensitive, as }: KeyTarget<LiveColumn>): Binder {
  if (as) return text
  if (column.family === 'json') return caseInsensitive ? text : jsonForms(kind === 'string')
  if (path.length > 0) return () => undefined
  return caseInsensitive ? text : binders[column.family]
}

const binders: Readonly<Record<Exclude<Family, 'json'>, Binder>> = {
  integer,
  decimal,
  money: decimal,
  single: (value) => floating(value, Math.fround),
  double: (value) => floating(value, (number) => number),
  boolean: (value) =>
    typeof value === 'boolean' ? value : value === 'true' ? true : value === 'false' ? false : undefined,
  text,
  blank_padded: text,
  enum: text,
  uuid: (value) => matching(value, /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i),
  date: (value) => (typeof value === 'string' && isCalendarDate(value) ? value : undefined),
  timestamp: (value) => (typeof value === 'string' && isDateTime(value) ? value : undefined),
  bytes: base64,
  other: text,
}

function integer(value: Value): number | string | undefined {
  if (typeof value === 'number') {
    return Number.isSafeInteger(value) ? value : Number.isInteger(value) ? int8(BigInt(value)) : undefined
  }
  if (typeof value === 'bigint') return int8(value)
  if (typeof value !== 'string' || !/^-?[0-9]{1,40}$/.test(value)) return undefined
  return value.length <= 15 ? Number(value) : int8(BigInt(value))
}

function int8(value: bigint): number | string | undefined {
  if (value < smallestInt8 || value > largestInt8) return undefined
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value.toString()
}

/** Values of numeric columns that are not numbers. */
const noNumber = /^(?:NaN|-?Infinity)$/

function decimal(value: Value): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : undefined
  if (typeof value === 'bigint') return value.toString()
  return (
    matching(value, /^[+-]?(?:[0-9]{1,1000}(?:\.[0-9]{0,1000})?|\.[0-9]{1,1000})(?:e[+-]?[0-9]{1,3})?$/i) ??
    matching(value, noNumber)
  )
}

function floating(value: Value, round: (number: number) => number): string | undefined {
  const digits = decimal(value)
  if (digits !== undefined && noNumber.test(digits)) return digits
  const number = round(Number(digits))
  return digits !== undefined && Number.isFinite(number) ? String(number) : undefined
}

/** Returns a value as text. The server stores neither NUL nor half a character, and refuses a statement that holds one. */
function text(value: Value): string | undefined {
  const plain = isTypedText(value) ? value.text : value
  if (plain === null || typeof plain === 'object') return undefined
  const written = String(plain)
  return /[\0\p{Surrogate}]/u.test(written) ? undefined : written
}

function base64(value: Value): string | undefined {
  const written = matching(value, /^[A-Za-z0-9+/]*={0,2}$/)
  return written === undefined || written.length % 4 > 0
    ? undefined
    : `\\x${Buffer.from(written, 'base64').toString('hex')}`
}

/**
 * Returns the binder for keys inside documents. A document may hold a number of many digits as a number or as text, and
 * only the type in the dataset says which.
 */
function jsonForms(onlyText: boolean): Binder {
  return (value) => {
    if (typeof value === 'boolean') return onlyText ? undefined : [String(value)]
    const digits = decimal(value)
    const written = text(value)
    if (written === undefined) return undefined
    const forms = typeof value === 'string' || isTypedText(value) || onlyText ? [JSON.stringify(written)] : []
    if (digits !== undefined && !onlyText && isJsonNumber(digits)) forms.push(digits)
    return forms.length === 0 ? undefined : forms
  }
}

function isJsonNumber(digits: string): boolean {
  return /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?$/i.test(digits)
}

function matching(value: Value, pattern: RegExp): string | undefined {
  return typeof value === 'string' && pattern.test(value) ? value : undefined
}
