import { isCovered } from '../../model/is-covered.js'
import { isPeopleTable } from '../draft/ownership-names.js'
import { categoryOf } from '../draft/propose-categories.js'
import type { CollectionNode } from '../plan/collection-node.js'
import { isOwnedByNobody } from '../plan/ownership.js'
import type { Finding } from './finding.js'

/** Data by which a person can be reached or told apart. A table of things or companies may have some of its own. */
const pointing = ['user.contact.email', 'user.contact.phone_number', 'user.date_of_birth', 'user.government_id']

/** A table whose rows are said to be nobody's, though they seem to be people. Requests neither deliver nor erase these rows. */
export function peopleOfNobody(node: CollectionNode): Finding[] {
  const { address, dataset, collection, fields, undescribed } = node
  if (node.unavailable === 'skip_processing' || !isOwnedByNobody(node)) return []
  const telling = isPeopleTable(collection.name) ? [...pointing, 'user.name'] : pointing
  const tells = (categories: readonly (string | undefined)[]) =>
    categories.some((each) => each !== undefined && telling.some((category) => isCovered(each, category)))
  const described = [...fields.values()].filter(
    ({ name, kind, categories, field }) =>
      !field.service_meta.reviewed && tells([...categories, categoryOf(collection.name, { name, kind })]),
  )
  const names = [...described, ...undescribed.filter((column) => tells([categoryOf(collection.name, column)]))].map(
    ({ name }) => `'${name}'`,
  )
  if (names.length === 0) return []
  const message = `'${address}' says owner: [], so its rows belong to nobody and no request delivers or erases them, yet ${names.join(', ')} look${names.length === 1 ? 's' : ''} like data of people: remove 'owner' and declare 'identity' on a field by which a person is found, or say 'reviewed: true' on the field${names.length === 1 ? '' : 's'} where that is no person's.`
  return [{ type: 'people_of_nobody', severity: 'warning', loc: [dataset.service_key, collection.name], message }]
}
