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

/** The place of an element, or of a member of one: names of members and positions in lists, starting at the row. */
export type ElementPath = readonly (string | number)[]

/** An entry into the collection, as far as its array elements matter. */
export interface ElementEntry {
  readonly fields: readonly { readonly path: readonly string[]; readonly filteredDepth: number }[]
  /** Whether the values are among the keys that were asked for and the row meets the conditions of the entry. */
  matches(values: readonly Value[]): boolean
}

/**
 * In the arrays that entries lead through, keeps only elements that match an entry. A row found in another way keeps
 * none of them (see docs/semantics.md, 'Arrays'). An element that matches only through elements inside it, while it or
 * one of those names somebody else, keeps only what leads to the matching ones. Returns the document itself when nothing
 * was left out.
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
  const own = new Map<readonly Value[], Set<number>>()
  const others = new Map<readonly Value[], Set<number>>()
  for (const entry of entries) {
    for (const tuple of tuplesAt(
      document,
      entry.fields.map((field) => field.path),
    )) {
      const marks = tuple.marks.filter(({ array }) => kept.has(array))
      const isMatch = entry.matches(tuple.values)
      if (isMatch) for (const { array, index } of marks) kept.get(array)?.add(index)
      // An element inside of another one says of that one that others have a part in it, and not that it is the subject's.
      const innermost = marks.filter((mark) => !marks.some((each) => each !== mark && isInside(mark, each)))
      for (const mark of isMatch ? innermost : marks) noteAt(isMatch ? own : others, mark)
    }
  }
  const leftOut: ElementPath[] = []
  const isOnlyAround = (array: readonly Value[], index: number) =>
    !own.get(array)?.has(index) && others.get(array)?.has(index) === true
  const copy = (value: Value | undefined, path: ElementPath): Value | undefined => {
    if (Array.isArray(value)) {
      const indexes = kept.get(value as readonly Value[])
      return value.flatMap((element: Value, index): Value[] => {
        const at = [...path, index]
        if (!indexes) return [copy(element, at) as Value]
        if (indexes.has(index)) return [isOnlyAround(value, index) ? inside(element, at) : (copy(element, at) as Value)]
        leftOut.push(at)
        return []
      })
    }
    if (!isStructured(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, copy(inner, [...path, name])]),
    ) as Value
  }
  /** Of an element, only the lists that lead to elements of the subject. */
  const inside = (value: Value, path: ElementPath): Value => {
    if (Array.isArray(value)) return copy(value, path) as Value
    if (!isStructured(value)) return value
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, member]) => {
        const at = [...path, name]
        if (leadsToKept(member)) return [[name, inside(member as Value, at)]]
        leftOut.push(at)
        return []
      }),
    ) as Value
  }
  const leadsToKept = (value: Value | undefined): boolean => {
    if (!isStructured(value)) return false
    if (Array.isArray(value)) return (kept.get(value as readonly Value[])?.size ?? 0) > 0
    return Object.values(value).some((member) => leadsToKept(member as Value))
  }
  return { document: copy(document as Value, []) as Document, leftOut }
}

/** Whether the list of a mark lies inside of the element of another one. */
const isInside = ({ array, index }: Mark, inner: Mark): boolean => holdsList(array[index], inner.array)

function holdsList(value: Value | undefined, list: readonly Value[]): boolean {
  if (!isStructured(value)) return false
  return value === list || Object.values(value).some((member) => holdsList(member as Value, list))
}

function noteAt(all: Map<readonly Value[], Set<number>>, { array, index }: Mark): void {
  const indexes = all.get(array) ?? new Set()
  all.set(array, indexes.add(index))
}

/** The number of elements of which something is left out. */
export function elementsLeftOut(leftOut: readonly ElementPath[]): number {
  const elements = leftOut.map((path) => path.slice(0, path.findLastIndex((step) => typeof step === 'number') + 1))
  return new Set(elements.map((path) => JSON.stringify(path))).size
}

/** A copy of the document without some of the elements of its arrays, and some members of others. */
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
      Object.entries(value).flatMap(([name, inner]) => {
        const at = [...path, name]
        return places.has(JSON.stringify(at)) ? [] : [[name, copy(inner, at)]]
      }),
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
