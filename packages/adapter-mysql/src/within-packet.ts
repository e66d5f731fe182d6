import {
  type Connection,
  isPrivacyError,
  type KeyGroup,
  PrivacyError,
  type Read,
  type Row,
  type Value,
} from '@habeas/core'
import type { Statement } from '@habeas/sql'

/** What the protocol adds to a parameter, at most. */
const bytesAround = 12

/** Returns the size of a statement as it is sent. */
export function statementBytes({ sql, parameters }: Statement): number {
  const each = (value: unknown) => bytesAround + (typeof value === 'string' ? Buffer.byteLength(value) : 8)
  return parameters.reduce<number>((sum, value) => sum + each(value), Buffer.byteLength(sql) + 64)
}

/** Returns the failure of a statement that is longer than `max_allowed_packet` of the server. The engine writes less at once. */
export function packetTooLarge(bytes: number, most: number): PrivacyError {
  const message = `One statement would have ${bytes} bytes, and max_allowed_packet of the server is ${most}: ask for fewer rows at once, or raise it.`
  return new PrivacyError('unsupported', message, { reason: 'batch_too_large' })
}

/** The connection, whose reads are divided where the server does not take all of their keys in one packet. */
export function withinPacket(connection: Connection): Connection {
  const { read } = connection
  async function* divided(asked: Read, options?: Parameters<Connection['read']>[1]): AsyncGenerator<readonly Row[]> {
    try {
      yield* read(asked, options)
    } catch (error) {
      // nothing was sent, so that no row was given
      const halves = isTooLarge(error) ? halvesOf(asked) : undefined
      if (!halves) throw error
      for (const half of halves) yield* divided(half, options)
    }
  }
  return { ...connection, read: divided }
}

function isTooLarge(error: unknown): boolean {
  return isPrivacyError(error, 'unsupported') && error.details.reason === 'batch_too_large'
}

/** Returns two reads of which no row meets both, or undefined where the read cannot be divided in this way. */
function halvesOf(read: Read): Read[] | undefined {
  const [group, ...more] = read.anyOf
  if (!group || more.length > 0 || !isDivisible(group)) return undefined
  const alike = new Map<string, number[]>()
  for (let row = 0; row < group.values[0]!.length; row++) {
    const text = JSON.stringify(group.values.map((part) => spelledAlike(part[row]!)))
    alike.set(text, [...(alike.get(text) ?? []), row])
  }
  const tuples = [...alike.values()]
  if (tuples.length < 2) return undefined
  const { uuids: _, ...rest } = group
  const half = Math.ceil(tuples.length / 2)
  return [tuples.slice(0, half), tuples.slice(half)].map((some) => {
    const rows = some.flat()
    return { ...read, anyOf: [{ ...rest, values: group.values.map((part) => rows.map((row) => part[row]!)) }] }
  })
}

/** A row meets one tuple at most: whole values, compared exactly. */
function isDivisible({ fields }: KeyGroup): boolean {
  return fields.every(({ path, caseInsensitive }) => path.length === 1 && !caseInsensitive)
}

/** Returns one text for values that a column may take for one: these stay in one statement. */
function spelledAlike(value: Value): unknown {
  if (value === null || typeof value === 'object') return value
  const text = String(value)
  return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text
}
