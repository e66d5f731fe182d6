import { isMembers, memberOf, type Value } from '../../model/value.js'
import type { Row } from '../../ports/connector.js'
import type { Document } from '../../rules/erase/filter-elements.js'
import type { PlannedCollection } from '../../rules/plan/plan.js'
import type { PlannedCondition, PlannedField } from '../../rules/plan/planned-field.js'
import { isBlank } from '../../rules/value/cast-value.js'
import { conditionReader, conditionsBeside } from './key-reader.js'

/**
 * Whether a plain value stands in a row, outside of lists, where the path to one of the fields goes on. It may name anybody.
 * Undefined where no field lies in an object.
 */
export function plainReader(
  collection: PlannedCollection,
  fields: readonly Pick<PlannedField, 'path' | 'placeholders'>[],
  when: readonly PlannedCondition[] = [],
): ((row: Row, document: Document | undefined) => boolean) | undefined {
  const nested = fields.filter(({ path }) => path.length > 1)
  if (nested.length === 0) return undefined
  const meets = conditionReader(collection, conditionsBeside(nested, when).apart)
  const holds = (row: Row) =>
    nested.some(({ path: [column, ...rest], placeholders }) => {
      let value: Value | undefined = row[collection.columns.indexOf(column as string)]
      for (const name of rest) {
        if (!isMembers(value)) return !Array.isArray(value) && !isBlank(value, placeholders)
        value = memberOf(value, name)
      }
      return false
    })
  return (row, document) => holds(row) && meets(row, document)
}
