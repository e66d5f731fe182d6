import type { Value } from '../model/value.js'
import type { Row } from '../ports/connector.js'
import { type Document, tuplesAt } from '../rules/element-match.js'
import type { PlannedCollection, PlannedCondition, PlannedField } from '../rules/plan.js'
import type { Key } from './key-set.js'
import { keyOf } from './key-values.js'

/** Calls back with each key a row holds at some fields, blank ones left out. */
export type KeyReader = (row: Row, document: Document | undefined, found: (key: Key) => void) => void

/**
 * Reads keys out of rows. Where no array can stand, the value is taken from its column at once; elsewhere from the
 * document, elements filtered or not as the caller hands it in.
 */
export function keyReader(
  collection: PlannedCollection,
  fields: readonly PlannedField[],
  asKeysOf = fields,
): KeyReader {
  const columns = fields.map((field) => collection.columns.indexOf(field.path[0] as string))
  const placeholders = fields.map((field, part) => [
    ...field.placeholders,
    ...(asKeysOf[part] as PlannedField).placeholders,
  ])
  const combine = (values: readonly (Value | undefined)[]) => keyOf(values, asKeysOf, placeholders)
  const paths = fields.map((field) => field.path)
  const fromDocument: KeyReader = (row, document, found) => {
    for (const tuple of tuplesAt(document ?? documentOf(collection, row), paths)) {
      const key = combine(tuple.values)
      if (key !== undefined) found(key)
    }
  }
  if (collection.arrays || fields.some((field) => field.path.length > 1)) return fromDocument
  const only = columns[0] as number
  return (row, document, found) => {
    const values = columns.length === 1 ? [row[only]] : columns.map((column) => row[column])
    if (values.some((value) => typeof value === 'object' && value !== null)) return fromDocument(row, document, found)
    const key = combine(values)
    if (key !== undefined) found(key)
  }
}

/** The row as an object of its columns. */
export function documentOf(collection: PlannedCollection, row: Row): Document {
  const document: { [name: string]: Value } = Object.create(null)
  for (let at = 0; at < collection.columns.length; at++) {
    const value = row[at]
    if (value !== undefined) document[collection.columns[at] as string] = value
  }
  return document
}

/** Whether a row meets all conditions of a polymorphic reference, by exact value. */
export function conditionReader(collection: PlannedCollection, conditions: readonly PlannedCondition[]) {
  if (conditions.length === 0) return () => true
  return (row: Row, document?: Document) =>
    conditions.every(({ path, equals }) => {
      const column = collection.columns.indexOf(path[0] as string)
      if (path.length === 1) return String(row[column]) === String(equals)
      return tuplesAt(document ?? documentOf(collection, row), [path]).some(
        ({ values }) => String(values[0]) === String(equals),
      )
    })
}
