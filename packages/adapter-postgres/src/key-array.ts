import type { Statement } from '@habeas/sql'

/** A list of keys as one parameter. The same object stands for the same parameter, however often a statement uses it. */
export interface KeyArray {
  /** Name of the array type, fit for a cast. */
  readonly type: string
  /** Bytes are sent as the server's binary form, text as an array literal. */
  readonly encoded: string | Buffer
}

const int4 = { oid: 23, bytes: 4 }
const int8 = { oid: 20, bytes: 8 }
const uuid = { oid: 2950, bytes: 16 }
const headerBytes = 20

/** Returns whole numbers in the narrowest type that holds all of them. Those that a double cannot hold are given as text. */
export function integerArray(keys: readonly (number | string)[]): KeyArray {
  if (keys.some((key) => typeof key === 'string')) return { type: 'int8[]', encoded: `{${keys.join(',')}}` }
  const numbers = keys as readonly number[]
  if (numbers.every((key) => key === (key | 0))) return { type: 'int4[]', encoded: int4Array(numbers) }
  return { type: 'int8[]', encoded: int8Array(numbers) }
}

/** Returns UUIDs of 16 bytes each as a list. */
export function uuidArray(keys: Uint8Array): KeyArray {
  const bytes = arrayHeader(keys.length / uuid.bytes, uuid)
  let at = headerBytes
  for (let from = 0; from < keys.length; from += uuid.bytes) {
    at = bytes.writeInt32BE(uuid.bytes, at)
    for (let byte = from; byte < from + uuid.bytes; byte++) bytes[at++] = keys[byte] as number
  }
  return { type: 'uuid[]', encoded: bytes }
}

/** Returns keys of any other type as a list. Each key is in quotes, so that none is taken for syntax or for `NULL`. */
export function textArray(type: string, keys: readonly (string | null)[]): KeyArray {
  return { type: `${type}[]`, encoded: arrayLiteral(keys.map((key) => (key === null ? null : quotedElement(key)))) }
}

/** Returns the server's text form of an array, from the text forms of its elements. */
export function arrayLiteral(elements: readonly (string | null)[]): string {
  return `{${elements.map((element) => element ?? 'NULL').join(',')}}`
}

/** Returns an element in quotes, which the server takes for text. */
export function quotedElement(text: string): string {
  return `"${/["\\]/.test(text) ? text.replace(/["\\]/g, '\\$&') : text}"`
}

function int4Array(keys: readonly number[]): Buffer {
  const bytes = arrayHeader(keys.length, int4)
  let at = headerBytes
  for (const key of keys) {
    at = bytes.writeInt32BE(int4.bytes, at)
    at = bytes.writeInt32BE(key, at)
  }
  return bytes
}

function int8Array(keys: readonly number[]): Buffer {
  const bytes = arrayHeader(keys.length, int8)
  let at = headerBytes
  for (const key of keys) {
    at = bytes.writeInt32BE(int8.bytes, at)
    at = bytes.writeInt32BE(Math.floor(key / 0x1_0000_0000), at)
    at = bytes.writeUInt32BE(key >>> 0, at)
  }
  return bytes
}

/** Returns room for an array that begins with its header: one dimension, no nulls, element type, length, lower bound 1. */
function arrayHeader(length: number, element: { oid: number; bytes: number }): Buffer {
  const bytes = Buffer.allocUnsafe(headerBytes + length * (4 + element.bytes))
  bytes.writeInt32BE(1, 0)
  bytes.writeInt32BE(0, 4)
  bytes.writeInt32BE(element.oid, 8)
  bytes.writeInt32BE(length, 12)
  bytes.writeInt32BE(1, 16)
  return bytes
}

/** Returns the statement as it is sent. */
export function withEncodedKeys({ sql, parameters }: Statement): Statement {
  return {
    sql,
    parameters: parameters.map((value) =>
      typeof value === 'object' && value !== null ? (value as KeyArray).encoded : value,
    ),
  }
}
