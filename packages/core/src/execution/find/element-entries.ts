import type { Value } from '../../model/value.js'
import type { Row } from '../../ports/connector.js'
import type { Document, ElementEntry } from '../../rules/erase/filter-elements.js'
import type { PlannedCollection } from '../../rules/plan/plan.js'
import { isBlank } from '../../rules/value/cast-value.js'
import type { EntryState } from './entry-state.js'
import { keyOf } from './key-of.js'
import { conditionReader, conditionsBeside, conditionsMet } from './key-reader.js'

/** What the entries of a collection say of the elements of one row, by all keys found so far. */
export function elementEntries(
  collection: PlannedCollection,
  entries: readonly EntryState[],
  row: Row,
  document: Document,
): ElementEntry[] {
  return entries
    .filter(({ entry }) => !entry.compared)
    .map((state) => {
      const { fields, when } = state.entry
      const { joint, apart } = conditionsBeside(fields, when)
      const met = conditionReader(collection, apart)(row, document)
      const isMet = conditionsMet(joint)
      const placeholders = fields.map((field) => field.placeholders)
      return {
        fields: [...fields, ...joint.map(({ path }) => ({ path, filteredDepth: 0 }))],
        says: (values) => {
          const held = values.slice(0, fields.length)
          const isBlankAt = (value: Value, part: number) => isBlank(value, placeholders[part])
          if (!met || !isMet(values.slice(fields.length)) || held.some(isBlankAt)) return 'nothing'
          const key = keyOf(held, fields, placeholders)
          if (key === undefined) return 'other'
          return state.own.keys.find(key) !== -1 || state.indirect.keys.find(key) !== -1 ? 'subject' : 'other'
        },
      }
    })
}
