import { inSmallLetters, type Value } from '@habeas/core'
import { decimalText, writeJson } from '@habeas/sql'
import type { SnowflakeColumn } from './live-column.js'

/** Turns a value into text that the type of the column takes; undefined where no row can hold it. */
export type Binder = (value: Value) => string | undefined

/** Whole values of columns, documents among them: keys and new values. */
export function binderOf({ family, scale }: SnowflakeColumn): Binder {
  switch (family) {
    case 'number':
      return (value) => decimalText(value, 38, scale)
    case 'float':
      return floatText
    case 'boolean':
      return (value) =>
        value === true || value === 'true' ? 'true' : value === false || value === 'false' ? 'false' : undefined
    case 'string':
      return plainText
    case 'date':
      return dayText
    case 'time':
      return (value) => matching(value, /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?$/)
    case 'timestamp':
      return instantText
    case 'bytes':
      return (value) => {
        const text = matching(value, /^[A-Za-z0-9+/]*={0,2}$/)
        return text !== undefined && text.length % 4 === 0 ? text : undefined
      }
    case 'document':
      return (value) => writeJson(value)
    case 'other':
      return () => undefined
  }
}

function floatText(value: Value): string | undefined {
  const number = typeof value === 'number' || (typeof value === 'string' && value.trim() !== '') ? Number(value) : NaN
  return Number.isFinite(number) ? String(number) : undefined
}

/** Text without half a character, which the server would not keep as it is. */
function plainText(value: Value): string | undefined {
  if (value === null || typeof value === 'object') return undefined
  const text = String(value)
  return /[\0\p{Surrogate}]/u.test(text) ? undefined : text
}

/** The same for a comparison without regard to case: the other side of it is in small letters as well. */
export function foldedText(value: Value): string | undefined {
  const text = plainText(value)
  return text === undefined ? undefined : inSmallLetters(text)
}

function dayText(value: Value): string | undefined {
  const day = matching(value, /^\d{4}-\d{2}-\d{2}$/)
  const at = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(`${day}T`) ? day : undefined
}

const instant = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})(?:\.(\d{1,9})0*)?(Z|[+-]\d{2}:\d{2})?$/i

/** In UTC, with the nanoseconds that are not zero. */
function instantText(value: Value): string | undefined {
  const [, day, time, digits = '', zone = 'Z'] = (typeof value === 'string' && instant.exec(value)) || []
  if (day === undefined || dayText(day) === undefined) return undefined
  const at = new Date(`${day}T${time}${zone}`)
  if (Number.isNaN(at.getTime())) return undefined
  const fraction = digits.replace(/0+$/, '')
  return `${at.toISOString().slice(0, 19).replace('T', ' ')}${fraction && `.${fraction}`}`
}

function matching(value: Value, pattern: RegExp): string | undefined {
  return typeof value === 'string' && pattern.test(value) ? value : undefined
}
