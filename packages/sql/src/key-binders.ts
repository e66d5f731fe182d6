import { isTypedText, type Value, type ValueKind } from '@habeas/core'
import { matchingText, plainNumber } from './number-text.js'
import { isDay, utcMoment } from './utc-moment.js'

/** Returns a value as text that the type takes, or undefined where no row can hold it. */
export type TextBinder = (value: Value) => string | undefined

/** Binders by the kind of the column, for parameters that the server casts. A value that the kind lacks is in no row. */
export const textBinders: Readonly<Record<ValueKind, TextBinder>> = {
  integer: (value) => {
    const digits = typeof value === 'number' && !Number.isInteger(value) ? undefined : scalarText(value)
    if (digits === undefined || !/^-?[0-9]{1,20}$/.test(digits)) return undefined
    const number = BigInt(digits)
    return number >= -(2n ** 63n) && number < 2n ** 63n ? String(number) : undefined
  },
  decimal,
  float: (value) => {
    const number = Number(decimal(value))
    return Number.isFinite(number) ? String(number) : undefined
  },
  boolean: (value) =>
    value === true || value === 'true' ? '1' : value === false || value === 'false' ? '0' : undefined,
  string: scalarText,
  uuid: (value) => matchingText(value, /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i),
  date: (value) => {
    const day = matchingText(value, /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/)
    return day !== undefined && isDay(day) ? day : undefined
  },
  timestamp: moment,
  datetime: moment,
  bytes: (value) => {
    const text = matchingText(value, /^[A-Za-z0-9+/]*={0,2}$/)
    return text !== undefined && text.length % 4 === 0 ? text : undefined
  },
  object_id: scalarText,
  object: () => undefined,
}

/**
 * The forms of a key inside of a JSON document: `s` and the text of a text, or `n` and that of a number or a boolean. A document
 * may hold a number of many digits as a number or as text; only the dataset's type can tell, so `onlyText` does.
 */
export function documentForms(value: Value, onlyText: boolean): readonly string[] | undefined {
  const text = scalarText(value)
  if (text === undefined) return undefined
  if (typeof value === 'boolean') return onlyText ? undefined : [`n${text}`]
  const number = onlyText ? undefined : plainNumber(value)
  return [
    ...(typeof value === 'string' || onlyText ? [`s${text}`] : []),
    ...(number === undefined ? [] : [`n${number}`]),
  ]
}

/** Returns a scalar as text, or undefined where it holds NUL or half a character, which servers do not store. */
function scalarText(value: Value): string | undefined {
  const plain = isTypedText(value) ? value.text : value
  if (plain === null || typeof plain === 'object') return undefined
  const text = String(plain)
  return /[\0\p{Surrogate}]/u.test(text) ? undefined : text
}

/** A text without a zone is bound as it is, and any other in UTC. */
function moment(value: Value): string | undefined {
  const [, second, fraction = '', zone = 'Z'] =
    (typeof value === 'string' &&
      /^([0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.([0-9]{1,6})0*)?(Z|[+-][0-9]{2}:[0-9]{2})?$/i.exec(
        value,
      )) ||
    []
  if (second === undefined || !isDay(second.slice(0, 10))) return undefined
  const inUtc = utcMoment(`${second.replace(' ', 'T')}${zone}`)
  return inUtc && `${inUtc}.${fraction.padEnd(6, '0')}`
}

function decimal(value: Value): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : undefined
  if (typeof value === 'bigint') return value.toString()
  return matchingText(value, /^[+-]?(?:[0-9]{1,65}(?:\.[0-9]{0,60})?|\.[0-9]{1,60})(?:e[+-]?[0-9]{1,3})?$/i)
}
