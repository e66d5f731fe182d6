import { inSmallLetters } from '../../model/compared-text.js'
import type { Value, ValueKind } from '../../model/value.js'
import type { KeyColumn } from '../../ports/connector.js'
import { bindable, type Key } from './key-of.js'

/** Distinct keys in the order they were added, packed into 12 to 30 bytes each. */
export interface KeySet {
  readonly size: number
  /** Returns false when the set already holds the key. */
  add(key: Key): boolean
  /** The key's position, or -1. */
  find(key: Key): number
  at(position: number): Key
  /** The keys from `from` to `to` (exclusive) as JSON, one per line. */
  lines(from: number, to: number): string
  /** The values of one part of the keys from `from` to `to` (exclusive), as a connector binds them. */
  column(part: number, from: number, to: number): KeyColumn
  /** The same keys as 16 bytes each. Absent if the keys are not UUIDs. */
  uuids?(from: number, to: number): Uint8Array
}

/** How a part of a key is compared. */
export interface KeyPart {
  readonly kind?: ValueKind
  readonly caseInsensitive?: boolean
}

/** A set for keys of these parts. In a case-insensitive part, the first spelling is the one that is asked for. */
export function keySet(parts: readonly KeyPart[]): KeySet {
  const only = parts.length === 1 ? parts[0] : undefined
  if (only?.kind === 'integer') return integerKeys()
  if (only?.kind === 'uuid') return uuidKeys()
  return textKeys(parts)
}

const initialTable = 16

/** Positions by hash, open addressing, at most half full. */
function rehash(size: number, hashAt: (position: number) => number, capacity: number): Int32Array {
  const table = new Int32Array(capacity).fill(-1)
  const mask = capacity - 1
  for (let position = 0; position < size; position++) {
    let at = hashAt(position) & mask
    while (table[at] !== -1) at = (at + 1) & mask
    table[at] = position
  }
  return table
}

const mix = (hash: number) => {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b)
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x45d9f3b)
  return mixed ^ (mixed >>> 16)
}

function integerKeys(): KeySet {
  let values: Int32Array | Float64Array = new Int32Array(initialTable / 2)
  let table = rehash(0, () => 0, initialTable)
  let size = 0
  /** Whole numbers beyond 2^53 come as text. From the first of them on, the set holds all keys as text. */
  let promoted: KeySet | undefined
  const hash = (value: number) => mix((value | 0) ^ Math.floor(value / 4294967296))
  const locate = (value: number) => {
    const mask = table.length - 1
    let at = hash(value) & mask
    for (let position = table[at] as number; position !== -1; position = table[at] as number) {
      if (values[position] === value) return position
      at = (at + 1) & mask
    }
    return ~at
  }
  return {
    get size() {
      return promoted?.size ?? size
    },
    add(key) {
      if (typeof key === 'string' && !promoted) {
        promoted = textKeys([{ kind: 'integer' }])
        for (const value of values.subarray(0, size)) promoted.add(String(value))
        values = new Int32Array(0)
        table = new Int32Array(0)
      }
      if (promoted) return promoted.add(String(key))
      const value = key as number
      const at = locate(value)
      if (at >= 0) return false
      if (values instanceof Int32Array && (value | 0) !== value) values = Float64Array.from(values)
      if (size === values.length) {
        const grown = values instanceof Int32Array ? new Int32Array(size * 2) : new Float64Array(size * 2)
        grown.set(values)
        values = grown
      }
      values[size] = value
      table[~at] = size++
      if (size * 2 > table.length)
        table = rehash(size, (position) => hash(values[position] as number), table.length * 2)
      return true
    },
    find(key) {
      if (promoted) return promoted.find(String(key))
      return typeof key === 'string' ? -1 : Math.max(locate(key), -1)
    },
    at: (position) => promoted?.at(position) ?? (values[position] as number),
    lines: (from, to) => promoted?.lines(from, to) ?? values.subarray(from, to).join('\n'),
    column(_, from, to) {
      return promoted ? promoted.column(0, from, to) : values.subarray(from, to)
    },
  }
}

const hexDigits = Buffer.from('0123456789abcdef')
const uuidLength = 36

