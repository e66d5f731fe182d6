import type { Row } from '../../ports/connector.js'
import type { Document } from '../../rules/erase/filter-elements.js'
import type { Link, PlannedCollection } from '../../rules/plan/plan.js'
import type { PlannedField } from '../../rules/plan/planned-field.js'
import { conditionalKeyReader } from './key-reader.js'
import { keySet } from './key-set.js'

/** Tells of a row whether an element of somebody else holds a key that one of the subject's elements holds as well. */
export function heldBeside(
  collection: PlannedCollection,
  { fields, when }: Pick<Link, 'fields' | 'when'>,
  keyFields: readonly PlannedField[],
): (row: Row, whole: Document, subjects: Document | undefined) => boolean {
  const read = conditionalKeyReader(collection, fields, when, keyFields)
  return (row, whole, subjects) => {
    const held = keySet(keyFields)
    let others = 0
    read(row, subjects, (key) => {
      held.add(key)
      others--
    })
    read(row, whole, (key) => {
      if (held.find(key) !== -1) others++
    })
    return others > 0
  }
}
