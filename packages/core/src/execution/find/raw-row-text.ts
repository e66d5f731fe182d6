import { isTypedText, objectId, type Value } from '../../model/value.js'
import type { Row } from '../../ports/connector.js'

/*
 * Rows are written so that they can be read back unchanged. JSON has no ObjectId, no bigint and no absent element. Each of
 * these becomes an object whose only member begins with a character that no member of a document may hold.
 */
const mark = '\0'

/** The mark as JSON writes it. */
const writtenMark = JSON.stringify(mark).slice(1, -1)

/*
 * The JSON parser interns texts of up to ten characters. Numbers as text are rarely equal, so interning those of a million
 * rows takes 50 MB and twice the time. The padding makes them too long for that.
 */
const padding = '#'.repeat(10)
const writtenPadding = `"${padding}`

/** One row as text. `readRawRows` turns it back into the same values. */
export function rawRowText(row: Row): string {
  return JSON.stringify(row.every(isPlain) ? row : row.map(encode))
}

/** Reads the rows of a spool of `rawRowText`, in batches. */
export async function* readRawRows(parts: AsyncIterable<Uint8Array>): AsyncIterable<readonly Row[]> {
  /** The parts of an incomplete row, in order. They are joined once, when the row's end has arrived. */
  let begun: Buffer[] = []
  for await (const { buffer, byteOffset, byteLength } of parts) {
    const part = Buffer.from(buffer, byteOffset, byteLength)
    let from = 0
    if (begun.length > 0) {
      const end = part.indexOf(rowEnd)
      begun.push(end === -1 ? part : part.subarray(0, end))
      if (end === -1) continue
      const whole = Buffer.concat(begun)
      begun = []
      yield rowsIn(whole)
      from = end + 1
    }
    // Batches are small, because the garbage collector has to move rows that stay alive while more are made.
    for (let end = from; ; from = end + 1) {
      end = part.indexOf(rowEnd, from + fewBytes)
      if (end === -1) end = part.lastIndexOf(rowEnd)
      if (end < from) break
      yield rowsIn(part.subarray(from, end))
    }
    if (from < byteLength) begun.push(part.subarray(from))
  }
  if (begun.length > 0) yield rowsIn(Buffer.concat(begun))
}

/** Follows the comma after every row except the last. JSON texts never contain it. */
const rowEnd = 0x0a
const fewBytes = 32 * 1024

function rowsIn(bytes: Buffer): readonly Row[] {
  const text = bytes.toString()
  const rows = JSON.parse(`[${text.endsWith(',') ? text.slice(0, -1) : text}]`) as unknown[][]
  if (text.includes(writtenPadding)) unpad(rows)
  return text.includes(writtenMark) ? rows.map((row) => row.map(decode)) : (rows as Value[][])
}

/** Whether JSON can hold the value unchanged. */
function isPlain(value: Value | undefined): boolean {
  if (typeof value === 'string') return !isPadded(value)
  return value === null || typeof value === 'number' || typeof value === 'boolean'
}

/** Whether a text is written with padding: short numbers, and texts that look padded already. */
function isPadded(text: string): boolean {
  const first = text.charCodeAt(0)
  return first === 0x23 || (text.length <= padding.length && (first === 0x2d || (first >= 0x30 && first <= 0x39)))
}

/** Removes the padding from all texts within, in place. */
function unpad(value: unknown): unknown {
  if (typeof value === 'string') return value.startsWith(padding) ? value.slice(padding.length) : value
  if (Array.isArray(value)) for (let at = 0; at < value.length; at++) value[at] = unpad(value[at])
  else if (typeof value === 'object' && value !== null) {
    const members = value as Record<string, unknown>
    for (const name of Object.keys(members)) members[name] = unpad(members[name])
  }
  return value
}

function encode(value: Value | undefined): unknown {
  if (value === undefined) return { [mark]: 0 }
  if (typeof value === 'string') return isPadded(value) ? padding + value : value
  if (typeof value === 'bigint') return { [`${mark}n`]: String(value) }
  if (value === null || typeof value !== 'object') return value
  if (isTypedText(value)) return { [`${mark}o`]: value.text }
  if (Array.isArray(value)) return value.map(encode)
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, encode(inner)]))
}

function decode(value: unknown): Value | undefined {
  if (value === null || typeof value !== 'object') return value as Value
  if (Array.isArray(value)) return value.map(decode) as Value
  const members = Object.entries(value)
  const [name, inner] = members[0] ?? ['', undefined]
  if (name === mark) return undefined
  if (name === `${mark}n`) return BigInt(inner as string)
  if (name === `${mark}o`) return objectId(inner as string) as Value
  return Object.fromEntries(members.map(([key, each]) => [key, decode(each)])) as Value
}
