import { nameWords } from './name-words.js'
import { keyWords, personWords, subjectWords, wordSet } from './ownership-names.js'

/* What the name of a reference says of the person that it leads to, and what the name of a table says of its rows. */

/** Words before the word for the person: `billing_customer_id`. */
const wordsBefore = wordSet('primary main first default fk ref billing shipping account')

/** Words for a person who does something, and so has the row. */
const doerWords = wordSet('buyer requester follower blocker sender payer friend kaeufer absender zahler')

/**
 * Whether a reference to people is named for them, or for the person that a row is about: `customer_id`. `chauffeur_id`, to
 * the same people, is named for somebody's part in the row.
 */
export function isNamedForPerson(column: string, to: { readonly table: string; readonly key: string }): boolean {
  const words = [...nameWords(column)]
  if (words.join('_') === nameWords(to.key).join('_')) return true
  while (words.length > 0 && keyWords.has(words.at(-1) as string)) words.pop()
  const target = [...nameWords(to.table), ...nameWords(to.key)]
  const isOfTarget = (word: string) => target.some((each) => isShortFor(word, each) || isShortFor(each, word))
  return words.every(
    (word) => [personWords, subjectWords, doerWords, wordsBefore].some((words) => words.has(word)) || isOfTarget(word),
  )
}

/** `cust` for `customer`, and `klient` for `klienta`. */
const isShortFor = (short: string, long: string): boolean => short.length > 2 && long.startsWith(short)

const responseWords =
  wordSet(`comment reply response reaction like vote review rating feedback submission application visit pageview view
  hit click impression inquiry enquiry signature guestbook bid rsvp kommentar antwort bewertung bewerbung anfrage stimme besuch`)

/** Tables of what people do with a row that another person has made: `comment`, `survey_response`. */
export function isResponseTable(name: string): boolean {
  return responseWords.has(nameWords(name).at(-1) ?? '')
}

const actor =
  /^(visitor|viewer|reader|respondent|commenter|applicant|submitter|voter|caller|bidder|attendee|participant|guest)_|^(nick(name)?|handle|screen_name|display_name)$/

/** Columns that tell of the person who acted: `visitor_ip`, `nickname`. */
export function isActorColumn(name: string): boolean {
  return actor.test(nameWords(name).join('_'))
}
