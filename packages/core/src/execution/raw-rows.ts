import { isTypedText, objectId, type Value } from '../model/value.js'
import type { Row } from '../ports/connector.js'

/*
 * Rows that must be read again as they were. JSON has no ObjectId, no bigint and no absent element: each is an object
 * whose only member begins with a character that no document's member may hold.
 */
const mark = '\0'

/** One row as text that `readRawRows` turns back into the same values. */
export function rawRowText(row: Row): string {
  return JSON.stringify(row.map((value) => encode(value)))
}

/** The rows of a spool of `rawRowText`. */
export async function* readRawRows(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Row> {
  const decoder = new TextDecoder()
  let text = ''
  const rows = (ready: string) => (JSON.parse(`[${ready}]`) as unknown[][]).map((row) => row.map(decode) as Row)
  for await (const part of bytes) {
    text += decoder.decode(part, { stream: true })
    const end = text.lastIndexOf(',\n')
    if (end === -1) continue
    yield* rows(text.slice(0, end))
    text = text.slice(end + 2)
  }
  if (text !== '') yield* rows(text)
}

function encode(value: Value | undefined): unknown {
  if (value === undefined) return { [mark]: 0 }
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
