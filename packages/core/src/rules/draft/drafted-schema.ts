import type { CatalogueCollection, ForeignKey } from '../../model/catalogue.js'
import type { ProposedReference } from '../../model/proposal.js'
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
} from './ownership-names.js'

/** A table of a live schema with what its name and its columns tell about it. */
export interface DraftedTable {
  readonly live: CatalogueCollection
  /** Proposed categories, by column. */
  readonly categories: ReadonlyMap<string, string>
  /** It is named after people, or its columns are those of people. */
  readonly people: boolean
  /** What belongs to many: organizations, teams, settings. */
  readonly shared: boolean
  /** It is, by its name, but each row must name a person, or goes with one: a project or a shop may be a person's. */
  readonly doubtful: boolean
  readonly links: readonly DraftedLink[]
}

/** A reference of a table: a foreign key, or a column named like a key. */
export interface DraftedLink {
  readonly columns: readonly string[]
  readonly target: string
  /** What names it in a dataset, one for each column. */
  readonly references: readonly ProposedReference[]
  readonly nullable: boolean
  readonly onDelete: ForeignKey['onDelete'] | undefined
  /** 1 for a foreign key. */
  readonly confidence: number
  readonly role: LinkRole
}

/**
 * What a reference seems to be: one to who worked on the row, of a table to itself, to what belongs to many, to a person,
 * to a part of the row such as an address, or another.
 */
export type LinkRole = 'agent' | 'self' | 'shared' | 'person' | 'lookup' | 'other'

export interface DraftedSchema {
  readonly tables: ReadonlyMap<string, DraftedTable>
  /** Tables whose rows seem to be somebody's. */
  readonly owned: ReadonlySet<string>
  /** Tables whose rows seem to be parts of those, such as addresses. */
  readonly parts: ReadonlySet<string>
}

/** A reference before it is known what it leads to. */
export type BareLink = Omit<DraftedLink, 'role'>

/** Puts together what is told of each table and where its references lead. */
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
    // A manager runs what is not theirs.
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
    const doubtful = table.shared && links.some(isSomebodys)
    tables.set(table.live.name, { ...table, links, doubtful })
  }
  const owned = ownedTables(tables)
  const parts = [...owned].flatMap((name) => tables.get(name)!.links.filter(({ role }) => role === 'lookup'))
  return { tables, owned, parts: new Set(parts.map(({ target }) => target)) }
}

/** By its columns or by its name; the members of a team, with nothing but a key of a user, are no people of their own. */
function holdsPeople(name: string, categories: ReadonlyMap<string, string>, links: readonly BareLink[]): boolean {
  if (looksLikePeople(categories.values())) return true
  const hasContact = [...categories.values()].some((category) => /^user\.(name|contact|date_of_birth)/.test(category))
  return isPeopleTable(name) && (hasContact || !links.some(({ target }) => target !== name && isPeopleTable(target)))
}

/** Settings that must name a user are that user's. */
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
  // The documents of a driver are the driver's.
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

/** Whether rows name a person beside whatever else they name. */
export function refersToPerson(table: DraftedTable): boolean {
  return table.links.some(({ role }) => role === 'person')
}

/**
 * Whether a row may belong to the person who seems to have worked on it: no other column must name a person, or only columns
 * that sound alike do. The name of a column must not hide whose a row is.
 */
export function mayBeOwner(link: DraftedLink, table: DraftedTable, { tables, owned }: DraftedSchema): boolean {
  if (table.people || !tables.get(link.target)!.people) return false
  const isMade = link.columns.some((column) => isMakerColumn(column) || isEditorColumn(column))
  // A pair such as `owner_type` and `owner_id` may name nobody. But what belongs somewhere may have been put there by anybody.
  const counts = ({ references }: DraftedLink) => isMade || references.every(({ when }) => !when)
  const others = table.links.filter((each) => each !== link && counts(each))
  if (others.some(({ role, nullable }) => role === 'person' && (link.nullable || !nullable))) return false
  const belongs = ({ nullable, target }: DraftedLink) =>
    !nullable && (isMade || (owned.has(target) && !isContentParent(target)))
  if (link.nullable && others.some(belongs)) return false
  const rank = ({ columns, nullable }: DraftedLink) => (columns.some(isEditorColumn) ? 2 : 0) + (nullable ? 1 : 0)
  return !others.some((each) => each.role === 'agent' && rank(each) < rank(link))
}

/** Whether what people are found by stands in rows of its own: an e-mail address that is not with them, or a channel. */
export function identifiesPeople({ nullable, role }: DraftedLink, table: DraftedTable, target: DraftedTable): boolean {
  if (role !== 'person' || table.people) return false
  if (isChannelTable(table.live.name, table.categories.values())) return true
  return !nullable && holdsMail(table) && !holdsMail(target)
}

export function holdsMail({ categories }: DraftedTable): boolean {
  return [...categories.values()].includes('user.contact.email')
}

/** Rows of people, and rows that a reference leads up from. */
function ownedTables(tables: ReadonlyMap<string, DraftedTable>): Set<string> {
  const owned = new Set([...tables.values()].filter(({ people }) => people).map(({ live }) => live.name))
  for (let before = -1; before < owned.size; ) {
    before = owned.size
    for (const table of tables.values()) {
      const leads = ({ role, target }: DraftedLink) =>
        role === 'person' || (role === 'other' && owned.has(target) && !isContentBeside(table, target))
      if (!table.shared && table.links.some(leads)) owned.add(table.live.name)
    }
  }
  return owned
}

/** A comment on an article is its author's and not the article's. */
function isContentBeside(table: DraftedTable, target: string): boolean {
  return isContentParent(target) && refersToPerson(table)
}
