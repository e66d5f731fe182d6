import { isMembers, type Value } from '../../model/value.js'
import { type Document, type Mark, tuplesAt } from '../../rules/erase/filter-elements.js'

/** A field that holds a value, and whether a value is one of those that are looked for. */
export interface SearchedField {
  readonly path: readonly string[]
  isValue(value: Value): boolean
}

/**
 * The document as each element with the values sees it, of one field for each property: other elements of the lists around it, and
 * lists beside it, are left out. Nothing is returned for values that lie in no list of objects: the whole row holds them.
 */
export function elementsHolding(document: Document, properties: readonly (readonly SearchedField[])[]): Document[] {
  return combinations(properties).flatMap((fields) =>
    tuplesAt(
      document,
      fields.map(({ path }) => path),
    )
      .filter(({ values }) => fields.every(({ isValue }, at) => isValue(values[at] as Value)))
      .flatMap(({ marks }) => (marks.every(({ isKey }) => isKey) ? [] : [asElement(document, marks)])),
  )
}

/** One field of each property, in every way. */
function combinations(properties: readonly (readonly SearchedField[])[]): SearchedField[][] {
  return properties.reduce<SearchedField[][]>(
    (all, fields) => all.flatMap((before) => fields.map((field) => [...before, field])),
    [[]],
  )
}

/**
 * The document as the innermost marked element sees it: a marked list has that one element, and lists beside these are left out
 * unless they lie inside of it.
 */
export function asElement(document: Document, marks: readonly Mark[]): Document {
  const around = new Map(marks.flatMap(({ array, index, isKey }) => (isKey ? [] : [[array, index] as const])))
  let left = around.size
  const of = (value: Value): Value | undefined => {
    if (Array.isArray(value)) {
      const index = around.get(value)
      if (index === undefined) return left === 0 ? value : undefined
      left--
      const element = of(value[index] as Value)
      left++
      return element === undefined ? [] : [element]
    }
    if (left === 0 || !isMembers(value)) return value
    const made: { [name: string]: Value } = Object.create(null)
    for (const [name, member] of Object.entries(value)) {
      const kept = of(member as Value)
      if (kept !== undefined) made[name] = kept
    }
    return made
  }
  return of(document as Value) as Document
}
