import { setImmediate } from 'node:timers/promises'
import { PrivacyError } from '../errors.js'
import type { Column } from '../model/catalogue.js'
import type { Value } from '../model/value.js'
import type { CallOptions } from '../ports/call-options.js'
import type { Connection, CountEach, CountRows, Erase, KeyGroup } from '../ports/connector.js'
import { emptyMatcher, rowMatcher, tupleMatcher } from './row-matcher.js'

export type FilteredColumn = Pick<Column, 'name' | 'kind'> & Partial<Pick<Column, 'nullable'>>

/** A source that has no query language, or hardly one: it hands over rows, and they are compared here. */
export interface FilteredSource {
  /**
   * The columns of a collection. Undefined where there is no such collection. A row that lacks a column whose `nullable` is
   * false is refused.
   */
  columns(
    collection: string,
    options?: CallOptions,
  ): Promise<readonly FilteredColumn[] | undefined> | readonly FilteredColumn[] | undefined
  /** Every row that may meet one of the groups, each once, in batches of some megabytes at most. */
  candidates(
    collection: string,
    anyOf: readonly KeyGroup[],
    options?: CallOptions,
  ): AsyncIterable<readonly Readonly<Record<string, Value | undefined>>[]>
}

/** What `filteredReads` gives. */
export interface FilteredReads {
  readonly methods: Required<Pick<Connection, 'read' | 'count' | 'countEach'>>
  /** For `erase`: the groups in the kinds of their columns. Rejects where the collection or a column is missing. */
  checked(
    collection: string,
    columns: readonly string[],
    anyOf: readonly KeyGroup[],
    options?: CallOptions,
  ): Promise<readonly KeyGroup[]>
  /**
   * For `erase`: rejects where `pointers` or `unchanged` do not hold. A source without row locks asks before it writes and after.
   */
  checkOthers(erase: Erase, when: 'before' | 'after'): Promise<void>
}

/** `read`, `count` and `countEach` of a connection to a source whose rows have to be compared outside of it. */
export function filteredReads({ columns: columnsOf, candidates: given }: FilteredSource): FilteredReads {
  const known = new Map<string, readonly FilteredColumn[]>()
  const candidates = (collection: string, anyOf: readonly KeyGroup[], options?: CallOptions) =>
    checkedBatches(given(collection, anyOf, options), {
      collection,
      columns: known.get(collection) ?? [],
      ...options,
    })
  const checked: FilteredReads['checked'] = async (collection, columns, anyOf, options) => {
    options?.signal?.throwIfAborted()
    const live = await columnsOf(collection, options)
    if (!live) throw missing('collection', `There is no collection '${collection}': correct the dataset.`)
    known.set(collection, live)
    const kinds = new Map(live.map(({ name, kind }) => [name, kind]))
    const asked = anyOf.flatMap(({ fields, when = [] }) => [...fields, ...when].map(({ path }) => path[0] as string))
    const unknown = [...columns, ...asked].find((column) => !kinds.has(column))
    if (unknown !== undefined)
      throw missing('column', `'${collection}' has no column '${unknown}': correct the dataset.`)
    return anyOf.map((group) => ({
      ...group,
      fields: group.fields.map((field) => {
        const kind = field.path.length === 1 ? kinds.get(field.path[0] as string) : undefined
        return kind ? { kind, ...field } : field
      }),
    }))
  }

  async function counted({ collection, anyOf, noneOf = [], empty = [] }: CountRows, options?: CallOptions) {
    const columns = empty.map(({ path }) => path[0] as string)
    const groups = await checked(collection, columns, [...anyOf, ...noneOf], options)
    const [some, none] = [groups.slice(0, anyOf.length), groups.slice(anyOf.length)]
    const [meets, isLeftOut, empties] = [rowMatcher(some), rowMatcher(none), empty.map(emptyMatcher)]
    let count = 0
    if (some.length === 0) return count
    for await (const rows of candidates(collection, some, options))
      for (const row of rows) if (meets(row) && !isLeftOut(row) && empties.every((isEmpty) => isEmpty(row))) count++
    return count
  }

  async function countEach({ collection, group }: CountEach, options?: CallOptions): Promise<number[]> {
    const groups = await checked(collection, [], [group], options)
    const positions = tupleMatcher(groups[0] as KeyGroup)
    const counts = Array.from(group.values[0] ?? [], () => 0)
    for await (const rows of candidates(collection, groups, options))
      for (const row of rows) for (const at of positions(row)) counts[at] = (counts[at] as number) + 1
    return counts
  }

  const methods: FilteredReads['methods'] = {
    countEach,
    async *read({ collection, columns, anyOf }, options) {
      const groups = await checked(collection, columns, anyOf, options)
      const meets = rowMatcher(groups)
      for await (const rows of candidates(collection, groups, options)) {
        const met = rows.filter(meets).map((row) => columns.map((column) => row[column] ?? null))
        if (met.length > 0) yield met
      }
    },
    async count(counts, options) {
      const answers: number[] = []
      for (const each of counts) answers.push(await counted(each, options))
      return answers
    },
  }
  return {
    methods,
    checked,
    async checkOthers({ collection, unchanged = [], pointers = [] }, when) {
      for (const { collection: other, group, rows } of unchanged) {
        // The batch itself may have changed these.
        if (when === 'after' && other === collection) continue
        if ((await counted({ collection: other, anyOf: [group] })) >= rows) continue
        const message = `Rows of '${other}' that say whose those of '${collection}' are have changed: read them again.`
        throw new PrivacyError('connection_failed', message, { reason: 'changed_since' })
      }
      for (const [position, { count, most }] of pointers.entries()) {
        const counts = await countEach(count)
        const rows = counts.reduce((sum, found, at) => sum + Math.max(0, found - (most[at] as number)), 0)
        if (rows === 0) continue
        const message = `More rows of '${count.collection}' refer to those of '${collection}' than may: find them again.`
        throw new PrivacyError('connection_failed', message, { reason: 'shared_since', position, rows })
      }
    },
  }
}

