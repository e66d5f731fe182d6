import { tellsOfPeople } from '../draft/people-data.js'
import { categoryOf } from '../draft/propose-categories.js'
import type { CollectionNode } from '../plan/collection-node.js'
import { isOwnedByNobody } from '../plan/ownership.js'
import type { Finding } from './finding.js'

/** A table whose rows are said to be nobody's, though they seem to be people. Requests neither deliver nor erase these rows. */
export function peopleOfNobody(node: CollectionNode): Finding[] {
  const { address, dataset, collection, fields, undescribed } = node
  if (node.unavailable === 'skip_processing' || !isOwnedByNobody(node)) return []
  const tells = (column: string, categories: readonly (string | undefined)[]) =>
    categories.some((each) => each !== undefined && tellsOfPeople(collection.name, column, each))
  const described = [...fields.values()].filter(
    ({ name, kind, categories, field }) =>
      !field.service_meta.reviewed && tells(name, [...categories, categoryOf(collection.name, { name, kind })]),
  )
  const live = undescribed.filter((column) => tells(column.name, [categoryOf(collection.name, column)]))
  const names = [...described, ...live].map(({ name }) => `'${name}'`)
  if (names.length === 0) return []
  const message = `'${address}' says owner: [], so its rows belong to nobody and no request delivers or erases them, yet ${names.join(', ')} look${names.length === 1 ? 's' : ''} like data of people: remove 'owner' and declare 'identity' on a field by which a person is found, or say 'reviewed: true' on the field${names.length === 1 ? '' : 's'} where that is no person's.`
  return [{ type: 'people_of_nobody', severity: 'warning', loc: [dataset.service_key, collection.name], message }]
}
