import { isCovered } from '../../model/is-covered.js'
import { nameWords } from '../draft/name-words.js'
import {
  isContactOfAnother,
  isLookupTable,
  isOrganizationTable,
  isPeopleTable,
  isSettingsTable,
  personWords,
} from '../draft/ownership-names.js'
import { isTaxNumber } from '../draft/people-data.js'
import { categoryOf, isPlainName, type NamedColumn } from '../draft/propose-categories.js'

/** Data that names or reaches one person, whatever table it stands in. */
const ofAnybody = ['user.contact.email', 'user.name', 'user.date_of_birth']
/** Organizations and places have these as well. */
const ofPeople = ['user.contact.phone_number', 'user.government_id']
const street = 'user.contact.address.street'

/** Names of other things too: a cell of a sheet, a mobile layout. */
const otherThing = /^(cell|mobile)$/
/** Names of organizations too: `legal_name`. */
const nameOfAnybody = /^(legal|full|display)_name$/
/** An address to which people are sent something, or at which they live. */
const streetOfPeople = /^(home|private|ship(ping)?(_to)?|delivery|bill(ing)?(_to)?|invoice|mailing)_/

/**
 * The category of a column whose name alone says that it identifies a person: `leads.first_name`, `otp_code.phone`. Names
 * are a hint, so names that things, places and organizations also have do not count.
 */
export function directIdentifier(table: string, column: Omit<NamedColumn, 'values'>): string | undefined {
  const category = categoryOf(table, column)
  if (category === undefined || isSettingsTable(table)) return undefined
  const covered = (targets: readonly string[]) => targets.some((each) => isCovered(category, each))
  const name = nameWords(column.name).join('_')
  const isOrganization = isOrganizationTable(table)
  if (isPlainName(column)) return isNameOfPeople(table) ? category : undefined
  if (isOrganization && nameOfAnybody.test(name)) return undefined
  if (covered(ofAnybody)) return category
  if (covered([street]) && !isOrganization && (streetOfPeople.test(name) || isPartOfPeople(table))) return category
  const isPeoples = isPeopleTable(table)
  if (!covered(ofPeople) || (!isPeoples && (isTaxNumber(column.name) || otherThing.test(name)))) return undefined
  // a number of the state that is none for taxes is that of a person, wherever it stands
  const isPersons = covered(['user.government_id']) || isContactOfAnother(column.name, table, false)
  return isOrganization && !isPersons ? undefined : category
}

/** Any table may have addresses. Those of people, and tables that hold nothing else, do not say so in each column. */
function isPartOfPeople(table: string): boolean {
  return isLookupTable(table) || nameWords(table).some((word) => personWords.has(word))
}

/** A bookkeeper's account has a name, and so has a program that is called a client. */
function isNameOfPeople(table: string): boolean {
  const words = nameWords(table)
  return (
    isPeopleTable(table) && words.join('_') !== 'account' && !words.some((word) => /^(oauth2?|oidc|api)$/.test(word))
  )
}
