export const valueKinds = [
  'integer',
  'decimal',
  'float',
  'boolean',
  'string',
  'uuid',
  'date',
  'timestamp',
  'datetime',
  'object_id',
  'bytes',
  'object',
] as const

/**
 * The content of a live column, as far as comparing and binding need it. A `timestamp` is a point in time, a `datetime` a date
 * and a time of which nobody says in which zone.
 */
export type ValueKind = (typeof valueKinds)[number]

export function isValueKind(kind: unknown): kind is ValueKind {
  return (valueKinds as readonly unknown[]).includes(kind)
}

/** A scalar without a JSON type, carried as text. `objectId` makes one, `isTypedText` recognises it. */
export interface TypedText {
  readonly type: 'object_id'
  /** 24 lower-case hexadecimal digits. */
  readonly text: string
  /** Gives the text alone, which the reader of a package sees. */
  toJSON(): string
}

/**
 * A value as connectors return it: JSON, plus `bigint` and `TypedText`. Times are RFC 3339 text, without the offset in
 * columns of the kind `datetime`, decimals and integers
 * beyond 2^53 are text (or `bigint`), bytes are base64.
 */
export type Value = null | boolean | number | bigint | string | TypedText | readonly Value[] | Members

export type Members = { readonly [name: string]: Value }

const brand = Symbol.for('@habeas/typed-text')

const prototype = Object.defineProperty(
  {
    toJSON(this: TypedText): string {
      return this.text
    },
  },
  brand,
  { value: true },
)

/** Makes an ObjectId from its 24 hexadecimal digits. Undefined for any other text. */
export function objectId(hex: string): TypedText | undefined {
  if (!/^[0-9a-f]{24}$/i.test(hex)) return undefined
  return Object.freeze(Object.assign(Object.create(prototype), { type: 'object_id', text: hex.toLowerCase() }))
}

/** Whether the value is a `TypedText` from any copy of the package. A row with the same members is not one. */
export function isTypedText(value: unknown): value is TypedText {
  return typeof value === 'object' && value !== null && brand in value
}

/** Whether the value holds others: a list, or an object with members. */
export function isStructured(value: Value | undefined): value is readonly Value[] | Members {
  return typeof value === 'object' && value !== null && !isTypedText(value)
}

export function isMembers(value: Value | undefined): value is Members {
  return isStructured(value) && !Array.isArray(value)
}

/** The member with this name, or undefined. */
export function memberOf(value: Value | undefined, name: string): Value | undefined {
  return isMembers(value) && Object.hasOwn(value, name) ? value[name] : undefined
}