function uuidKeys(): KeySet {
  let words = new Uint32Array(initialTable * 2)
  let table = rehash(0, () => 0, initialTable)
  let size = 0
  const probe = new Uint32Array(4)
  const one = Buffer.alloc(uuidLength)
  const parse = (text: string) => {
    let word = 0
    let digits = 0
    for (let at = 0; at < 36; at++) {
      const code = text.charCodeAt(at)
      if (code === 45) continue
      word = (word << 4) | (code < 58 ? code - 48 : code - 87)
      if ((++digits & 7) === 0) probe[(digits >> 3) - 1] = word
    }
  }
  const hashOf = (from: Uint32Array, at: number) =>
    mix((from[at] as number) ^ (from[at + 1] as number) ^ mix((from[at + 2] as number) ^ (from[at + 3] as number)))
  const locate = () => {
    const mask = table.length - 1
    let at = hashOf(probe, 0) & mask
    for (let position = table[at] as number; position !== -1; position = table[at] as number) {
      const word = position * 4
      if (
        words[word] === probe[0] &&
        words[word + 1] === probe[1] &&
        words[word + 2] === probe[2] &&
        words[word + 3] === probe[3]
      ) {
        return position
      }
      at = (at + 1) & mask
    }
    return ~at
  }
  const write = (position: number, into: Buffer, at: number) => {
    let end = at
    for (let digit = 0; digit < 32; digit++) {
      if (digit === 8 || digit === 12 || digit === 16 || digit === 20) into[end++] = 45
      const word = words[position * 4 + (digit >> 3)] as number
      into[end++] = hexDigits[(word >>> (28 - 4 * (digit & 7))) & 15] as number
    }
  }
  const texts = (from: number, to: number) => {
    const all = Buffer.alloc((to - from) * uuidLength)
    for (let position = from; position < to; position++) write(position, all, (position - from) * uuidLength)
    // Slices of one long text need less memory than separate texts.
    const text = all.toString('latin1')
    return Array.from({ length: to - from }, (_, at) => text.slice(at * uuidLength, (at + 1) * uuidLength))
  }
  return {
    get size() {
      return size
    },
    add(key) {
      parse(key as string)
      const at = locate()
      if (at >= 0) return false
      if (size * 4 === words.length) {
        const grown = new Uint32Array(words.length * 2)
        grown.set(words)
        words = grown
      }
      words.set(probe, size * 4)
      table[~at] = size++
      if (size * 2 > table.length) table = rehash(size, (position) => hashOf(words, position * 4), table.length * 2)
      return true
    },
    find(key) {
      parse(key as string)
      return Math.max(locate(), -1)
    },
    at(position) {
      write(position, one, 0)
      return one.toString('latin1')
    },
    lines: (from, to) => `"${texts(from, to).join('"\n"')}"`,
    column: (_, from, to) => texts(from, to),
    uuids(from, to) {
      const bytes = Buffer.allocUnsafe((to - from) * 16)
      for (let word = from * 4; word < to * 4; word++) bytes.writeUInt32BE(words[word] as number, (word - from * 4) * 4)
      return bytes
    },
  }
}

function folding(parts: readonly KeyPart[]): (key: string) => string {
  if (parts.every((part) => !part.caseInsensitive)) return (key) => key
  if (parts.length === 1) return inSmallLetters
  return (key) =>
    JSON.stringify(
      (JSON.parse(key) as string[]).map((part, at) => (parts[at]?.caseInsensitive ? inSmallLetters(part) : part)),
    )
}

function textKeys(parts: readonly KeyPart[]): KeySet {
  const fold = folding(parts)
  let bytes = Buffer.alloc(256)
  let ends = new Float64Array(initialTable / 2)
  let hashes = new Int32Array(initialTable / 2)
  let table = rehash(0, () => 0, initialTable)
  let size = 0
  const startOf = (position: number) => (position === 0 ? 0 : (ends[position - 1] as number))
  const textAt = (position: number) => bytes.toString('utf8', startOf(position), ends[position])
  const hash = (text: string) => {
    let value = 0x811c9dc5
    for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
    return mix(value)
  }
  const locate = (text: string, hashed: number) => {
    const mask = table.length - 1
    let at = hashed & mask
    for (let position = table[at] as number; position !== -1; position = table[at] as number) {
      if (hashes[position] === hashed && fold(textAt(position)) === text) return position
      at = (at + 1) & mask
    }
    return ~at
  }
  return {
    get size() {
      return size
    },
    add(key) {
      const text = key as string
      const compared = fold(text)
      const hashed = hash(compared)
      const at = locate(compared, hashed)
      if (at >= 0) return false
      const start = startOf(size)
      const length = Buffer.byteLength(text)
      if (start + length > bytes.length) {
        const grown = Buffer.alloc(Math.max(bytes.length * 2, start + length))
        bytes.copy(grown)
        bytes = grown
      }
      bytes.write(text, start)
      if (size === ends.length) {
        const [moreEnds, moreHashes] = [new Float64Array(size * 2), new Int32Array(size * 2)]
        moreEnds.set(ends)
        moreHashes.set(hashes)
        ends = moreEnds
        hashes = moreHashes
      }
      ends[size] = start + length
      hashes[size] = hashed
      table[~at] = size++
      if (size * 2 > table.length) table = rehash(size, (position) => hashes[position] as number, table.length * 2)
      return true
    },
    find(key) {
      const compared = fold(key as string)
      return Math.max(locate(compared, hash(compared)), -1)
    },
    at: textAt,
    lines: (from, to) => Array.from({ length: to - from }, (_, at) => JSON.stringify(textAt(from + at))).join('\n'),
    column(part, from, to) {
      const values: Value[] = []
      for (let position = from; position < to; position++) {
        const text = textAt(position)
        values.push(
          bindable(parts[part]?.kind, parts.length === 1 ? text : ((JSON.parse(text) as string[])[part] as string)),
        )
      }
      return values
    },
  }
}
