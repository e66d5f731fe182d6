import {
  type CallOptions,
  type Connection,
  type Erase,
  type KeyGroup,
  PrivacyError,
  type Read,
  type Row,
  type Value,
} from '@habeas/core'
import { plainNumber } from '@habeas/sql'

/** The service recommends 1 MB for a statement and all that is bound to it, and some accounts take no more. */
const mostBytes = 1_000_000
/** What stands beside a key in the text of a statement. */
const bytesAround = 40

/** The connection, whose statements are as long as the service takes: reads and counts of tuples are divided, batches are refused. */
export function withinLimits(connection: Connection): Connection {
  const { read, countEach, erase } = connection
  /** A document may be a list of which several elements are looked for. */
  async function asksDocuments({ collection, anyOf }: Read, options: CallOptions | undefined): Promise<boolean> {
    const { collections } = await connection.describe(options)
    const columns = new Map(
      collections.find(({ name }) => name === collection)?.columns.map((each) => [each.name, each]),
    )
    return anyOf.some(({ fields }) => fields.some(({ path: [name = ''] }) => columns.get(name)?.kind === 'object'))
  }

  async function* divided(asked: Read, options?: CallOptions): AsyncGenerator<readonly Row[]> {
    const parts = isTooLong(asked) ? partsOf(asked) : [asked]
    // the columns of a read that is not divided anyway need not be looked up
    const isWhole = parts.length === 1 || (await asksDocuments(asked, options))
    for (const part of isWhole ? [asked] : parts) yield* read(part, options)
  }
  return {
    ...connection,
    read: divided,
    ...(countEach && {
      async countEach(asked, options) {
        const counts: number[] = []
        // what is counted for one tuple does not depend on the others
        for (const group of withinStatements(asked.group))
          counts.push(...(await countEach({ ...asked, group }, options)))
        return counts
      },
    }),
    ...(erase && {
      async erase(batch, options) {
        const bytes = bytesOfBatch(batch)
        if (bytes > mostBytes && (batch.keys[0]?.length ?? 0) > 1) {
          const message = `One statement would have some ${bytes} bytes, while writing to "${batch.collection}", and Snowflake takes 1 MB: write fewer rows at once.`
          throw new PrivacyError('unsupported', message, { reason: 'batch_too_large' })
        }
        return erase(batch, options)
      },
    }),
  }
}

function isTooLong({ anyOf }: Read): boolean {
  return anyOf.reduce((sum, group) => sum + bytesOfGroup(group), 0) > mostBytes
}

/** The read, or several of which no row meets two. Rows that meet several groups are not divided. */
function partsOf(read: Read): readonly Read[] {
  const [group, ...more] = read.anyOf
  if (!group || more.length > 0 || !isDivisible(group)) return [read]
  const alike = new Map<string, (readonly Value[])[]>()
  for (const row of Array.from(group.values[0]!).keys()) {
    const tuple = group.values.map((part) => part[row]!)
    const text = JSON.stringify(tuple.map(comparedAs), withoutBigints)
    alike.set(text, [...(alike.get(text) ?? []), tuple])
  }
  const parts: Read[] = []
  const all = [...alike.values()]
  for (let from = 0; from < all.length; ) {
    let [bytes, to] = [0, from]
    while (to < all.length && (to === from || bytes < mostBytes)) bytes += bytesOfTuple(all[to++]!.flat())
    const some = all.slice(from, to).flat()
    const { uuids: _, ...rest } = group
    parts.push({
      ...read,
      anyOf: [{ ...rest, values: group.values.map((_, part) => some.map((each) => each[part]!)) }],
    })
    from = to
  }
  return parts
}

/** The tuples of a group in their order, as few at once as a statement takes. */
function withinStatements({ uuids: _, ...group }: KeyGroup): KeyGroup[] {
  const all = Array.from(group.values[0] ?? [], (_, row) => group.values.map((part) => part[row]!))
  const parts: KeyGroup[] = []
  for (let from = 0; from < all.length || from === 0; ) {
    // whether a row is likely to hold a key is asked beside the tuples
    let [bytes, to] = [0, from]
    while (to < all.length && (to === from || bytes < mostBytes / 2)) bytes += bytesOfTuple(all[to++]!)
    parts.push({ ...group, values: group.values.map((part) => Array.from(part).slice(from, to)) })
    from = Math.max(to, 1)
  }
  return parts
}

/** The same for values that the column may take for one: these stay in one statement. */
function comparedAs(value: Value): unknown {
  return value === null || typeof value === 'object' ? value : (plainNumber(value) ?? String(value))
}

/** Whether a row meets one tuple at most: whole values, compared exactly. */
function isDivisible({ exact, fields }: KeyGroup): boolean {
  if (exact) return true
  return fields.length === 1 && fields.every(({ path, caseInsensitive }) => path.length === 1 && !caseInsensitive)
}

function bytesOfBatch({ keys, anyOf, set }: Erase): number {
  const written = set === 'delete' ? [] : set.flatMap((each) => ('toEach' in each ? [each.toEach, each.was ?? []] : []))
  const groups = anyOf.reduce((sum, group) => sum + bytesOfGroup(group), 0)
  return groups + [...keys, ...written].reduce((sum, values) => sum + bytesOf(values), 0)
}

function bytesOfGroup({ values }: KeyGroup): number {
  return values.reduce((sum, part) => sum + bytesOf(part), 0)
}

function bytesOf(values: ArrayLike<Value>): number {
  return bytesOfTuple(Array.from(values))
}

function bytesOfTuple(values: readonly Value[]): number {
  return values.reduce<number>((sum, value) => sum + bytesAround + bytesOfValue(value), 0)
}

function bytesOfValue(value: Value): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  return value !== null && typeof value === 'object' ? Buffer.byteLength(JSON.stringify(value, withoutBigints)) : 20
}

function withoutBigints(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
