import { isIPv4, isIPv6 } from 'node:net'
import type { Value } from '@habeas/core'
import {
  decimalText,
  finiteText,
  matchingText,
  mayHideNumbers,
  plainText,
  utcMoment,
  wholeText,
  writeJson,
} from '@habeas/sql'
import type { MysqlColumn } from './live-column.js'

/** Turns a value into text that the type of the column takes; undefined where no row can hold it. */
export type Binder = (value: Value) => string | undefined

/**
 * Whole values of columns: keys, and new values of everything but documents. A text that the type does not take would only be a
 * warning in a read, and end a statement that writes.
 */
export function binderOf(column: MysqlColumn): Binder {
  const { unsigned, precision, scale } = column
  switch (column.family) {
    case 'integer':
      return (value) => wholeText(value, unsigned ? [0n, 2n ** 64n - 1n] : [-(2n ** 63n), 2n ** 63n - 1n])
    case 'bit':
      return (value) => wholeText(value, [0n, 2n ** BigInt(precision || 64) - 1n])
    case 'year':
      // the server takes 5 for 2005
      return (value) => wholeText(value, [0n, 0n]) ?? wholeText(value, [1901n, 2155n])
    case 'boolean':
      return (value) => (isFlag(value) ? String(Number(String(value) === 'true')) : wholeText(value, [-128n, 255n]))
    case 'decimal':
      return (value) => decimalText(value, precision, scale)
    case 'single':
      return (value) => finiteText(value, Math.fround)
    case 'double':
      return (value) => finiteText(value, (number) => number)
    case 'text':
      return (value) => textIn(column.charset, value)
    case 'uuid':
      return (value) => matchingText(value, /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i)
    case 'inet4':
      return (value) => (typeof value === 'string' && isIPv4(value) ? value : undefined)
    case 'inet6':
      // an address of Node may name a zone
      return (value) => (typeof value === 'string' && isIPv6(value) && !value.includes('%') ? value : undefined)
    case 'geometry':
    case 'documentText':
      return plainText
    case 'date':
      return (value) => (typeof value === 'string' && isDay(value) ? value : undefined)
    case 'datetime':
    case 'timestamp':
      return momentText
    case 'time':
      return durationText
    case 'bytes':
    case 'vector':
      return (value) => {
        const text = matchingText(value, /^[A-Za-z0-9+/]*={0,2}$/)
        return text !== undefined && text.length % 4 === 0 ? text : undefined
      }
    case 'document':
      // a number that was read as text cannot be told from a text
      return (value) => (mayHideNumbers(value) ? undefined : writeJson(value))
  }
}

/** New values. A document is written as it is. */
export function valueBinderOf(column: MysqlColumn): Binder {
  return column.family === 'document' ? (value) => writeJson(value) : binderOf(column)
}

/** What the server calls latin1 is Windows-1252: these characters, and every other one below 256. */
const beyondLatin1 = new Set('€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ')

/** A character that a column cannot hold would be an error in a statement that writes, also where it is only compared. */
const fits: Readonly<Record<string, (text: string) => boolean>> = {
  ascii: (text) => /^[\0-\x7f]*$/.test(text),
  latin1: (text) => [...text].every((each) => each < '\u0100' || beyondLatin1.has(each)),
  utf8mb3: isBasic,
  utf8: isBasic,
  ucs2: isBasic,
}

function isBasic(text: string): boolean {
  return !/[\u{10000}-\u{10ffff}]/u.test(text)
}

function textIn(charset: string | null, value: Value): string | undefined {
  const text = plainText(value)
  return text === undefined || (charset !== null && fits[charset]?.(text) === false) ? undefined : text
}

function isFlag(value: Value): boolean {
  return value === true || value === false || value === 'true' || value === 'false'
}

/** Whether the server keeps the text for a date: zero dates, zero months and February 30 are among them. */
function isDay(text: string): boolean {
  const [, month, day] = /^\d{4}-(\d{2})-(\d{2})$/.exec(text) ?? []
  return month !== undefined && Number(month) <= 12 && Number(day) <= 31
}

/** A TIME is a duration of up to 838:59:59. */
function durationText(value: Value): string | undefined {
  const text = matchingText(value, /^-?\d{2,3}:[0-5]\d:[0-5]\d(?:\.\d{1,6})?$/)
  const [hours = 0, minutes = 0, seconds = 0] = text?.replace('-', '').split(':').map(Number) ?? []
  return hours * 3_600 + minutes * 60 + seconds > 838 * 3_600 + 59 * 60 + 59 ? undefined : text
}

const moment = /^(\d{4}-\d{2}-\d{2})[T ]((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(?:\.(\d{1,6})0*)?(Z|[+-]\d{2}:\d{2})?$/i

/** In UTC, where the text names another zone. */
function momentText(value: Value): string | undefined {
  const [, day, time, fraction = '', zone = 'Z'] = (typeof value === 'string' && moment.exec(value)) || []
  if (day === undefined || !isDay(day)) return undefined
  const digits = fraction.padEnd(6, '0')
  if (/^(?:Z|[+-]00:00)$/i.test(zone)) return `${day} ${time}.${digits}`
  const inUtc = utcMoment(`${day}T${time}${zone}`)
  return inUtc && `${inUtc}.${digits}`
}
