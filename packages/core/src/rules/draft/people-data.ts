import { isCovered } from '../../model/is-covered.js'
import { nameWords } from './name-words.js'
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
/** An organization has ways to reach it, and a number for taxes. */
const ofOrganizations = ['user.contact.email', 'user.contact.phone_number']
const taxNumber = /(^|_)tax_(id|number)$/
/** Words for people that organizations have as well: an account, and a contact address. */
const anybody = /^(account|contact|customer|client|kunden?|kontakt)$/

/** Whether a column is named like a number for taxes. A company has one as well, and `tax_id` may refer to a tax. */
export const isTaxNumber = (column: string) => taxNumber.test(nameWords(column).join('_'))

/** Whether a column with such a category speaks of people, by its name and that of its table. */
export function tellsOfPeople(table: string, column: string, category: string): boolean {
  const telling = isPeopleTable(table) ? [...pointing, 'user.name'] : pointing
  const isOneOf = (some: readonly string[]) => some.some((each) => isCovered(category, each))
  if (!isOneOf(telling)) return false
  const isCommon = isOrganizationTable(table) || isSettingsTable(table)
  const isOrganizations = isOneOf(ofOrganizations) || isTaxNumber(column)
  return !isCommon || !isOrganizations || isNamedForPerson(table, column)
}

/** `manager_email` or `owner_phone`, but not `phone` and `contact_email`. */
function isNamedForPerson(table: string, column: string): boolean {
  const isPersons = (word: string) => personWords.has(word) && !contactWords.has(word) && !anybody.test(word)
  return isContactOfAnother(column, table, false) || ownWordsOf(column, table).some(isPersons)
}
