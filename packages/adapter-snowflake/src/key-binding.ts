import { inSmallLetters, type Value } from '@habeas/core'
import { decimalText, type TextBinder, textBinders, writeJson } from '@habeas/sql'
import type { SnowflakeColumn } from './live-column.js'

/** Whole values of columns, documents among them: keys and new values. */
export function binderOf({ family, scale }: SnowflakeColumn): TextBinder {
  switch (family) {
    case 'number':
      return (value) => decimalText(value, 38, scale)
    case 'float':
      return float
    case 'boolean':
      return (value) =>
        value === true || value === 'true' ? 'true' : value === false || value === 'false' ? 'false' : undefined
    case 'string':
      return textBinders.string
    case 'date':
      return textBinders.date
    case 'time':
      return (value) => matching(value, /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?$/)
    case 'timestamp':
      return instantText
    case 'bytes':
      return textBinders.bytes
    case 'document':
      return (value) => writeJson(value)
    case 'other':
      return () => undefined
  }
}

/** The server takes special numbers in these words. */
function float(value: Value): string | undefined {
  return typeof value === 'string' && /^(?:NaN|-?Infinity)$/.test(value)
    ? value.replace('Infinity', 'inf')
    : textBinders.float(value)
}

/** A text for a comparison without regard to case: the other side of it is in small letters as well. */
export function foldedText(value: Value): string | undefined {
  const text = textBinders.string(value)
  return text === undefined ? undefined : inSmallLetters(text)
}

const instant = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})(?:\.(\d{1,9})0*)?(Z|[+-]\d{2}:\d{2})?$/i

/** In UTC, with the nanoseconds that are not zero. */
function instantText(value: Value): string | undefined {
  const [, day, time, digits = '', zone = 'Z'] = (typeof value === 'string' && instant.exec(value)) || []
  if (day === undefined || textBinders.date(day) === undefined) return undefined
  const at = new Date(`${day}T${time}${zone}`)
  if (Number.isNaN(at.getTime())) return undefined
  const text = at.toISOString()
  // the offset may lead beyond the years of four digits
  if (!/^\d{4}-/.test(text)) return undefined
  const fraction = digits.replace(/0+$/, '')
  return `${text.slice(0, 19).replace('T', ' ')}${fraction && `.${fraction}`}`
}

function matching(value: Value, pattern: RegExp): string | undefined {
  return typeof value === 'string' && pattern.test(value) ? value : undefined
}
