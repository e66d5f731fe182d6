import { isStructured, memberOf, type Value } from '../../model/value.js'
import { type Document, type ElementPath, type FilteredDocument, withoutElements } from './filter-elements.js'

type Path = readonly string[]

/**
 * Filters a document in which an object or a plain value may stand where a list of objects is described: it counts as the only
 * element. Documents are seldom alike, and what stands there belongs to somebody as an element does.
 */
export function filterWithLoneElements(
  document: Document,
  lists: readonly Path[],
  filter: (document: Document) => FilteredDocument,
): FilteredDocument {
  if (!lists.some((list) => holdsLone(document as Value, list))) return filter(document)
  const { asLists, isLone } = inLists(document, lists)
  const { leftOut, ...filtered } = filter(asLists)
  const places = leftOut.map((place) => place.filter((_, at) => !isLone(place.slice(0, at))))
  return { ...filtered, document: withoutElements(document, places), leftOut: places }
}

/** Whether something else stands where a list is described, at its path or in the elements on the way. */
function holdsLone(value: Value | undefined, [name, ...rest]: Path, isElement = false): boolean {
  if (!isStructured(value)) return value !== undefined && value !== null && name === undefined && !isElement
  if (Array.isArray(value))
    return value.some((each: Value) => holdsLone(each, name === undefined ? [] : [name, ...rest], true))
  return name === undefined ? !isElement : holdsLone(memberOf(value, name), rest)
}

/** The document with a list around each of these, and the places of these lists. */
function inLists(document: Document, lists: readonly Path[]) {
  const lone = new Set<string>()
  const described = new Set(lists.map(nameOf))
  const around = new Set(lists.flatMap((list) => list.map((_, at) => nameOf(list.slice(0, at + 1)))))
  const listed = (value: Value, names: Path, at: ElementPath, isElement: boolean): Value => {
    if (value === null) return value
    if (Array.isArray(value)) return value.map((each: Value, index) => listed(each, names, [...at, index], true))
    if (!isElement && described.has(nameOf(names))) {
      lone.add(JSON.stringify(at))
      return [listed(value, names, [...at, 0], true)]
    }
    if (!isStructured(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => {
        const path = [...names, name]
        const inner = member as Value
        return [name, around.has(nameOf(path)) ? listed(inner, path, [...at, name], false) : inner]
      }),
    ) as Value
  }
  const asLists = listed(document as Value, [], [], false) as Document
  return { asLists, isLone: (place: ElementPath) => lone.has(JSON.stringify(place)) }
}

const nameOf = (path: Path) => path.join('\0')
