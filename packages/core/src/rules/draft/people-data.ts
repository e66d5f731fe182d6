import { isCovered } from '../../model/is-covered.js'
import {
  contactWords,
  isContactOfAnother,
  isOrganizationTable,
  isPeopleTable,
  isSettingsTable,
  ownWordsOf,
  personWords,
} from './ownership-names.js'

/** Data by which a person can be reached or told apart. A table of things or companies may have some of its own. */
const pointing = ['user.contact.email', 'user.contact.phone_number', 'user.date_of_birth', 'user.government_id']
/** An organization has a number for taxes, and a way to reach it. */
const ofOrganizations = [
  'user.contact.email',
  'user.contact.phone_number',
  'user.government_id.national_identification_number',
]
/** Words for people that organizations have as well: an account, and a contact address. */
const anybody = /^(account|contact|customer|client|kunden?|kontakt)$/

/** Whether a column with such a category speaks of people, by its name and that of its table. */
export function tellsOfPeople(table: string, column: string, category: string): boolean {
  const telling = isPeopleTable(table) ? [...pointing, 'user.name'] : pointing
  const isOneOf = (some: readonly string[]) => some.some((each) => isCovered(category, each))
  if (!isOneOf(telling)) return false
  const isCommon = isOrganizationTable(table) || isSettingsTable(table)
  return !isCommon || !isOneOf(ofOrganizations) || isNamedForPerson(table, column)
}

/** `manager_email` or `owner_phone`, but not `phone` and `contact_email`. */
function isNamedForPerson(table: string, column: string): boolean {
  const isPersons = (word: string) => personWords.has(word) && !contactWords.has(word) && !anybody.test(word)
  return isContactOfAnother(column, table, false) || ownWordsOf(column, table).some(isPersons)
}
