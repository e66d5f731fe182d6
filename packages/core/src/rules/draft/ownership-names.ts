import { isCovered } from '../../model/is-covered.js'
import { nameWords, snakeCase } from './name-words.js'

/*
 * What names of tables and columns suggest about owners. A name alone never gives a row an owner. Planning drops an
 * inference that a name contradicts, and drafting turns names into proposals.
 */

/** The words of a text as a set. */
export const wordSet = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter((word) => word !== ''))

/** Words that follow the meaningful word of a name: `assignee_user_id`. */
export const keyWords = wordSet('id uuid guid key pk fk ref no nr num number code name email mail address login')
export const personWords =
  wordSet(`user customer client member person owner author creator patient employee subscriber student guest
  applicant participant visitor passenger account contact kunde kunden benutzer nutzer mitglied mitarbeiter inhaber autor
  besitzer schueler teilnehmer`)

/** Further words for the people of whom an application keeps rows. */
export const subjectWords = wordSet('profile borrower renter holder traveller traveler lessee donor voter reporter uid')

const agentWords =
  wordSet(`approver assignee staff rep representative salesperson inviter moderator mod agent handler courier
  driver manager editor updater reviewer auditor supervisor operator admin administrator clerk cashier technician dispatcher
  responsible checker verifier modifier deleter resolver uploader processor coordinator advisor adviser consultant
  examiner inspector librarian officer bearbeiter sachbearbeiter betreuer verantwortlicher ersteller genehmiger vorgesetzter
  berater vertreter fahrer pruefer bediener kassierer moderatorin redakteur`)
/** Words before `by` for people who have the row instead of working on it, and for things that are not people. */
const notWorkedOnBy = wordSet('owned bought purchased ordered booked borrowed rented leased authored group order sort')
const workedOnBy = /^(.*_)?([a-z]+)_by$/
const workedOnByGerman = /(^|_)(ge|er|be|ver|ab|an)[a-z]+(t|en)_(von|durch)$/

/** `salesperson` in its usual spelling: `SalesPersonID`. */
const twoWords = /(^|_)sale_person(_(id|key|no|nr|code|name|email))?$/

/** Columns that name somebody who worked on a row, not its owner: `created_by`, `approver_id`, `support_rep_id`. */
export function isAgentColumn(name: string): boolean {
  const { words, head } = headOf(name)
  if (head === undefined) return false
  const joined = words.join('_')
  if (/(^|_)(assigned|delegated|escalated|reports?|zugewiesen)_(to|user|an)$/.test(joined)) return true
  const by = workedOnBy.exec(joined)?.[2]
  if (by !== undefined) return !notWorkedOnBy.has(by)
  if (workedOnByGerman.test(joined) || twoWords.test(nameWords(name).join('_'))) return true
  return agentWords.has(head) && joined !== 'user_agent' && !joined.endsWith('_user_agent')
}

/** Among these, columns for a person who did something once, not for one who has a task: `registered_by`. */
export function isDoneByColumn(name: string): boolean {
  return /(^|_)(by|von|durch)(_|$)/.test(snakeCase(name))
}

const maker = /(^|_)((creat|add|upload|invit|import|enter|generat)(ed|er|or)|angelegt|erstellt|ersteller|erfasst)(_|$)/
const later = /(^|_)((updat|modifi|chang|edit|delet|remov|clos|archiv)(ed|er|or)|geaendert|geloescht|bearbeitet)(_|$)/

/** Among these, columns for the person who created the row: `created_by`. */
export function isMakerColumn(name: string): boolean {
  return maker.test(snakeCase(name))
}

/** Among these, columns for a person who worked on an existing row: `updated_by`. */
export function isEditorColumn(name: string): boolean {
  return later.test(snakeCase(name))
}

const samePerson =
  /(^|_)(merged?|duplicate|dup|dupe|canonical|superseded|replaced|replaces|replacement|successor|same_as|alias|primary|master|main|original|previous|former|migrated|moved|linked|dublette|duplikat|hauptkonto|zusammengefuehrt|zusammengelegt|ersetzt|nachfolger)(_|$)/

/** Columns of people that name another row of the same person: `merged_into_id`, `duplicate_of`. */
export function isSamePersonColumn(name: string): boolean {
  return samePerson.test(snakeCase(name))
}

const roleWords =
  wordSet(`recorder registrar nurse doctor physician therapist dentist surgeon practitioner midwife caregiver provider
  teacher instructor trainer tutor coach lecturer mentor canceler canceller issuer importer originator
  host organizer organiser seller attendant actor worker lawyer attorney interviewer
  recruiter presenter publisher arzt aerztin pfleger pflegerin lehrer lehrerin dozent anwalt`)

