import { isTypedText, objectId, type Value, type ValueKind } from '../../model/value.js'
import { isExact, shortestDecimal } from './shortest-decimal.js'
import { dateText, datetimeText, timestampText } from './time-text.js'

/** A value in the type of a column. Two values of one kind are equal exactly when their `canonical` texts are. */
export interface Cast {
  /** The value to bind. */
  readonly value: Value
  readonly canonical: string
}

/** Special values besides numbers and times, in columns of some kinds. In any other column they are plain text. */
const beyond: Partial<Record<ValueKind, RegExp>> = {
  decimal: /^(?:NaN|-?Infinity)$/,
  float: /^(?:NaN|-?Infinity)$/,
  date: /^-?infinity$/,
  timestamp: /^-?infinity$/,
  datetime: /^-?infinity$/,
}

/** Days that no calendar has, such as `0000-00-00`. MySQL keeps them, and they equal themselves in a column of the same kind. */
const unreal: Partial<Record<ValueKind, RegExp>> = {
  date: /^\d{4}-\d\d-\d\d$/,
  datetime: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?$/,
  timestamp: /^0000-00-00T00:00:00Z$/,
}

/**
 * Casts a value to the type of the column it is compared with. Undefined where the cast would lose something, or where
 * the value is null, blank, a list or of an unfit type. Without a kind, scalars stay unchanged. `from` is the kind of
 * the value's own column, if known: decimals arrive as text and are equal at any scale. Any other text stands for a
 * number only as people write it: `007` and `5.0` may be the keys of others than `7` and `5`.
 */
export function castValue(value: Value | undefined, kind?: ValueKind, from?: ValueKind): Cast | undefined {
  if (value === null || value === undefined || Array.isArray(value)) return undefined
  // the base64 of bytes is a text, and means something else in a column of texts
  if (kind && from && (kind === 'bytes') !== (from === 'bytes')) return undefined
  if (typeof value !== 'string') return kind === undefined ? unchanged(value) : casts[kind](value)
  if (isBlankText(value)) return undefined
  const isSpecial = kind && from && beyond[kind]?.test(value) && beyond[from]?.test(value)
  if (isSpecial) return same(value)
  const plain = from === 'decimal' || from === 'float' ? (shortestDecimal(value) ?? value) : value
  if (kind === undefined) return unchanged(plain)
  return casts[kind](plain) ?? (kind === from && unreal[kind]?.test(value) ? same(value) : undefined)
}

/** Characters that show nothing: all white space, and characters without width. */
const blank = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\u2800]*$/u

/** Whether a text shows nothing to a reader. */
function isBlankText(text: string): boolean {
  const first = text.charCodeAt(0)
  // A shortcut, since most texts begin with a letter or a digit.
  return first > 0x20 && first < 0x7f ? false : blank.test(text)
}

/** Whether a value means "none" and is never followed: null, blank text, or one of the field's placeholders. */
export function isBlank(value: Value | undefined, placeholders: readonly (string | number | boolean)[] = []): boolean {
  if (value === null || value === undefined || (typeof value === 'string' && isBlankText(value))) return true
  const text = placeholders.length > 0 ? asString(value)?.canonical : undefined
  if (text === undefined) return false
  return placeholders.some((placeholder) => {
    if (text === asString(placeholder)?.canonical) return true
    // a flag is a number on some servers
    if (typeof value === 'boolean' && asBoolean(placeholder)?.value === value) return true
    return typeof placeholder === 'number' && shortestDecimal(text) === asDecimal(placeholder)?.canonical
  })
}

type Present = Exclude<Value, null>

