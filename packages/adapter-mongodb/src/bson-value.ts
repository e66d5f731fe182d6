import { type Column, castValue, isTypedText, objectId, type Value, type ValueKind } from '@habeas/core'
import {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Code,
  DBRef,
  Decimal128,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
  UUID,
} from 'mongodb'

/*
 * How BSON travels as `Value`, and how it comes back. This file alone knows it.
 *
 * | BSON | Value | comes back as |
 * |---|---|---|
 * | ObjectId | `TypedText` | ObjectId |
 * | Int32, Double, Long | number, `bigint` beyond 2^53 | the number, whatever its width |
 * | NaN, Infinity | text | Double and Decimal128 |
 * | Decimal128 | plain digits as text, its scale kept | text, and Decimal128 |
 * | Decimal128 in a column of other values | the shortest digits, as a text refers to the number | the number |
 * | Date | RFC 3339 text in UTC with milliseconds | text, and Date |
 * | UUID (Binary 4) | lower-case text | text, and UUID |
 * | Binary 0 | base64 | text, and Binary 0 |
 * | other Binary | its subtype, a colon, base64 | text, and Binary of this subtype |
 * | Timestamp, MinKey, MaxKey | text | text, and the same |
 * | RegExp, Code, Symbol, DBPointer | text | text alone |
 * | a Date beyond the year 275760 | `farDate` | nothing: such a key is refused |
 *
 * A text therefore names every stored value that reads as this text. Two documents with keys of different types that read
 * alike are told apart by nothing: a batch that names them is refused as ambiguous.
 */

const dateForm = /^[+-]?\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/
const objectIdForm = /^[0-9a-f]{24}$/
const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const numberForm = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i
/** For texts whose length is a multiple of four. A pattern with groups of four has no room for texts of some megabytes. */
const base64Form = /^[A-Za-z0-9+/]*={0,2}$/
const specialForm = /^(?:NaN|-?Infinity)$/
const timestampForm = /^Timestamp\((\d{1,10}), (\d{1,10})\)$/
const subtypeForm = /^(\d{1,3}):(.*)$/s
const numericKinds: readonly (ValueKind | undefined)[] = ['integer', 'decimal', 'float']

/** How a date reads that JavaScript cannot hold. */
export const farDate = 'Invalid Date'

/** How the values of a column are read. Members that are not known are read as they are stored. */
type ReadAs = Pick<Column, 'kind' | 'members'>

/** A stored value as the port carries it. In a column that holds texts as well, a scale would tell one number from itself. */
export function readValue(held: unknown, as?: ReadAs): Value {
  if (typeof held === 'string' || typeof held === 'boolean') return held
  if (typeof held === 'number') return numberValue(held)
  if (typeof held === 'bigint') return integerValue(held)
  if (held === null || held === undefined) return null
  if (Array.isArray(held)) return held.map((element) => readValue(element, as))
  if (held instanceof Date) return Number.isNaN(held.getTime()) ? farDate : held.toISOString()
  if (held instanceof ObjectId) return objectId(held.toHexString()) as Value
  if (held instanceof Int32) return held.value
  if (held instanceof Double) return numberValue(held.value)
  if (held instanceof Timestamp) return `Timestamp(${held.t}, ${held.i})`
  if (held instanceof Long) return integerValue(held.toBigInt())
  if (held instanceof Decimal128) return decimalText(plainDigits(held.toString()), as)
  if (held instanceof Binary) return binaryText(held)
  if (held instanceof BSONRegExp) return `/${held.pattern}/${held.options}`
  if (held instanceof BSONSymbol) return held.value
  if (held instanceof Code) return held.code
  if (held instanceof MinKey) return 'MinKey'
  if (held instanceof MaxKey) return 'MaxKey'
  if (held instanceof DBRef) return pointerText(held)
  return members(held as Record<string, unknown>, as)
}

function members(held: object, as: ReadAs | undefined): Value {
  const known = as?.members && named(as.members)
  return Object.fromEntries(Object.entries(held).map(([name, member]) => [name, readValue(member, known?.get(name))]))
}

/** The column at a path through objects and lists. */
export function columnAt(columns: readonly Column[], [name, ...rest]: readonly string[]): Column | undefined {
  const column = named(columns).get(name as string)
  return rest.length === 0 || !column ? column : columnAt(column.members ?? [], rest)
}

/** Members by their names, since each member of each document is looked up. */
const byName = new WeakMap<readonly Column[], ReadonlyMap<string, Column>>()

function named(columns: readonly Column[]): ReadonlyMap<string, Column> {
  const known = byName.get(columns) ?? new Map(columns.map((column) => [column.name, column]))
  byName.set(columns, known)
  return known
}