/** Columns that may name the owner of a row or somebody who worked on it: `doctor_id`, `host_id`. */
export function isRoleColumn(name: string): boolean {
  const { words, head } = headOf(name)
  return (head !== undefined && roleWords.has(head)) || (words.join('_') === 'contact' && /person/i.test(name))
}

export const partyWords =
  wordSet(`sender recipient receiver addressee buyer seller payer payee follower followee followed following
  blocker blocked invitee requester requestee target friend beneficiary counterparty debtor creditor absender empfaenger
  kaeufer verkaeufer zahler`)

/** Columns that name one side of something that two people share: `from_user_id`, `recipient`, `target_account_id`. */
export function isPartyColumn(name: string): boolean {
  const all = nameWords(name)
  if (all.length > 1 && /^(from|to|target|source|other|first|second)$/.test(all[0] as string)) {
    if (all.slice(1).some((word) => personWords.has(word)) || /^(from|to|target)_id$/.test(all.join('_'))) return true
  }
  const { head } = headOf(name)
  return head !== undefined && partyWords.has(head)
}

const groupWords =
  wordSet(`organization organisation org team space workspace project tenant company firm department group store
  shop branch division institution school university agency office community forum catalogue catalog business enterprise
  subsidiary warehouse mandant firma abteilung gruppe filiale organisationseinheit betrieb niederlassung katalog verein
  gruppen abteilungen filialen firmen vereine`)

/** Tables of things that belong to many, such as organizations, teams and catalogues. */
export function isGroupTable(name: string): boolean {
  return groupWords.has(lastOf(nameWords(name)))
}

/** Words for organizations and places, besides those of groups. */
const placeWords =
  wordSet(`supplier vendor shipper carrier manufacturer merchant brand bank insurer venue location site facility building
  property place station stop airport port depot hotel restaurant cafe bar hospital clinic pharmacy practice library
  museum theater theatre cinema gym church city country region lieferant hersteller spediteur standort gebaeude ort
  krankenhaus apotheke praxis stadt land`)

/** Tables of organizations and places. They have a name, a telephone and an address of their own. */
export function isOrganizationTable(name: string): boolean {
  return isGroupTable(name) || placeWords.has(lastOf(nameWords(name)))
}

const settingWords = wordSet(`setting config configuration einstellung einstellungen konfiguration`)
/**
 * Words that mean settings only alone, or together with a word for the whole. Options of a product or an order belong
 * to that.
 */
const optionWords = wordSet('option parameter flag')
const wholeWords = wordSet(
  'site system app application feature instance global server org organization team workspace tenant',
)

/** Tables of settings that do not belong to one person. */
export function isSettingsTable(name: string): boolean {
  const words = nameWords(name)
  const rest = words.slice(0, -1)
  const isOption = optionWords.has(lastOf(words)) && rest.every((word) => wholeWords.has(word))
  return (settingWords.has(lastOf(words)) || isOption) && !words.some((word) => personWords.has(word))
}

/** Tables named after people: `users`, `customer`, `blog_authors`. */
export function isPeopleTable(name: string): boolean {
  const words = nameWords(name)
  const last = lastOf(words)
  // A user account is a person, a loyalty account is not.
  if (last === 'account' && words.length > 1) return words.slice(0, -1).some((word) => personWords.has(word))
  return personWords.has(last)
}

const personKey = /^(id|uuid|guid|key|fk|ref|no|nr|num|number|code|login|name)$/

/**
 * Columns named like the key or the e-mail address of a person: `user_id`, `customerNumber`, `owner`, `billing_email`.
 */
export function namesPersonKey(name: string): boolean {
  const words = nameWords(name)
  const joined = words.join('_')
  if (/(^|_)(e?mail|emailaddress)(_(address|addr|adresse|normalized|canonical|lower))?$/.test(joined)) return true
  if (/^(username|userid|login|kundennummer|mitgliedsnummer|benutzername)$/.test(joined)) return true
  if (/^(user|customer|member|client|person|author|owner|kunden|benutzer|mitglieds)(id|no|nr)$/.test(joined))
    return true
  const last = lastOf(words)
  if (!personKey.test(last)) return personWords.has(last) && !/^(account|contact|guest)$/.test(last)
  return words.length > 1 && last !== 'name' && personWords.has(words.at(-2) as string)
}

/** Words for an address or a number that identifies people. */
export const contactWords =
  wordSet(`email mail smtp address addr adresse phone telephone tel mobile cell cellphone mobilephone msisdn fax telefon
  telefonnummer handy handynummer mobilnummer number num no nr ssn social security national identification tax personal
  id nin cpf bsn curp dni pesel personnummer`)
