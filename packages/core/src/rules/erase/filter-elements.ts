import { isStructured, memberOf, type Value } from '../../model/value.js'
import { appendTo } from '../value/append-to.js'

/** A row as an object of its top-level columns. */
export type Document = { readonly [name: string]: Value | undefined }

/** An array element on the path to a value. */
export interface Mark {
  readonly array: readonly Value[]
  readonly index: number
  /** The path ends here: the list is one of plain keys. */
  readonly isKey: boolean
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

const isAtEnd = ({ at, path }: Wanted) => at === path.length

function expand(value: Value | undefined, wanted: readonly Wanted[]): Partial[] {
  if (value === undefined || value === null) return []
  if (Array.isArray(value)) {
    const array = value as readonly Value[]
    const isKey = wanted.every(isAtEnd)
    return array.flatMap((element, index) =>
      expand(element, wanted).map((partial) => ({ ...partial, marks: [{ array, index, isKey }, ...partial.marks] })),
    )
  }
  if (!isStructured(value)) {
    if (!wanted.every(isAtEnd)) return []
    return [{ values: wanted.map((each) => [each.index, value] as const), marks: [] }]
  }
  // An object where a value is expected is a value of its own: it names something, if nothing that is searched.
  if (wanted.every(isAtEnd)) return [{ values: wanted.map((each) => [each.index, value] as const), marks: [] }]
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

/** The name of the field that holds the list at a place. */
const listName = (path: ElementPath) => path.filter((step) => typeof step === 'string').join('.')

/** An entry into the collection, as far as its array elements matter. */
export interface ElementEntry {
  /** The fields of the key, then those of conditions, which are filtered by no list. */
  readonly fields: readonly { readonly path: readonly string[]; readonly filteredDepth: number }[]
  /** What values of the fields say, in the elements that are marked: that they are the subject's, somebody else's, or nothing. */
  says(values: readonly Value[], marks: readonly Mark[]): 'subject' | 'other' | 'nothing'
}

/** Elements, by their lists. */
type Elements = Map<readonly Value[], Set<number>>

/** What is left of a document, and the places that were left out of it: the row itself where it is somebody else's. */
export interface FilteredDocument {
  readonly document: Document
  readonly leftOut: readonly ElementPath[]
  /** Whether an element of the subject is left. */
  readonly holdsElement: boolean
}

/**
 * In the arrays that entries lead through, keeps only the elements of the subject (see docs/semantics.md, 'Arrays').
 * An element is the subject's if all its own fields that say something say so, and so do all keys of a list in it. One that only has elements of the subject
 * inside keeps only what leads to these, and so does the document where the row is somebody else's (`isInside`). A row
 * found in another way keeps no elements. Those of an `unowned` list go with the element or the row around them. Returns the document itself when nothing was left out.
 */
export function filterElements(
  document: Document,
  entries: readonly ElementEntry[],
  { isInside = false, unowned = [] }: { readonly isInside?: boolean; readonly unowned?: readonly string[] } = {},
): FilteredDocument {
  const kept: Elements = new Map()
  const keyLists = new Set<readonly Value[]>()
  for (const entry of entries) {
    for (const field of entry.fields) {
      for (const { array, isInElement } of arraysOn(document as Value, field)) {
        if (isInElement) keyLists.add(array)
        else if (!kept.has(array)) kept.set(array, new Set())
      }
    }
  }
  if (kept.size === 0 && !isInside) return { document, leftOut: [], holdsElement: false }
  const { own, contrary } = whoseElements(document, entries, kept, keyLists)
  const leftOut: ElementPath[] = isInside ? [[]] : []
  let holdsElement = false
  const copy = (value: Value | undefined, path: ElementPath, isInOwn: boolean): Value | undefined => {
    if (Array.isArray(value)) {
      const indexes = isInOwn && unowned.includes(listName(path)) ? undefined : kept.get(value as readonly Value[])
      return value.flatMap((element: Value, index): Value[] => {
        const at = [...path, index]
        if (!indexes) return [copy(element, at, isInOwn) as Value]
        if (indexes.has(index)) {
          const isOwn = isIn(own, value, index) && !isIn(contrary, value, index)
          if (isOwn) {
            holdsElement = true
            return [copy(element, at, true) as Value]
          }
          if (leadsToKept(element)) return [inside(element, at)]
        }
        leftOut.push(at)
        return []
      })
    }
    if (!isStructured(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, copy(inner, [...path, name], isInOwn)]),
    ) as Value
  }
  /** Of an element, only the lists that lead to elements of the subject. */
  const inside = (value: Value, path: ElementPath): Value => {
    if (Array.isArray(value)) return copy(value, path, false) as Value
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
  const left = isInside ? inside(document as Value, []) : copy(document as Value, [], true)
  return { document: left as Document, leftOut, holdsElement }
}

/**
 * Notes in `kept` the elements that lead to the subject. Returns those whose own fields name the subject, and those whose
 * own fields name somebody else. A list of plain keys in an element speaks of the element, as one in a row speaks of the row.
 */
function whoseElements(
  document: Document,
  entries: readonly ElementEntry[],
  kept: Elements,
  keyLists: ReadonlySet<readonly Value[]>,
) {
  const [own, contrary]: [Elements, Elements] = [new Map(), new Map()]
  const byFields = new Map<string, ElementEntry[]>()
  for (const entry of entries) {
    const paths = entry.fields.flatMap(({ path, filteredDepth }) => (filteredDepth > 0 ? [path] : []))
    appendTo(byFields, JSON.stringify(paths), entry)
  }
  for (const alike of byFields.values()) {
    const named: Elements = new Map()
    const others: { readonly keys: readonly Mark[]; readonly about: readonly Mark[] }[] = []
    for (const entry of alike) {
      for (const tuple of tuplesAt(
        document,
        entry.fields.map(({ path }) => path),
      )) {
        const said = entry.says(tuple.values, tuple.marks)
        if (said === 'nothing') continue
        const all = tuple.marks.filter(({ array }) => kept.has(array) || keyLists.has(array))
        const marks = all.filter((mark) => !mark.isKey || !all.some((each) => !each.isKey && isInside(each, mark)))
        const [keys, about] = [innermost(all), innermost(marks)]
        if (said === 'other') others.push({ keys, about })
        else {
          for (const mark of marks) noteAt(kept, mark)
          for (const mark of about) noteAt(own, mark)
          for (const mark of keys) noteAt(named, mark)
        }
      }
    }
    // The same fields may refer to several collections, or hold one of several identities: each key is asked for by itself.
    const isNamed = ({ array, index }: Mark) => isIn(named, array, index)
    for (const { keys, about } of others) {
      if (keys.every(isNamed)) continue
      for (const mark of about) if (!isNamed(mark)) noteAt(contrary, mark)
    }
  }
  return { own, contrary }
}

const isIn = (elements: Elements, array: readonly Value[], index: number) => elements.get(array)?.has(index) === true

const innermost = (marks: readonly Mark[]) =>
  marks.filter((mark) => !marks.some((each) => each !== mark && isInside(mark, each)))

/** Whether the list of a mark lies inside of the element of another one. */
const isInside = ({ array, index }: Mark, inner: Mark): boolean => holdsList(array[index], inner.array)

function holdsList(value: Value | undefined, list: readonly Value[]): boolean {
  if (!isStructured(value)) return false
  return value === list || Object.values(value).some((member) => holdsList(member as Value, list))
}

function noteAt(all: Elements, { array, index }: Mark): void {
  const indexes = all.get(array) ?? new Set()
  all.set(array, indexes.add(index))
}

/** Whether the row is somebody else's, and only elements of its lists are the person's. */
export function isOthersRow(leftOut: readonly ElementPath[]): boolean {
  return leftOut.some((place) => place.length === 0)
}

/** The number of elements of which something is left out. */
export function elementsLeftOut(leftOut: readonly ElementPath[]): number {
  if (leftOut.length === 0) return 0
  const isOthers = isOthersRow(leftOut)
  const elements = leftOut
    .map((path) => {
      const last = path.findLastIndex((step) => typeof step === 'number')
      // An object in the place of a list has no position.
      return last === -1 && !isOthers ? path : path.slice(0, last + 1)
    })
    .filter((path) => path.length > 0)
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

/** The filtered arrays on the path of a field. `isInElement`: a list of plain keys in an element of another one. */
function arraysOn(
  value: Value | undefined,
  field: ElementEntry['fields'][number],
  at = 0,
  isElement = false,
): { readonly array: readonly Value[]; readonly isInElement: boolean }[] {
  const { path, filteredDepth } = field
  if (!isStructured(value)) return []
  if (Array.isArray(value)) {
    const array = value as readonly Value[]
    const isKeys = at === path.length
    return [
      { array, isInElement: isKeys && isElement },
      ...array.flatMap((element) => arraysOn(element, field, at, isElement || !isKeys)),
    ]
  }
  const member = path[at]
  return member === undefined || at >= filteredDepth ? [] : arraysOn(memberOf(value, member), field, at + 1, isElement)
}
