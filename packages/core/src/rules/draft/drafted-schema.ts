import type { CatalogueCollection, ForeignKey } from '../../model/catalogue.js'
import type { ProposedReference } from '../../model/proposal.js'
import { keysOfOne } from './key-columns.js'
import { nameWords } from './name-words.js'
import {
  isAgentColumn,
  isChannelTable,
  isContentParent,
  isDoneByColumn,
  isEditorColumn,
  isGroupTable,
  isLookupTable,
  isMakerColumn,
  isPeopleTable,
  isSettingsTable,
  looksLikePeople,
  namesPersonKey,
} from './ownership-names.js'

/** A table of a live schema, with everything that its name and its columns suggest. */
export interface DraftedTable {
  readonly live: CatalogueCollection
  /** Proposed categories by column. */
  readonly categories: ReadonlyMap<string, string>
  /** Its name or its columns suggest people. */
  readonly people: boolean
  /** Its name suggests something that belongs to many: an organization, a team, settings. */
  readonly shared: boolean
  /** The same, but each row must name a person, goes with one, or has an e-mail address of its own. A shop may belong to a person. */
  readonly doubtful: boolean
  readonly links: readonly DraftedLink[]
}

/** A reference of a table: a foreign key, or a column named like a key. */
export interface DraftedLink {
  readonly columns: readonly string[]
  readonly target: string
  /** The references that describe it in a dataset, one for each column. */
  readonly references: readonly ProposedReference[]
  readonly nullable: boolean
  readonly onDelete: ForeignKey['onDelete'] | undefined
  /** 1 for a foreign key. */
  readonly confidence: number
  readonly role: LinkRole
}

/**
 * What a reference seems to lead to: somebody who worked on the row (`agent`), a row of the same table (`self`),
 * something that belongs to many (`shared`), a person, a part of the row such as an address (`lookup`), or something
 * else.
 */
export type LinkRole = 'agent' | 'self' | 'shared' | 'person' | 'lookup' | 'other'

export interface DraftedSchema {
  readonly tables: ReadonlyMap<string, DraftedTable>
  /** Tables whose rows seem to have an owner. */
  readonly owned: ReadonlySet<string>
  /** Tables whose rows seem to be parts of those, such as addresses. */
  readonly parts: ReadonlySet<string>
}

/** A reference before its role is known. */
export type BareLink = Omit<DraftedLink, 'role'>

/** The confidence in a column that is named like the key of its target. */
export const exact = 0.85

/** Whether only a condition leads to the target: the column is named neither after it nor after a person. */
export function isGuess({ columns, confidence, references }: BareLink): boolean {
  return confidence < exact && references.some(({ when }) => when !== undefined) && !columns.some(namesPersonKey)
}

/** Combines what is known of each table with the targets of its references. */
export function draftedSchema(
  collections: readonly CatalogueCollection[],
  categoriesOf: (collection: string) => ReadonlyMap<string, string>,
  linksOf: (collection: CatalogueCollection) => readonly BareLink[],
): DraftedSchema {
  const bare = new Map(
    collections.map((live) => {
      const [categories, links] = [categoriesOf(live.name), linksOf(live)]
      const shared = isGroupTable(live.name) || (isSettingsTable(live.name) && !links.some(isUser))
      const people = holdsPeople(live.name, categories, links)
      return [live.name, { live, categories, links, people, shared }]
    }),
  )
  const isSomebodys = ({ columns, target, nullable, onDelete, role }: DraftedLink) => {
    if (role === 'self' || bare.get(target)?.people !== true) return false
    if (onDelete === 'cascade') return true
    // A manager works on rows of other people.
    return (
      !nullable && (role !== 'agent' || columns.some((column) => isDoneByColumn(column) && !isEditorColumn(column)))
    )
  }
  const tables = new Map<string, DraftedTable>()
  for (const table of bare.values()) {
    const links = table.links.flatMap((link) => {
      const target = bare.get(link.target)
      return target ? [{ ...link, role: roleOf(table.live.name, link, target) }] : []
    })
    const doubtful = table.shared && (links.some(isSomebodys) || hasOwnAddress(table))
    tables.set(table.live.name, { ...table, links, doubtful })
  }
  const owned = ownedTables(tables)
  const parts = [...owned].flatMap((name) => tables.get(name)!.links.filter(({ role }) => role === 'lookup'))
  return { tables, owned, parts: new Set(parts.map(({ target }) => target)) }
}

/** Whether no two rows have one e-mail address, as with tenants who are people. */
function hasOwnAddress({ live, categories }: Pick<DraftedTable, 'live' | 'categories'>): boolean {
  return keysOfOne(live).some((column) => categories.get(column) === 'user.contact.email')
}

