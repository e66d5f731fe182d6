import { isStructured, type Value } from '../../model/value.js'
import { type Document, type ElementPath, type FilteredDocument, withoutElements } from './filter-elements.js'

/**
 * Filters a document in which an object may stand where a list is described: it counts as the only element. Documents are
 * seldom alike, and such an object belongs to somebody as an element does.
 */
export function filterWithLoneElements(
  document: Document,
  lists: readonly (readonly string[])[],
  filter: (document: Document) => FilteredDocument,
): FilteredDocument {
  const lone = new Set<string>()
  const described = new Set(lists.map((path) => path.join('\0')))
  const around = new Set(lists.flatMap((path) => path.map((_, at) => path.slice(0, at + 1).join('\0'))))
  const listed = (value: Value, names: readonly string[], at: ElementPath, isElement: boolean): Value => {
    if (!isStructured(value)) return value
    if (Array.isArray(value)) return value.map((each: Value, index) => listed(each, names, [...at, index], true))
    if (!isElement && described.has(names.join('\0'))) {
      lone.add(JSON.stringify(at))
      return [listed(value, names, [...at, 0], true)]
    }
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => {
        const path = [...names, name]
        const inner = member as Value
        return [name, around.has(path.join('\0')) ? listed(inner, path, [...at, name], false) : inner]
      }),
    ) as Value
  }
  const asLists = listed(document as Value, [], [], false) as Document
  if (lone.size === 0) return filter(document)
  const { leftOut, ...filtered } = filter(asLists)
  const places = leftOut.map((place) => place.filter((_, at) => !lone.has(JSON.stringify(place.slice(0, at)))))
  return { ...filtered, document: withoutElements(document, places), leftOut: places }
}
