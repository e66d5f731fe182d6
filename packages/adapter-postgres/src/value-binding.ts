import type { Value } from '@habeas/core'
import { writeJson } from '@habeas/sql'
import { repaired } from './json-column.js'
import { arrayLiteral, quotedElement } from './key-array.js'
import { type BoundKey, binderOf } from './key-binding.js'
import type { LiveColumn } from './live-column.js'

/** Returns whether a column holds one scalar, so that an index may find it. */
export function isScalar({ family, array }: LiveColumn): boolean {
  return family !== 'json' && !array
}

/**
 * Returns the binder for keys that were read from the column. Lists and documents are bound whole. With `numbers`, texts in
 * documents that may stand for a number become that number.
 */
export function keyBinderOf(column: LiveColumn, numbers = false): (value: Value) => BoundKey | undefined {
  if (isScalar(column)) return binderOf({ column, path: [], caseInsensitive: false })
  const bind = valueBinderOf(column, numbers)
  return column.family === 'json' ? (value) => bind(repaired(column, value)) : bind
}

/** Returns the binder for new values of the column. They are bound as the server's text form. */
export function valueBinderOf(column: LiveColumn, numbers = false): (value: Value) => string | undefined {
  if (column.array) {
    const element = valueBinderOf({ ...column, array: false }, numbers)
    return (value) => (Array.isArray(value) ? literal(value, element, column.family === 'json') : undefined)
  }
  if (column.family === 'json') return (value) => writeJson(value, numbers)
  const bind = binderOf({ column, path: [], caseInsensitive: false })
  return (value) => {
    const bound = bind(value)
    // blanks at the end would not be there when it is read again
    const isCut = column.family === 'blank_padded' && String(bound).endsWith(' ')
    return bound === undefined || isCut ? undefined : String(bound)
  }
}

/** Returns a list in the server's text form. Lists inside it are further dimensions, or documents in a list of documents. */
function literal(
  list: readonly Value[],
  bind: (value: Value) => string | undefined,
  documents: boolean,
): string | undefined {
  const elements: (string | null)[] = []
  for (const value of list) {
    if (value === null) {
      elements.push(null)
      continue
    }
    const nested = Array.isArray(value) && !documents
    const bound = nested ? literal(value, bind, documents) : bind(value)
    if (bound === undefined) return undefined
    elements.push(nested ? bound : quotedElement(bound))
  }
  return arrayLiteral(elements)
}