/** Digits of a decimal as they read in a column of this kind. */
export function decimalText(text: string, as: ReadAs | undefined): string {
  return as === undefined || as.kind === 'decimal' ? text : (castValue(text, 'string', 'decimal')?.canonical ?? text)
}

function numberValue(held: number): Value {
  if (!Number.isFinite(held)) return String(held)
  if (held === 0) return 0
  // The server holds it equal to the Long with these digits, and rows elsewhere may refer to it by them.
  const isWide = Number.isInteger(held) && !Number.isSafeInteger(held) && Math.abs(held) < 2 ** 63
  return isWide ? BigInt(held) : held
}

function integerValue(held: bigint): Value {
  const number = Number(held)
  return Number.isSafeInteger(number) ? number : held
}

function binaryText(held: Binary): string {
  if (held.sub_type === Binary.SUBTYPE_UUID && held.position === 16)
    return new UUID(held.buffer.subarray(0, 16)).toHexString()
  const text = held.toString('base64')
  return held.sub_type === Binary.SUBTYPE_DEFAULT ? text : `${held.sub_type}:${text}`
}

/** A DBPointer, a type that is no longer written. A DBRef is a document, and never comes as an object of this class. */
function pointerText({ db, collection, oid }: DBRef): string {
  return `DBPointer(${db === undefined ? '' : `${db}.`}${collection}, ${oid.toHexString()})`
}

/** The digits of a decimal without an exponent; its scale stays. */
export function plainDigits(text: string): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?E([+-]?\d+)$/i.exec(text)
  if (!match) return text
  const [, sign = '', whole = '', fraction = '', exponent] = match
  const digits = whole + fraction
  const point = whole.length + Number(exponent)
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  if (point >= digits.length) return `${sign}${(digits + '0'.repeat(point - digits.length)).replace(/^0+(?=\d)/, '')}`
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
}

/** What may be stored where a value reads as this one. */
export interface Spellings {
  /** Sent as they are. Numbers meet numbers of every width. */
  readonly plain: readonly unknown[]
  /** Met only where a Decimal128 is stored: a text is no number of another type. */
  readonly decimals: readonly Decimal128[]
}

/** Everything that may be stored where a scalar reads as `value`. Empty for lists and objects. */
export function spellingsOf(value: Value, kind?: ValueKind): Spellings {
  if (value === null) return { plain: [null], decimals: [] }
  if (typeof value === 'bigint') return { plain: wholeNumber(value), decimals: [] }
  if (isTypedText(value)) return { plain: [new ObjectId(value.text)], decimals: [] }
  if (typeof value === 'object') return { plain: [], decimals: [] }
  if (typeof value !== 'string') return { plain: [value], decimals: [] }
  const decimal = decimalOf(value)
  const isNumeric = numericKinds.includes(kind)
  const numbers = isNumeric && decimal ? numeric(value, decimal) : []
  return {
    plain: [value, ...typedForms(value, kind), ...special(value), ...numbers],
    decimals: isNumeric || !decimal ? [] : [decimal],
  }
}

/**
 * What else is equal to `value` for core in a column of this kind. The kind comes from a sample, which need not show every
 * type that documents hold.
 */
export function otherSpellings(value: Value, kind?: ValueKind): readonly unknown[] {
  if (isTypedText(value) && kind === 'string') return [value.text]
  if (isTypedText(value)) return kind === 'object_id' ? [value.text, value.text.toUpperCase()] : []
  if (kind === 'uuid' && typeof value === 'string' && /[a-f]/.test(value)) return [value.toUpperCase()]
  if (kind !== 'string' && !numericKinds.includes(kind)) return []
  const text = castValue(value, 'string')?.canonical
  const number = castValue(text, 'decimal')?.canonical
  if (number === undefined || number !== text) return []
  // a server holds the decimal of a fraction unequal to the double with the same digits
  const decimal = typeof value === 'number' && !Number.isInteger(value) ? decimalOf(number) : undefined
  if (typeof value !== 'string') return [number, ...(decimal ? [decimal] : [])]
  if (kind !== 'string') return []
  return /^-?\d+$/.test(number) ? wholeNumber(BigInt(number)) : doubleOf(number)
}

/** The double that reads as these digits. One with fewer digits is another number, and a server holds it unequal to the decimal. */
function doubleOf(digits: string | undefined): number[] {
  return digits !== undefined && castValue(Number(digits), 'float')?.canonical === digits ? [Number(digits)] : []
}

function numeric(text: string, decimal: Decimal128): unknown[] {
  if (/^-?\d+$/.test(text)) return wholeNumber(BigInt(text))
  const shortest = castValue(plainDigits(text), 'decimal', 'decimal')?.canonical
  // some servers hold numbers equal only where their scales are
  const other = shortest === undefined || shortest === text ? undefined : decimalOf(shortest)
  return [decimal, ...(other ? [other] : []), ...doubleOf(shortest)]
}