/** Words next to these for the contact data of the row's own person. */
export const plainWords =
  wordSet(`user customer account contact person member client subscriber guest main primary first default work business
  office company corporate job private home personal billing invoice shipping delivery order login signin notification
  alert newsletter secondary second alternate alternative alt other additional backup recovery new old current previous
  former original pending verified unverified confirmed unconfirmed canonical normalized normalised lower lowercase raw display public
  day night evening direct whatsapp paypal google apple facebook github sso oauth kunde benutzer rechnung privat
  geschaeftlich dienstlich haupt`)
const relativeWords =
  wordSet(`guardian parent mother father spouse wife husband partner child son daughter sibling brother sister relative kin
  emergency nanny referrer referee reference boss colleague friend neighbor neighbour roommate landlord heir executor
  witness elternteil eltern mutter vater vormund ehepartner ehefrau ehemann kind notfall angehoeriger`)

/** Columns that are named for somebody near the row's person: `guardian`, `emergency_contact`. */
export function isRelativeColumn(name: string): boolean {
  return nameWords(name).some((word) => relativeWords.has(word))
}

/** The words of a column that the name of its table does not contain, without trailing numbers. */
export function ownWordsOf(column: string, table: string): string[] {
  const said = nameWords(table)
  const words = nameWords(column).map((word) => word.replace(/\d+$/, ''))
  return words.filter((word) => word !== '' && !said.includes(word))
}

/**
 * Columns with contact data of somebody other than the row's person: `guardian_email`. For people any unknown word
 * counts, since such columns have many names.
 */
export function isContactOfAnother(column: string, table: string, people: boolean): boolean {
  const words = ownWordsOf(column, table).filter((word) => !contactWords.has(word))
  if (people) return words.some((word) => !plainWords.has(word))
  return words.some((word) => relativeWords.has(word) || agentWords.has(word) || roleWords.has(word))
}

const lookupWords = wordSet('address profile meta metadata preference adresse adressen anschrift anschriften profil')

/** Tables whose rows are parts of the rows that refer to them, such as addresses. */
export function isLookupTable(name: string): boolean {
  return lookupWords.has(lastOf(nameWords(name)))
}

const channelName =
  /(^|_)((communication|contact)_channel|email_address|phone_number|contact_(detail|info|method|point)|kontaktdaten)$/
const perhapsChannelName = /(^|_)(channel|email|phone|telephone|kanal|kanaele|telefonnummer)$/

/**
 * Tables of addresses and numbers that reach people: `communication_channels`, and tables such as `emails` that contain
 * them.
 */
export function isChannelTable(name: string, categories: Iterable<string>): boolean {
  const words = nameWords(name).join('_')
  const contact = ['user.contact.email', 'user.contact.phone_number']
  return (
    channelName.test(words) ||
    (perhapsChannelName.test(words) && [...categories].some((each) => contact.includes(each)))
  )
}

const invitationName = /(^|_)(invite|invitation|einladung|einladungen)$/

/**
 * Columns of an invitation that name the person who accepted it. That person is one of its two sides and did not just
 * work on the row.
 */
export function isInvitedColumn(table: string, column: string): boolean {
  return (
    invitationName.test(nameWords(table).join('_')) &&
    /(^|_)(accepted|claimed|redeemed|angenommen)_/.test(snakeCase(column))
  )
}

const contentWords =
  wordSet(`post article document page story comment poll survey photo picture video status tweet toot blog
  beitrag artikel dokument kommentar umfrage`)

/** Tables of content that one person publishes and others comment on, like or answer. */
export function isContentParent(name: string): boolean {
  return contentWords.has(lastOf(nameWords(name)))
}

/**
 * Whether rows with these categories are people: they have a name and an e-mail address, a phone number or a date of
 * birth.
 */
export function looksLikePeople(categories: Iterable<string>): boolean {
  let [named, hasContact] = [false, false]
  for (const category of categories) {
    named ||= isCovered(category, 'user.name')
    hasContact ||= ['user.contact.email', 'user.contact.phone_number', 'user.date_of_birth'].some((each) =>
      isCovered(category, each),
    )
  }
  return named && hasContact
}

/** The words of a name without those for a key, and the last one of them. */
export function headOf(name: string): { words: readonly string[]; head: string | undefined } {
  const words = [...nameWords(name)]
  while (words.length > 1 && keyWords.has(lastOf(words))) words.pop()
  while (words.length > 1 && personWords.has(lastOf(words))) words.pop()
  return { words, head: words.at(-1) }
}

function lastOf(words: readonly string[]): string {
  return words.at(-1) ?? ''
}
