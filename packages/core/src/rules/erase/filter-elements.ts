import { isStructured, memberOf, type Value } from '../../model/value.js'
import { appendTo } from '../value/append-to.js'

/** A row as an object of its top-level columns. */
export type Document = { readonly [name: string]: Value | undefined }

/** An array element on the path to a value. */
interface Mark {
  readonly array: readonly Value[]
  readonly index: number
}

export interface Tuple {
  readonly values: readonly Value[]
  readonly marks: readonly Mark[]
}

interface Partial {
  readonly values: readonly (readonly [number, Value])[]
  readonly marks: readonly Mark[]
}

/**
 * The tuples of values at `paths`, with arrays flattened. Paths through one array take their values from the same
 * element. Other paths are combined in every way. A tuple with a missing value is left out.
 */
export function tuplesAt(document: Document, paths: readonly (readonly string[])[]): Tuple[] {
  const wanted = paths.map((path, index) => ({ index, path, at: 0 }))
  return expand(document as Value, wanted).map(({ values, marks }) => ({
    values: [...values].sort((a, b) => a[0] - b[0]).map(([, value]) => value),
    marks,
  }))
}

interface Wanted {
  readonly index: number
  readonly path: readonly string[]
  readonly at: number
}

function expand(value: Value | undefined, wanted: readonly Wanted[]): Partial[] {
  if (value === undefined || value === null) return []
  if (Array.isArray(value)) {
    const array = value as readonly Value[]
    return array.flatMap((element, index) =>
      expand(element, wanted).map((partial) => ({ ...partial, marks: [{ array, index }, ...partial.marks] })),
    )
  }
  if (!isStructured(value)) {
    if (wanted.some((each) => each.at < each.path.length)) return []
    return [{ values: wanted.map((each) => [each.index, value] as const), marks: [] }]
  }
  const byMember = new Map<string, Wanted[]>()
  for (const each of wanted) {
    const member = each.path[each.at]
    if (member === undefined) return []
    appendTo(byMember, member, { ...each, at: each.at + 1 })
  }
  let result: Partial[] = [{ values: [], marks: [] }]
  for (const [member, inside] of byMember) {
    const found = expand(memberOf(value, member), inside)
    result = result.flatMap((one) =>
      found.map((other) => ({ values: [...one.values, ...other.values], marks: [...one.marks, ...other.marks] })),
    )
  }
  return result
}

/** The place of an element: names of members and positions in lists, starting at the row. */
export type ElementPath = readonly (string | number)[]

/** An entry into the collection, as far as its array elements matter. */
export interface ElementEntry {
  readonly fields: readonly { readonly path: readonly string[]; readonly filteredDepth: number }[]
  /** Whether the values are among the keys that were asked for and the row meets the conditions of the entry. */
  matches(values: readonly Value[]): boolean
}

/**
 * In the arrays that entries lead through, keeps only elements that match an entry. A row found in another way keeps
 * none of them (see docs/semantics.md, 'Arrays'). Returns the document itself when nothing was left out.
 */
export function filterElements(
  document: Document,
  entries: readonly ElementEntry[],
): { document: Document; leftOut: readonly ElementPath[] } {
  const kept = new Map<readonly Value[], Set<number>>()
  for (const entry of entries) {
    for (const field of entry.fields) {
      for (const array of arraysOn(document as Value, field.path.slice(0, field.filteredDepth))) {
        if (!kept.has(array)) kept.set(array, new Set())
      }
    }
  }
  if (kept.size === 0) return { document, leftOut: [] }
  for (const entry of entries) {
    for (const tuple of tuplesAt(
      document,
      entry.fields.map((field) => field.path),
    )) {
      if (!entry.matches(tuple.values)) continue
      for (const mark of tuple.marks) kept.get(mark.array)?.add(mark.index)
    }
  }
  const leftOut: ElementPath[] = []
  const copy = (value: Value | undefined, path: ElementPath): Value | undefined => {
    if (Array.isArray(value)) {
      const indexes = kept.get(value as readonly Value[])
      return value.flatMap((element, index) => {
        if (!indexes || indexes.has(index)) return [copy(element, [...path, index]) as Value]
        leftOut.push([...path, index])
        return []
      })
    }
    if (!isStructured(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, copy(inner, [...path, name])]),
    ) as Value
  }
  return { document: copy(document as Value, []) as Document, leftOut }
}

/** A copy of the document without some of the elements of its arrays. */
export function withoutElements(document: Document, leftOut: readonly ElementPath[]): Document {
  const places = new Set(leftOut.map((path) => JSON.stringify(path)))
  const copy = (value: Value | undefined, path: ElementPath): Value | undefined => {
    if (Array.isArray(value)) {
      return value.flatMap((element, index) => {
        const at = [...path, index]
        return places.has(JSON.stringify(at)) ? [] : [copy(element, at) as Value]
      })
    }
    if (!isStructured(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, copy(inner, [...path, name])]),
    ) as Value
  }
  return copy(document as Value, []) as Document
}

function arraysOn(value: Value | undefined, path: readonly string[], at = 0): (readonly Value[])[] {
  if (!isStructured(value)) return []
  if (Array.isArray(value)) {
    const array = value as readonly Value[]
    return [array, ...array.flatMap((element) => arraysOn(element, path, at))]
  }
  const member = path[at]
  return member === undefined ? [] : arraysOn(memberOf(value, member), path, at + 1)
}
