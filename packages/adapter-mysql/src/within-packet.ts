import {
  type Connection,
  type CountRows,
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
function statementBytes({ sql, parameters }: Statement): number {
  const each = (value: unknown) => bytesAround + (typeof value === 'string' ? Buffer.byteLength(value) : 8)
  return parameters.reduce<number>((sum, value) => sum + each(value), Buffer.byteLength(sql) + 64)
}

/** The protocol counts the parameters of a statement in two bytes. */
const mostParameters = 65_535

/** Returns what is wrong with a statement that the server would not take whole, or undefined. */
export function tooLarge(statement: Statement, mostBytes: number): PrivacyError | undefined {
  const bytes = statementBytes(statement)
  if (bytes > mostBytes)
    return batchTooLarge(
      `${bytes} bytes, and max_allowed_packet of the server is ${mostBytes}: ask for fewer rows at once, or raise max_allowed_packet.`,
    )
  const { length } = statement.parameters
  if (length <= mostParameters) return undefined
  return batchTooLarge(`${length} parameters, and the server takes ${mostParameters}: ask for fewer rows at once.`)
}

/** The engine writes less at once. */
function batchTooLarge(what: string): PrivacyError {
  return new PrivacyError('unsupported', `One statement would have ${what}`, { reason: 'batch_too_large' })
}

/** The connection, whose reads and counts are divided where the server does not take all of their keys in one packet. */
export function withinPacket(connection: Connection): Connection {
  const { read, count, countEach } = connection
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
  const counted: Connection['count'] = async (asked, options) => {
    try {
      return await count(asked, options)
    } catch (error) {
      const parts = isTooLarge(error) ? partsOf(asked) : undefined
      if (!parts) throw error
      const found: number[][] = []
      for (const part of parts) found.push([...(await counted(part, options))])
      // parts of one question are summed, and those of several stand side by side
      return asked.length > 1 ? found.flat() : [found.reduce((sum, [rows = 0]) => sum + rows, 0)]
    }
  }
  const countedEach: NonNullable<Connection['countEach']> = async (asked, options) => {
    try {
      return await countEach!(asked, options)
    } catch (error) {
      const tuples = asked.group.values[0]?.length ?? 0
      if (!isTooLarge(error) || tuples < 2) throw error
      const { uuids: _, ...group } = asked.group
      const [first, second] = [
        [0, Math.ceil(tuples / 2)],
        [Math.ceil(tuples / 2), tuples],
      ].map(([from, to]) => ({
        ...asked,
        group: { ...group, values: group.values.map((part) => Array.from(part).slice(from, to)) },
      }))
      return [...(await countedEach(first!, options)), ...(await countedEach(second!, options))]
    }
  }
  return { ...connection, read: divided, count: counted, ...(countEach && { countEach: countedEach }) }
}

function isTooLarge(error: unknown): boolean {
  return isPrivacyError(error, 'unsupported') && error.details.reason === 'batch_too_large'
}

/** Returns fewer counts at once, or the parts of one count, whose keys no row shares. */
function partsOf(asked: readonly CountRows[]): (readonly CountRows[])[] | undefined {
  const [one] = asked
  if (!one) return undefined
  if (asked.length === 1) return halvesOf(one)?.map((half) => [half])
  const half = Math.ceil(asked.length / 2)
  return [asked.slice(0, half), asked.slice(half)]
}

/** Returns two reads of which no row meets both, or undefined where the read cannot be divided in this way. */
function halvesOf<Asked extends Pick<Read, 'anyOf'>>(read: Asked): Asked[] | undefined {
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