/** Authors may write without types: a row in place of a batch would be taken for a batch without rows. */
async function* checkedBatches(
  batches: ReturnType<FilteredSource['candidates']>,
  {
    collection,
    columns,
    signal,
  }: CallOptions & { readonly collection: string; readonly columns: readonly FilteredColumn[] },
) {
  const message =
    'candidates must yield batches, as an async generator does: lists of rows, where each row is an object.'
  const malformed = (why = message) => new PrivacyError('connection_failed', why, { reason: 'malformed' })
  const bySmallLetters = new Map(columns.map(({ name }) => [name.toLowerCase(), name]))
  const wrong = (row: object) => {
    const missing = columns.find(({ name, nullable }) => nullable === false && !Object.hasOwn(row, name))
    if (missing) return `without '${missing.name}', which its columns call not nullable`
    const names = Object.keys(row)
    if (names.length === 0 && Object.getPrototypeOf(row) !== Object.prototype && Object.getPrototypeOf(row) !== null)
      return 'without a member of its own, such as a promise'
    const other = names.find((name) => !Object.hasOwn(row, bySmallLetters.get(name.toLowerCase()) ?? name))
    return other && `with '${other}' in place of '${bySmallLetters.get(other.toLowerCase())}'`
  }
  if (typeof batches?.[Symbol.asyncIterator] !== 'function') throw malformed()
  let since = performance.now()
  for await (const rows of batches) {
    if (!Array.isArray(rows) || rows.some((row) => typeof row !== 'object' || row === null || Array.isArray(row)))
      throw malformed()
    for (const row of rows) {
      const why = wrong(row)
      if (why) throw malformed(`candidates gives a row of '${collection}' ${why}.`)
    }
    yield rows
    // batches in which nothing is met may come one right after the other, and the timer that ends the call has to be heard
    if (performance.now() - since > 10) {
      await setImmediate()
      since = performance.now()
    }
    signal?.throwIfAborted()
  }
}

function missing(what: 'collection' | 'column', message: string): PrivacyError {
  return new PrivacyError('connection_failed', message, { reason: `missing_${what}` })
}
