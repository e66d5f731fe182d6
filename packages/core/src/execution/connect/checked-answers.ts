import { malformed } from '../../actions/connections/checked-connection.js'
import { isTypedText } from '../../model/value.js'
import type { Connection, Read, Row } from '../../ports/connector.js'
import { counted } from '../../rules/value/counted-rows.js'

const noBatch =
  'read must yield batches: lists of rows, where each row is a list of values in the order of the columns asked for'

/** The connector that gives rows, and the columns that each of them has to hold. */
interface Source {
  readonly type: string
  readonly held: ReadonlySet<string>
}

/** The batches of a read, if they are batches of rows with a value for each of its columns. */
export async function* checkedBatches(
  batches: ReturnType<Connection['read']>,
  read: Read,
  { type, held }: Source,
): AsyncGenerator<readonly Row[]> {
  const { collection, columns, spelled = [] } = read
  const width = spelled.reduce((sum, key) => sum + key.columns.length, columns.length)
  if (typeof batches?.[Symbol.asyncIterator] !== 'function')
    throw malformed(type, 'read must give batches one after the other, as an async generator does')
  const isHeld = columns.map((column) => held.has(column))
  let last: unknown
  let at = 0
  const place = () => `'${collection}.${columns[at] ?? 'a spelled key'}'`
  for await (const batch of batches as AsyncIterable<unknown>) {
    if (!Array.isArray(batch)) throw malformed(type, noBatch)
    for (const row of batch) {
      if (!Array.isArray(row)) throw malformed(type, noBatch)
      // a row that is filled anew says of several rows what the last one of them holds
      if (row === last)
        throw malformed(type, `read gives one list as several rows of '${collection}': make a list for each row`)
      last = row
      if (row.length !== width) {
        const values = `${counted(row.length, 'value')} of '${collection}', where ${counted(width, 'column')} were asked for`
        throw malformed(type, `read gives a row of ${values}: give null for what is empty`)
      }
      for (at = 0; at < width; at++) {
        const value: unknown = row[at]
        // nearly every value, and each is looked at
        if (typeof value === 'string' || typeof value === 'number' || value === null) continue
        if (value === undefined && isHeld[at])
          throw malformed(type, `read gives a row without ${place()}, which describe calls not nullable`)
        if (isSound(value, place, type)) continue
        throw malformed(
          type,
          `read gives ${kindOf(value)} in ${place()}: give times as RFC 3339 text, bytes as base64, the rest as JSON or bigint`,
        )
      }
    }
    yield batch as readonly Row[]
  }
}

/** The numbers of rows that a count gives, if there is one for each question. */
export function checkedCounts(
  counts: readonly number[],
  asked: number,
  { type, method }: { readonly type: string; readonly method: string },
): number[] {
  if (
    !Array.isArray(counts) ||
    counts.length !== asked ||
    !counts.every((count) => Number.isSafeInteger(count) && count >= 0)
  )
    throw malformed(
      type,
      `${method} must resolve with a list of ${counted(asked, 'whole number')} of at least 0, one for each question`,
    )
  return counts
}

/** Whether rows may hold it. Throws for what nobody comes to the end of. */
function isSound(value: unknown, place: () => string, type: string): boolean {
  try {
    return isValue(value)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw malformed(
      type,
      `read gives a value in ${place()} that contains itself, or is nested too deep to be looked at`,
    )
  }
}

/** Whether rows may hold it. A member of a document may be undefined, as one that is not there. */
function isValue(value: unknown): boolean {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'bigint':
    case 'undefined':
      return true
    case 'object': {
      if (value === null || isTypedText(value)) return true
      if (Array.isArray(value)) return value.every(isValue)
      const prototype = Object.getPrototypeOf(value)
      return (prototype === Object.prototype || prototype === null) && Object.values(value).every(isValue)
    }
    default:
      return false
  }
}

/** What a value is that is none, such as `a Date`. It is never the value itself. */
function kindOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return `a ${typeof value} that is no JSON`
  const inside = Object.values(value).find((each) => !isValue(each))
  const isPlain = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype
  return isPlain && inside !== undefined
    ? kindOf(inside)
    : `an object of the class ${value.constructor?.name ?? 'null'}`
}