const casts: Readonly<Record<ValueKind, (value: Present) => Cast | undefined>> = {
  integer: asInteger,
  decimal: asDecimal,
  float: asFloat,
  boolean: asBoolean,
  string: asString,
  uuid: (value) => asText(value, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, (text) => text.toLowerCase()),
  date: (value) => asText(value, /./, dateText),
  timestamp: (value) => asText(value, /./, timestampText),
  datetime: (value) => asText(value, /./, datetimeText),
  object_id: asObjectId,
  bytes: (value) => asText(value, /^(?:[a-z0-9+/]{4})*(?:[a-z0-9+/]{2}==|[a-z0-9+/]{3}=)?$/i, (text) => text),
  object: asObject,
}

const same = (text: string): Cast => ({ value: text, canonical: text })

function numberText(value: Present): string | undefined {
  if (typeof value === 'bigint') return value.toString()
  return typeof value === 'number' && isExact(value) ? shortestDecimal(String(value)) : undefined
}

function asInteger(value: Present): Cast | undefined {
  const written =
    typeof value === 'string' && /^-?(?:0|[1-9][0-9]*)$/.test(value) ? shortestDecimal(value) : numberText(value)
  if (written === undefined || written.includes('.')) return undefined
  const number = Number(written)
  return { value: Number.isSafeInteger(number) ? number : written, canonical: written }
}

function asDecimal(value: Present): Cast | undefined {
  const text = typeof value === 'string' ? shortestDecimal(value) : numberText(value)
  return text === undefined || (typeof value === 'string' && text !== value) ? undefined : same(text)
}

function asFloat(value: Present): Cast | undefined {
  const number = typeof value === 'number' ? value : Number(asDecimal(value)?.canonical ?? Number.NaN)
  if (!Number.isFinite(number)) return undefined
  const canonical = shortestDecimal(String(number)) as string
  if (typeof value !== 'number' && canonical !== asDecimal(value)?.canonical) return undefined
  return { value: number === 0 ? 0 : number, canonical }
}

function asBoolean(value: Present): Cast | undefined {
  if (value === true || value === 1 || value === 1n || value === '1' || value === 'true' || value === 'True') {
    return { value: true, canonical: 'true' }
  }
  if (value === false || value === 0 || value === 0n || value === '0' || value === 'false' || value === 'False') {
    return { value: false, canonical: 'false' }
  }
  return undefined
}

function asString(value: Present): Cast | undefined {
  if (typeof value === 'string') return same(value)
  const text = typeof value === 'boolean' ? String(value) : isTypedText(value) ? value.text : numberText(value)
  return text === undefined ? undefined : same(text)
}

function asText(value: Present, form: RegExp, read: (text: string) => string | undefined): Cast | undefined {
  const text = typeof value === 'string' && form.test(value) ? read(value) : undefined
  return text === undefined ? undefined : same(text)
}

function asObjectId(value: Present): Cast | undefined {
  const id = typeof value === 'string' ? objectId(value) : isTypedText(value) ? value : undefined
  return id && { value: id, canonical: id.text }
}

function asObject(value: Present): Cast | undefined {
  return typeof value === 'object' && !isTypedText(value) ? { value, canonical: valueText(value) } : undefined
}

/** Without a kind, values of different types are never equal, so the canonical text contains the type. */
function unchanged(value: Present): Cast | undefined {
  if (typeof value === 'number' && !Number.isFinite(value)) return undefined
  return typeof value === 'object' && !isTypedText(value) ? undefined : { value, canonical: valueText(value) }
}

/** Whether two values are equal, whatever the order of members. */
export function isSameValue(one: Value, other: Value): boolean {
  if (one === other) return true
  if (typeof one === 'string' || typeof other === 'string') return false
  return valueText(one) === valueText(other)
}

/** A text that is the same for equal values, whatever the order of members, and that differs between types. */
export function valueText(value: Value): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'number' && Number.isSafeInteger(value)) return `n${value}`
  if (isTypedText(value)) return `i${value.text}`
  if (typeof value === 'bigint') return `n${value}`
  if (typeof value === 'number') return `n${shortestDecimal(String(value)) ?? value}`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(valueText).join()}]`
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${valueText(member)}`).join()}}`
}
