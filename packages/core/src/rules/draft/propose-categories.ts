import type { CatalogueCollection, Column } from '../../model/catalogue.js'
import { isCovered } from '../../model/is-covered.js'
import type { CategoryProposal, IdentityProposal } from '../../model/proposal.js'
import type { ValueKind } from '../../model/value.js'
import type { DraftedTable } from './drafted-schema.js'
import { type NamePattern, namePatterns, people } from './name-patterns.js'
import { lastPart, nameWords, snakeCase } from './name-words.js'
import {
  contactWords,
  isContactOfAnother,
  isOrganizationTable,
  isPeopleTable,
  ownWordsOf,
  partyWords,
} from './ownership-names.js'
import { isNamedLikeText, mailPatternOf } from './text-names.js'

/** At most one proposal for each column. Columns of booleans and instants get none: they are flags and times. */
export function proposeCategories(collections: readonly CatalogueCollection[]): CategoryProposal[] {
  return collections.flatMap((collection) => {
    const personal = isNamedAfterPeople(collection.name)
    return collection.columns.flatMap((column) => proposal(collection, column, personal) ?? [])
  })
}

/** Proposes categories for free texts in columns without another proposal, only in tables whose rows have an owner. */
export function proposeTexts({ live, categories }: DraftedTable): CategoryProposal[] {
  return live.columns.flatMap((column) => {
    if (categories.has(column.name) || !isFreeText(live.name, column)) return []
    const reason = 'The column is named like a free text, in a table whose rows seem to belong to people.'
    return [proposalOf(live.name, column.name, { category: freeText, confidence: 0.6, reason })]
  })
}

/**
 * Proposes that `name` is the name of a person in tables that are not named after people, but whose rows look like people
 * or have an e-mail address of their own. The contact of a company is not such an address.
 */
export function proposeNames(
  { live, categories, people, shared }: DraftedTable,
  identities: readonly IdentityProposal[],
): CategoryProposal[] {
  const isOwnAddress = ({ collection, field, identity }: IdentityProposal) =>
    collection === live.name &&
    identity === 'email' &&
    ownWordsOf(field, live.name).every((word) => contactWords.has(word))
  const isOfPeople = people && !isOrganizationTable(live.name)
  if (shared || !(isOfPeople || identities.some(isOwnAddress))) return []
  return live.columns.flatMap((column) => {
    if (categories.has(column.name) || !isPlainName(column)) return []
    const reason =
      'The column is named like a name, in a table whose rows have an e-mail address or look like people: refuse it where they are companies or things.'
    return [proposalOf(live.name, column.name, { category: 'user.name', confidence: 0.5, reason })]
  })
}

/** Whether a column is called `name` or the like, which may be the name of anything. */
export function isPlainName({ name, kind }: Pick<NamedColumn, 'name' | 'kind'>): boolean {
  const pattern = patternOf(name, kind)
  return pattern?.category === 'user.name' && pattern.elsewhere === 0
}

/** In such a table more names count. */
function isNamedAfterPeople(collection: string): boolean {
  return people.test(snakeCase(collection)) || isPeopleTable(collection)
}

function proposal(table: CatalogueCollection, column: Column, personal: boolean): CategoryProposal | undefined {
  const { name: collection } = table
  const pattern = patternIn(collection, column)
  if (!pattern || holdsPlainKeys(table, column)) return undefined
  const confidence = personal ? pattern.confidence : (pattern.elsewhere ?? pattern.confidence)
  if (confidence === 0) return undefined
  const { category } = pattern
  // An account may be a person's or a company's.
  const isAnybodys = nameWords(collection).at(-1) === 'account' && isPlainName(column)
  const named =
    'like' in pattern
      ? `The column is named like ${pattern.like}.`
      : 'Most of its texts in a sample are e-mail addresses.'
  const reason = isOfAnother(collection, column.name, category) ? `${named} ${ofAnother}` : named
  return proposalOf(collection, column.name, { category, confidence: isAnybodys ? 0.5 : confidence, reason })
}

/** Whether a column refers to keys that say nothing of a person: `contact` to `people.id`, but not `login` to `users.login`. */
function holdsPlainKeys({ foreignKeys }: CatalogueCollection, { name, kind, holds }: Column): boolean {
  return foreignKeys.some(({ columns, references }) => {
    const to = references.columns[columns.indexOf(name)]
    return to !== undefined && patternIn(references.collection, { name: to, kind, holds }) === undefined
  })
}

