import { isCovered } from '../../model/is-covered.js'
import type { ValueKind } from '../../model/value.js'
import { nameWords } from './name-words.js'
import {
  contactWords,
  headOf,
  isAgentColumn,
  isPartyColumn,
  isPeopleTable,
  isRelativeColumn,
  isRoleColumn,
  namesPersonKey,
  ownWordsOf,
  partyWords,
  personWords,
  plainWords,
  subjectWords,
  wordSet,
} from './ownership-names.js'
import { categoryOf } from './propose-categories.js'

/* Whether the name of a column points to the person of the row or to somebody else. */

/** Further words for people of whom applications keep rows, besides `personWords`. */
const keptWords =
  wordSet(`lead candidate prospect pupil resident tenant dependent beneficiary claimant insured child relative
  bewerber interessent kind`)
/** Other words for the person of the row: `contact_name` next to `user_id`. */
const sameWords = wordSet(
  'user account contact person owner author creator member employee benutzer nutzer mitarbeiter',
)

const detail =
  /_((first|last|full|given|family|middle|birth|maiden)_?)?(name|vorname|nachname|email|phone|telephone|tel|mobile|telefon|address|adresse|anschrift|dob|birth_?(date|day)|date_of_birth|geburtsdatum)(_(number|no))?$/

interface Column {
  readonly name: string
  readonly kind?: ValueKind | undefined
  readonly categories: readonly string[]
}

/** The only reference of a row that may say who owns it. */
export interface SoleReference {
  readonly names: readonly string[]
  readonly table: string
  readonly target: string
  readonly leadsToPeople: boolean
  /** No two rows share a value of the reference, so the row is a part of the row it refers to. */
  readonly isKey: boolean
}

/**
 * Returns whether a column is about another person than the one the reference leads to. The names in a customer's order
 * may well be the customer's. A pharmacist's row may also name a patient.
 */
export function aboutAnotherPerson({
  names,
  table,
  target,
  leadsToPeople,
  isKey,
}: SoleReference): (column: Column) => boolean {
  const named = new Set([...names, ...(leadsToPeople ? [target] : []), ...(isKey ? [table] : [])].flatMap(nameWords))
  const isSubject = !leadsToPeople || isKey || names.some(isSubjectColumn)
  const last = nameWords(table).at(-1) ?? ''
  // The account of a user belongs to the user.
  const isOfPeople = (isPeopleTable(table) && last !== 'account') || keptWords.has(last)
  const isOfOthers = isOfPeople && !named.has(last)
  return (column) => {
    const whose = personOfDetail(column.name)
    if (whose !== undefined && named.has(whose)) return false
    const isPerson = whose !== undefined && (personWords.has(whose) || keptWords.has(whose))
    if (isPerson && leadsToPeople && !(isSubject && sameWords.has(whose))) return true
    return (isPerson || isNameOfPerson(table, column)) && (!isSubject || isOfOthers)
  }
}

/** Returns `patient` for `patient_last_name`. */
function personOfDetail(name: string): string | undefined {
  const words = nameWords(name).join('_')
  return detail.test(words) ? words.replace(detail, '').split('_').at(-1) : undefined
}

function isNameOfPerson(table: string, column: Column): boolean {
  const proposed = categoryOf(table, column)
  const categories = proposed === undefined ? column.categories : [...column.categories, proposed]
  return categories.some((each) => isCovered(each, 'user.name'))
}

/** Whether a column is named like the person of whom an application keeps rows: `customer_id`, but not `guide_id`. */
function isSubjectColumn(name: string): boolean {
  const { head = '' } = headOf(name)
  return namesPersonKey(name) || personWords.has(head) || partyWords.has(head) || subjectWords.has(head)
}

/** Words for objects that only group what belongs to the row: `profile`, `contactInfo`. */
const groupingWords =
  wordSet(`profile detail data info information meta metadata contactinfo general basic identity identifier demographic communication
  channel credential auth local service social attribute property field setting preference record kontakt daten angabe
  stammdaten profil persoenlich adresse`)

/**
 * Whether a field holds contact data of another person than the row's: `driver_phone` or `mother.email`, but not
 * `billing_email` or `profile.email`.
 */
export function holdsContactOfAnother(table: string, path: readonly string[]): boolean {
  if (path.slice(0, -1).some((name) => namesAnother(table, name))) return true
  const words = ownWordsOf(path.at(-1) ?? '', table)
  const others = words.filter((word) => !contactWords.has(word))
  if (others.length === words.length)
    return others.some((word) => isAgentColumn(word) || isRoleColumn(word) || isRelativeColumn(word))
  return others.some(isUnknownWord)
}

/** Whether an object is named for another person. Any unknown word counts, since such objects have many names. */
function namesAnother(table: string, name: string): boolean {
  if (isAgentColumn(name) || isRoleColumn(name) || isPartyColumn(name)) return true
  const words = ownWordsOf(name, table).filter((word) => !contactWords.has(word) && !groupingWords.has(word))
  return words.some(isUnknownWord)
}

const isUnknownWord = (word: string) => !plainWords.has(word) && !personWords.has(word)

const listWords = wordSet('email mail phone telephone tel mobile number telefon nummer contact')

/** `emails`, `phoneNumbers`, `contacts`: a list of the ways to reach one person. */
export function isPlainList(path: readonly string[]): boolean {
  const words = nameWords(path.at(-1) as string)
  const isPlain = (word: string) => (plainWords.has(word) && !personWords.has(word)) || listWords.has(word)
  return words.every(isPlain)
}