/** NaN and the infinities, which are stored among numbers and read as these texts. */
function special(text: string): number[] {
  return specialForm.test(text) ? [Number(text)] : []
}

function wholeNumber(value: bigint): unknown[] {
  if (BigInt.asIntN(64, value) === value) return [Long.fromBigInt(value)]
  const decimal = decimalOf(String(value))
  return decimal ? [decimal, ...doubleOf(String(value))] : []
}

function typedForms(text: string, kind: ValueKind | undefined): unknown[] {
  if (uuidForm.test(text)) return [new UUID(text.toLowerCase())]
  // Some applications store an id at times as such, at times as its digits.
  if (kind === 'string' && objectIdForm.test(text)) return [new ObjectId(text)]
  const date = dateForm.test(text) ? dateOf(text) : undefined
  if (date) return [date]
  const [, t, i] = timestampForm.exec(text) ?? []
  if (t !== undefined) return [new Timestamp({ t: Number(t), i: Number(i) })]
  if (text === 'MinKey') return [new MinKey()]
  if (text === 'MaxKey') return [new MaxKey()]
  const bytes = kind === undefined ? binaryOf(text) : undefined
  return bytes ? [bytes] : []
}

function binaryOf(text: string): Binary | undefined {
  const [, subtype, rest] = subtypeForm.exec(text) ?? [undefined, '0', text]
  const digits = rest as string
  if (Number(subtype) > 255 || digits.length % 4 !== 0 || !base64Form.test(digits)) return undefined
  return new Binary(Buffer.from(digits, 'base64'), Number(subtype))
}

function decimalOf(text: string): Decimal128 | undefined {
  if (!numberForm.test(text) && !specialForm.test(text)) return undefined
  try {
    return Decimal128.fromString(text)
  } catch {
    // more digits than any stored number has
    return undefined
  }
}

/** The instant, unless it has more digits than the server keeps. */
function dateOf(text: string): Date | undefined {
  const at = new Date(text)
  const tooFine = /\.\d{3}\d*[1-9]/.test(text)
  return tooFine || Number.isNaN(at.getTime()) ? undefined : at
}

/** What is stored where nothing says which type it should have. */
export function bsonOf(value: Value): unknown {
  if (value === null || typeof value !== 'object')
    return typeof value === 'bigint' ? (wholeNumber(value)[0] ?? String(value)) : value
  if (isTypedText(value)) return new ObjectId(value.text)
  if (Array.isArray(value)) return value.map(bsonOf)
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, bsonOf(member)]))
}

/** A new value in the type of the one it replaces. Undefined where that type cannot hold it. */
export function bsonLike(value: Value, held: unknown): unknown {
  if (value === null || held === null || typeof value === 'object') {
    return isTypedText(value) && typeof held === 'string' ? value.text : bsonOf(value)
  }
  if (typeof held === 'boolean') return typeof value === 'boolean' ? value : { true: true, false: false }[String(value)]
  if (held instanceof Date) return typeof value === 'string' && dateForm.test(value) ? cutDate(value) : undefined
  if (held instanceof ObjectId) {
    const id = objectId(String(value))
    return id && new ObjectId(id.text)
  }
  if (held instanceof Binary) return bytesLike(String(value), held)
  // its class is one of `Long`
  if (held instanceof Timestamp) return bsonOf(value)
  if (held instanceof Int32 || held instanceof Long || held instanceof Double || held instanceof Decimal128) {
    return numberLike(value, held)
  }
  return bsonOf(value)
}

/** The server keeps milliseconds: what is finer is cut off, as it does. */
function cutDate(text: string): Date | undefined {
  return dateOf(text.replace(/(\.\d{3})\d+/, '$1'))
}

function bytesLike(text: string, held: Binary): Binary | undefined {
  if (held.sub_type === Binary.SUBTYPE_UUID) return uuidForm.test(text) ? new UUID(text.toLowerCase()) : undefined
  const bytes = binaryOf(text)
  return bytes?.sub_type === held.sub_type ? bytes : undefined
}

function numberLike(value: Exclude<Value, null | object>, held: Int32 | Long | Double | Decimal128): unknown {
  const text = typeof value === 'boolean' ? '' : plainDigits(String(value))
  const decimal = decimalOf(text)
  if (!decimal || held instanceof Decimal128) return decimal
  if (held instanceof Double) return new Double(Number(text))
  const number = Number(text)
  if (!/^-?\d+$/.test(text)) return numberForm.test(text) ? new Double(number) : undefined
  return held instanceof Int32 && (number | 0) === number ? new Int32(number) : wholeNumber(BigInt(text))[0]
}