const aboutPeople = ['user.name', 'user.contact', 'user.date_of_birth']

/** Whether a column with such a category is named for somebody other than the row's person: `spouse_email`. */
export function isOfAnother(collection: string, column: string, category: string): boolean {
  const isParty = ownWordsOf(column, collection).some((word) => partyWords.has(word))
  return (
    aboutPeople.some((each) => isCovered(category, each)) && (isParty || isContactOfAnother(column, collection, false))
  )
}

/** What is said of a category that is proposed for such a column. */
export const ofAnother =
  "It is named for somebody other than the row's person, to whom an access by this category delivers it. Where that must not be, give it a category of its own that no access rule asks for, or say 'reviewed' without a category."

function patternIn(table: string, column: Omit<NamedColumn, 'values'>) {
  return mailPattern(table, column) ?? memberPattern(column) ?? heldPattern(column)
}

function mailPattern(table: string, { name, kind }: Pick<NamedColumn, 'name' | 'kind'>): NamePattern | undefined {
  const pattern = mailPatternOf(snakeCase(table), snakeCase(lastPart(name)))
  return pattern && holds(pattern, kind) ? pattern : undefined
}

/** A member is named by its path, or else by its own name. `emails.address` and `phones.value` are what they lie in. */
function memberPattern({ name, kind }: Pick<NamedColumn, 'name' | 'kind'>): NamePattern | undefined {
  const [, within] = /(\w+?)s?\.(?:address|value)$/.exec(name) ?? []
  const contact = within === undefined ? undefined : patternOf(within, kind)
  if (contact?.category.startsWith('user.contact.')) return contact
  return patternOf(name, kind) ?? patternOf(lastPart(name), kind)
}

/** A column may hold e-mail addresses whatever its name, as `_id` does in a list of subscribers. */
function heldPattern({ holds }: Pick<NamedColumn, 'holds'>): Omit<NamePattern, 'name' | 'like'> | undefined {
  return holds && { category: 'user.contact.email', confidence: 0.9 }
}

function proposalOf(
  collection: string,
  field: string,
  said: Pick<CategoryProposal, 'category' | 'confidence' | 'reason'>,
): CategoryProposal {
  return { id: `${collection}.${field}:category`, kind: 'category', collection, field, ...said }
}

/**
 * The pattern that the name of a column matches. Undefined where none does, or where the column's kind cannot hold such
 * data.
 */
export function patternOf(column: string, kind: ValueKind | undefined): NamePattern | undefined {
  const key = `${kind ?? ''} ${column}`
  if (known.has(key)) return known.get(key)
  const name = snakeCase(column).replace(spelling, '')
  const found = any.test(name)
    ? namePatterns.find((pattern) => pattern.name.test(name) && holds(pattern, kind))
    : undefined
  if (known.size >= mostKnown) known.clear()
  known.set(key, found)
  return found
}

/** The category that a column's name, or a sample of it, suggests in a table with this name. */
export function categoryOf(table: string, column: Omit<NamedColumn, 'values'>): string | undefined {
  const pattern = patternIn(table, column)
  return pattern && (pattern.elsewhere !== 0 || isNamedAfterPeople(table)) ? pattern.category : undefined
}

/** A cache, since plans ask for every column and names repeat. */
const known = new Map<string, NamePattern | undefined>()
const mostKnown = 10_000

/** A free text may hold anything about a person. */
export const freeText = 'user'

export interface NamedColumn {
  readonly name: string
  readonly kind?: ValueKind | undefined
  readonly values?: readonly string[] | undefined
  readonly holds?: Column['holds']
}

/** Whether a column is named like a free text, in a table with this name. */
export function isFreeText(table: string, { name, kind, values }: NamedColumn): boolean {
  return (kind ?? 'string') === 'string' && !values && isNamedLikeText(snakeCase(table), snakeCase(lastPart(name)))
}

/** Suffixes for another spelling of the same data. */
const spelling = /_(canonical|normali[sz]ed|lower(case)?)$/

/** Most names match no pattern. One combined pattern finds that out at once. */
const any = new RegExp(namePatterns.map(({ name }) => name.source).join('|'))

function holds({ kinds = [] }: NamePattern, kind: ValueKind | undefined): boolean {
  return kind === undefined || kind === 'string' || kind === 'bytes' || kinds.includes(kind)
}