/**
 * Whether a table holds people, by its columns or by its name. The members of a team that hold only a key of a user are
 * not people themselves.
 */
function holdsPeople(name: string, categories: ReadonlyMap<string, string>, links: readonly BareLink[]): boolean {
  if (looksLikePeople(categories.values())) return true
  const hasContact = [...categories.values()].some((category) => /^user\.(name|contact|date_of_birth)/.test(category))
  return isPeopleTable(name) && (hasContact || !links.some(({ target }) => target !== name && isPeopleTable(target)))
}

/** Settings that must name a user belong to that user. */
function isUser({ columns, target, nullable }: BareLink): boolean {
  return (
    !nullable &&
    isPeopleTable(target) &&
    columns.some((column) => /^(user|customer|member|account)(_?id)?$/i.test(column))
  )
}

function roleOf(
  collection: string,
  { columns, target }: BareLink,
  { people, shared }: Pick<DraftedTable, 'people' | 'shared'>,
): LinkRole {
  // The documents of a driver belong to the driver.
  if (columns.some((column) => isAgentColumn(column) && !isNamedAfter(collection, column))) return 'agent'
  if (target === collection) return 'self'
  if (shared) return 'shared'
  if (people) return 'person'
  return isLookupTable(target) ? 'lookup' : 'other'
}

function isNamedAfter(collection: string, column: string): boolean {
  const table = nameWords(collection)
  const words = nameWords(column)
  const base = words.at(-1) === 'id' ? words.slice(0, -1) : words
  return table.length > base.length && base.every((word, at) => word === table[at])
}

/** Whether a row refers to a person, besides its other references. */
export function refersToPerson(table: DraftedTable): boolean {
  return table.links.some(({ role }) => role === 'person')
}

/**
 * Whether a row may belong to the person who seems to have worked on it. That is so if no other column must name a
 * person, or if the only such columns have similar names. The name of a column must not hide an owner.
 */
export function mayBeOwner(link: DraftedLink, table: DraftedTable, { tables, owned }: DraftedSchema): boolean {
  if (table.people || !tables.get(link.target)!.people) return false
  const isMade = link.columns.some((column) => isMakerColumn(column) || isEditorColumn(column))
  // A pair such as `owner_type` and `owner_id` may name no person, so it does not count here. It does count for a maker
  // column, because anybody may have created the row.
  const counts = ({ references }: DraftedLink) => isMade || references.every(({ when }) => !when)
  const others = table.links.filter((each) => each !== link && counts(each))
  // of two columns that may name people of one table, the one for who signed may be the owner's as well
  const isOwners = ({ role, nullable, target }: DraftedLink) =>
    role === 'person' && (!nullable || (link.nullable && (isMade || target !== link.target)))
  if (others.some(isOwners)) return false
  const belongs = ({ nullable, target }: DraftedLink) =>
    !nullable && (isMade || (owned.has(target) && !isContentParent(target)))
  if (link.nullable && others.some(belongs)) return false
  const rank = ({ columns, nullable }: DraftedLink) => (columns.some(isEditorColumn) ? 2 : 0) + (nullable ? 1 : 0)
  return !others.some((each) => each.role === 'agent' && rank(each) < rank(link))
}

/**
 * Whether the rows of a table identify people of another table: they hold e-mail addresses that the people's own rows
 * lack, or they are channels.
 */
export function identifiesPeople({ nullable, role }: DraftedLink, table: DraftedTable, target: DraftedTable): boolean {
  if (role !== 'person' || table.people) return false
  if (isChannelTable(table.live.name, table.categories.values())) return true
  return !nullable && holdsMail(table) && !holdsMail(target)
}

export function holdsMail({ categories }: DraftedTable): boolean {
  return [...categories.values()].includes('user.contact.email')
}

/** Tables of people, and tables with a reference that leads up to those. */
function ownedTables(tables: ReadonlyMap<string, DraftedTable>): Set<string> {
  const owned = new Set([...tables.values()].filter(({ people }) => people).map(({ live }) => live.name))
  for (let before = -1; before < owned.size; ) {
    before = owned.size
    for (const table of tables.values()) {
      const leads = ({ role, target }: DraftedLink) =>
        role === 'person' || (role === 'other' && owned.has(target) && !isContentBeside(table, target))
      if (!table.shared && table.links.some((link) => !isGuess(link) && leads(link))) owned.add(table.live.name)
    }
  }
  return owned
}

/** A comment on an article belongs to its author, not to the article. */
function isContentBeside(table: DraftedTable, target: string): boolean {
  return isContentParent(target) && refersToPerson(table)
}
