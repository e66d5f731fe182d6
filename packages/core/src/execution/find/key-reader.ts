import type { Value } from '../../model/value.js'
import type { Row } from '../../ports/connector.js'
import { type Document, tuplesAt } from '../../rules/erase/filter-elements.js'
import type { PlannedCollection } from '../../rules/plan/plan.js'
import type { PlannedCondition, PlannedField } from '../../rules/plan/planned-field.js'
import { castValue, isBlank } from '../../rules/value/cast-value.js'
import { eachForm, isHeldInForms, isId, type Key, keyOf } from './key-of.js'

/** Calls back with each key that a row holds in some fields, except blank ones. */
export type KeyReader = (row: Row, document: Document | undefined, found: (key: Key) => void) => void

/**
 * Reads keys out of rows. Where no array is possible, it takes the value from its column. Otherwise it reads the document
 * that the caller passes, which may have filtered elements.
 */
export function keyReader(
  collection: PlannedCollection,
  fields: readonly PlannedField[],
  asKeysOf = fields,
  dropped: () => void = () => {},
): KeyReader {
  const take = keyTaker(fields, asKeysOf, dropped)
  const paths = fields.map((field) => field.path)
  const fromDocument: KeyReader = (row, document, found) => {
    for (const tuple of tuplesAt(document ?? documentOf(collection, row), paths)) take(tuple.values, found)
  }
  if (collection.arrays || fields.some((field) => field.path.length > 1)) return fromDocument
  const columns = fields.map((field) => collection.columns.indexOf(field.path[0] as string))
  const only = columns[0] as number
  return (row, document, found) => {
    const values = columns.length === 1 ? [row[only]] : columns.map((column) => row[column])
    if (values.some((value) => typeof value === 'object' && value !== null)) return fromDocument(row, document, found)
    take(values, found)
  }
}

/** Calls back with the keys of one tuple of values, or says that values which are not blank are no key. */
function keyTaker(fields: readonly PlannedField[], asKeysOf: readonly PlannedField[], dropped: () => void) {
  const placeholders = fields.map((field, part) => [
    ...field.placeholders,
    ...(asKeysOf[part] as PlannedField).placeholders,
  ])
  const keyOfTuple = (values: readonly (Value | undefined)[]) => keyOf(values, asKeysOf, placeholders, fields)
  const hasForms = fields.some((field, part) => isHeldInForms(asKeysOf[part] as PlannedField, field))
  const isEmpty = (values: readonly (Value | undefined)[]) =>
    values.some((value, part) => isBlank(value, placeholders[part]))
  return (values: readonly (Value | undefined)[], found: (key: Key) => void) => {
    if (hasForms || values.some(isId)) {
      // a placeholder stands for nothing in any form
      if (isEmpty(values)) return
      const keys = eachForm(values, asKeysOf, fields).flatMap((tuple) => keyOfTuple(tuple) ?? [])
      for (const key of keys) found(key)
      if (keys.length === 0) dropped()
      return
    }
    const key = keyOfTuple(values)
    if (key !== undefined) return found(key)
    if (!isEmpty(values)) dropped()
  }
}

/** The row as an object of its columns, if it holds lists or its collection may. It is made once for all readers. */
export function elementsOf(collection: PlannedCollection, row: Row): Document | undefined {
  return collection.arrays || row.some(Array.isArray) ? documentOf(collection, row) : undefined
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

/**
 * Conditions on members beside the fields, which one element has to meet together with them, and all others, which the
 * row has to meet.
 */
export function conditionsBeside(
  fields: readonly Pick<PlannedField, 'path'>[],
  conditions: readonly PlannedCondition[],
): { readonly joint: readonly PlannedCondition[]; readonly apart: readonly PlannedCondition[] } {
  const isBeside = ({ path }: PlannedCondition) =>
    path.length > 1 && fields.some((field) => field.path.length > 1 && field.path[0] === path[0])
  return {
    joint: conditions.filter(isBeside),
    apart: conditions.filter((each) => !isBeside(each)),
  }
}

/** Reads keys as `keyReader` does, of rows that meet the conditions, and in lists of elements that meet them. */
export function conditionalKeyReader(
  collection: PlannedCollection,
  fields: readonly PlannedField[],
  conditions: readonly PlannedCondition[],
  asKeysOf = fields,
  dropped: () => void = () => {},
): KeyReader {
  const { joint, apart } = conditionsBeside(fields, conditions)
  const meets = conditionReader(collection, apart)
  if (joint.length === 0) {
    const read = keyReader(collection, fields, asKeysOf, dropped)
    return (row, document, found) => {
      if (meets(row, document)) read(row, document, found)
    }
  }
  const paths = [...fields, ...joint].map(({ path }) => path)
  const isMet = conditionsMet(joint)
  const take = keyTaker(fields, asKeysOf, dropped)
  return (row, document, found) => {
    if (!meets(row, document)) return
    for (const { values } of tuplesAt(document ?? documentOf(collection, row), paths)) {
      if (isMet(values.slice(fields.length))) take(values.slice(0, fields.length), found)
    }
  }
}

/** Whether values, in the order of the conditions, are those that the conditions ask for. */
export function conditionsMet(conditions: readonly PlannedCondition[]): (values: readonly Value[]) => boolean {
  const wanted = conditions.map(({ kind, equals }) => castValue(equals, kind, kind)?.canonical)
  return (values) =>
    conditions.every(
      ({ kind }, at) => wanted[at] !== undefined && castValue(values[at], kind, kind)?.canonical === wanted[at],
    )
}

/** Whether a row meets all conditions of a polymorphic reference by exact value. In a list, one element must meet them. */
export function conditionReader(collection: PlannedCollection, conditions: readonly PlannedCondition[]) {
  const tests = conditions.map(({ path, kind, equals }) => {
    const column = collection.columns.indexOf(path[0] as string)
    const wanted = castValue(equals, kind, kind)?.canonical
    const isWanted = (value: Value | undefined) =>
      wanted !== undefined && castValue(value, kind, kind)?.canonical === wanted
    return (row: Row, document?: Document): boolean => {
      const value = row[column]
      if (path.length === 1 && (typeof value !== 'object' || value === null)) return isWanted(value)
      return tuplesAt(document ?? documentOf(collection, row), [path]).some(({ values }) => isWanted(values[0]))
    }
  })
  return (row: Row, document?: Document) => tests.every((test) => test(row, document))
}
