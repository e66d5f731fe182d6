import {
  type CallOptions,
  type Catalogue,
  type Column,
  type Connection,
  type CountRows,
  type Erase,
  type KeyGroup,
  PrivacyError,
  type Value,
} from '@habeas/core'
import { failure, plainNumber } from '@habeas/sql'

/** The service recommends 1 MB for a statement and all that is bound to it, and some accounts take no more. */
const mostBytes = 1_000_000
/** What stands beside a key in the text of a statement. */
const bytesAround = 40

/** What is asked of one collection, and how its rows are told from others. */
type Asked = Pick<CountRows, 'collection' | 'anyOf' | 'noneOf'>

/** The connection, whose statements are as long as the service takes: reads and counts are divided, batches are refused. */
export function withinLimits(connection: Connection): Connection {
  const { read, count, countEach, erase } = connection
  /** The kinds of columns, as they were described last. To describe a schema takes many statements. */
  const kinds = new Map<string, ReadonlyMap<string, Column['kind']>>()

  async function describe(options?: CallOptions): Promise<Catalogue> {
    const catalogue = await connection.describe(options)
    kinds.clear()
    for (const { name, columns } of catalogue.collections)
      kinds.set(name, new Map(columns.map((each) => [each.name, each.kind])))
    return catalogue
  }

  /** A document may be a list of which several elements are looked for. */
  async function asksDocuments({ collection, anyOf }: Asked, options: CallOptions | undefined): Promise<boolean> {
    const names = anyOf.flatMap(({ fields }) => fields.map(({ path: [name = ''] }) => name))
    if (!names.every((name) => kinds.get(collection)?.has(name))) await describe(options)
    return names.some((name) => kinds.get(collection)?.get(name) === 'object')
  }

  /** Parts of which no row meets two, or the whole where that cannot be done. */
  async function divided<Whole extends Asked>(
    asked: Whole,
    options: CallOptions | undefined,
  ): Promise<readonly Whole[]> {
    if (bytesAsked(asked) <= mostBytes) return [asked]
    const parts = partsOf(asked)
    // the columns of what is not divided anyway need not be looked up
    return parts.length > 1 && !(await asksDocuments(asked, options)) ? parts : [asked]
  }

  return {
    ...connection,
    describe,
    async *read(asked, options) {
      for (const part of await divided(asked, options)) yield* read(part, options)
    },
    async count(counts, options) {
      const parts: { readonly position: number; readonly part: CountRows }[] = []
      for (const [position, counted] of counts.entries())
        parts.push(...(await divided(counted, options)).map((part) => ({ position, part })))
      const result = counts.map(() => 0)
      for (const some of inStatements(parts, ({ part }) => bytesAsked(part))) {
        const counted = await count(
          some.map(({ part }) => part),
          options,
        )
        for (const [at, { position }] of some.entries()) result[position]! += counted[at]!
      }
      return result
    },
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
        // values of one row may be large, and some accounts take them
        if (bytes > mostBytes && (batch.keys[0]?.length ?? 0) > 1) throw tooLarge(bytes, batch)
        return erase(batch, options)
      },
    }),
  }
}

/** Throws where the last statement has a text that no account takes, whatever is bound to it. */
export function checkLength({ last }: { readonly last: number }, batch: Erase): void {
  if (last > mostBytes) throw tooLarge(last, batch)
}

/** A batch that is to be written in halves. One row cannot be halved. */
function tooLarge(bytes: number, { collection, keys }: Erase): Error {
  const excess = `One statement would have some ${bytes} bytes, while writing to "${collection}", and Snowflake takes 1 MB`
  if ((keys[0]?.length ?? 0) > 1) {
    return new PrivacyError('unsupported', `${excess}: write fewer rows at once.`, { reason: 'batch_too_large' })
  }
  const message = `${excess}. Too many members of one row change: delete the rows of the collection instead (erase: delete), or retain some of the fields.`
  return failure('other', message)
}

/** The items in their order, as many together as one statement takes. */
function inStatements<Item>(items: readonly Item[], bytesOfItem: (item: Item) => number): Item[][] {
  const statements: Item[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const item of items) {
    const more = bytesOfItem(item)
    if (bytes + more > mostBytes) {
      statements.push([])
      bytes = 0
    }
    statements.at(-1)!.push(item)
    bytes += more
  }
  return statements
}

function bytesAsked({ anyOf, noneOf = [] }: Asked): number {
  return bytesOfGroups([...anyOf, ...noneOf])
}

/** The whole, or parts of which no row meets two. Rows that meet several groups are not divided. */
function partsOf<Whole extends Asked>(asked: Whole): readonly Whole[] {
  const [group, ...more] = asked.anyOf
  if (!group || more.length > 0 || !isDivisible(group)) return [asked]
  // what is left out is left out of each part
  const most = Math.max(mostBytes / 2, mostBytes - bytesOfGroups(asked.noneOf ?? []))
  const alike = new Map<string, (readonly Value[])[]>()
  for (const row of Array.from(group.values[0]!).keys()) {
    const tuple = group.values.map((part) => part[row]!)
    const text = JSON.stringify(tuple.map(comparedAs), withoutBigints)
    alike.set(text, [...(alike.get(text) ?? []), tuple])
  }
  const parts: Whole[] = []
  const all = [...alike.values()]
  for (let from = 0; from < all.length; ) {
    let [bytes, to] = [0, from]
    while (to < all.length && (to === from || bytes < most)) bytes += bytesOfTuple(all[to++]!.flat())
    const some = all.slice(from, to).flat()
    const { uuids: _, ...rest } = group
    parts.push({
      ...asked,
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

function bytesOfBatch({ keys, anyOf, set, unchanged = [], pointers = [] }: Erase): number {
  const written = set === 'delete' ? [] : set.flatMap((each) => ('toEach' in each ? [each.toEach, each.was ?? []] : []))
  const beside = [...unchanged, ...pointers.map(({ count }) => count)].map(({ group }) => group)
  return bytesOfGroups([...anyOf, ...beside]) + [...keys, ...written].reduce((sum, values) => sum + bytesOf(values), 0)
}

function bytesOfGroups(groups: readonly KeyGroup[]): number {
  return groups.flatMap(({ values }) => values).reduce((sum, part) => sum + bytesOf(part), 0)
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
