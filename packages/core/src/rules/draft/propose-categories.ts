import type { CatalogueCollection, Column } from '../../model/catalogue.js'
import type { CategoryProposal } from '../../model/proposal.js'
import type { ValueKind } from '../../model/value.js'
import type { DraftedTable } from './drafted-schema.js'
import { freeTextNames, type NamePattern, namePatterns, people } from './name-patterns.js'
import { lastPart, snakeCase } from './name-words.js'
import { isPeopleTable } from './ownership-names.js'

/** At most one proposal for each column. Columns of booleans and instants get none: they are flags and times. */
export function proposeCategories(collections: readonly CatalogueCollection[]): CategoryProposal[] {
  return collections.flatMap((collection) => {
    const personal = isNamedAfterPeople(collection.name)
    return collection.columns.flatMap((column) => proposal(collection.name, column, personal) ?? [])
  })
}

/** Proposes categories for free texts in columns without another proposal, only in tables whose rows have an owner. */
export function proposeTexts({ live, categories }: DraftedTable): CategoryProposal[] {
  return live.columns.flatMap((column) => {
    if (categories.has(column.name) || !isFreeText(column)) return []
    const reason = 'The column is named like a free text, in a table whose rows seem to belong to people.'
    return [proposalOf(live.name, column.name, { category: freeText, confidence: 0.6, reason })]
  })
}

/** In such a table more names count. */
function isNamedAfterPeople(collection: string): boolean {
  return people.test(snakeCase(collection)) || isPeopleTable(collection)
}

function proposal(collection: string, column: Column, personal: boolean): CategoryProposal | undefined {
  const pattern = memberPattern(column)
  if (!pattern) return undefined
  const confidence = personal ? pattern.confidence : (pattern.elsewhere ?? pattern.confidence)
  if (confidence === 0) return undefined
  const { category, like } = pattern
  return proposalOf(collection, column.name, { category, confidence, reason: `The column is named like ${like}.` })
}

/** A member is named by its path, or else by its own name. `emails.address` and `phones.value` are what they lie in. */
function memberPattern({ name, kind }: Pick<NamedColumn, 'name' | 'kind'>): NamePattern | undefined {
  const [, within] = /(\w+?)s?\.(?:address|value)$/.exec(name) ?? []
  const contact = within === undefined ? undefined : patternOf(within, kind)
  if (contact?.category.startsWith('user.contact.')) return contact
  return patternOf(name, kind) ?? patternOf(lastPart(name), kind)
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

/** The category that a column's name suggests in a table with this name. */
export function categoryOf(table: string, column: Pick<NamedColumn, 'name' | 'kind'>): string | undefined {
  const pattern = memberPattern(column)
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
}

/** Whether a column is named like a free text. */
export function isFreeText({ name, kind, values }: NamedColumn): boolean {
  return (kind ?? 'string') === 'string' && !values && freeTextNames.test(snakeCase(lastPart(name)))
}

/** Suffixes for another spelling of the same data. */
const spelling = /_(canonical|normali[sz]ed|lower(case)?)$/

/** Most names match no pattern. One combined pattern finds that out at once. */
const any = new RegExp(namePatterns.map(({ name }) => name.source).join('|'))

function holds({ kinds = [] }: NamePattern, kind: ValueKind | undefined): boolean {
  return kind === undefined || kind === 'string' || kinds.includes(kind)
}
