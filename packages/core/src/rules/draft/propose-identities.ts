import type { Column } from '../../model/catalogue.js'
import type { IdentityProposal, PlaceholdersProposal } from '../../model/proposal.js'
import { type DraftedSchema, type DraftedTable, identifiesPeople } from './drafted-schema.js'
import { nameWords } from './name-words.js'
import { isContactOfAnother, isLookupTable } from './ownership-names.js'

/** Properties of a request, by the category of columns that may hold them. */
const propertyOf: Readonly<Record<string, string>> = {
  'user.contact.email': 'email',
  'user.contact.phone_number': 'phone_number',
  'user.government_id.national_identification_number': 'ssn',
}

/** Columns by which a request may find a person. */
export function proposeIdentities(table: DraftedTable, schema: DraftedSchema): IdentityProposal[] {
  return table.live.columns.flatMap((column) => {
    const found = contactIdentity(column, table, schema) ?? keyIdentity(column, table)
    if (!found) return []
    const { name: field, array } = column
    const collection = table.live.name
    const reason = array ? `${found.reason} ${ofLists}` : found.reason
    return [{ id: `${collection}.${field}:identity`, kind: 'identity', collection, field, ...found, reason }]
  })
}

const ofLists =
  "It is a list: with this identity a request gets only what the values that it names stand for. Beside the identity, 'reviewed: true' says that the list also names others, so that an access is complete without them, and 'return_all_elements' says that a list is one person's. Without the identity, 'reviewed: true' says that it names nobody but the row's person, who then gets all of it."

type Found = Pick<IdentityProposal, 'identity' | 'confidence' | 'reason'>

function contactIdentity(column: Column, table: DraftedTable, { tables }: DraftedSchema): Found | undefined {
  const identity = propertyOf[table.categories.get(column.name) ?? '']
  if (identity === undefined || table.shared || isOthers(column, table)) return undefined
  const persons = table.links.filter(({ role }) => role === 'person')
  const isBeside = persons.some((link) => identifiesPeople(link, table, tables.get(link.target)!))
  // The name `email_address` ends like that of a table of addresses. Where its rows name their person, or
  // hold each address once, the address identifies a person.
  if (isLookupTable(table.live.name) && !isBeside && !isUnique(column, table)) return undefined
  const what = `A request may name people by '${identity}', and the column ${column.holds ? 'holds it in a sample' : 'is named like one that holds it'}.`
  const main = mainColumn(column, table)
  if (main !== column) return { identity, confidence: 0.4, reason: `${what} But '${main.name}' does so more directly.` }
  if (!table.people && persons.length > 0) {
    if (isBeside) {
      return { identity, confidence: 0.8, reason: `${what} It identifies the people that the rows refer to.` }
    }
    if (identity !== 'email') return undefined
    const guests = persons.every(({ nullable }) => nullable)
    const reason = guests
      ? `${what} The row refers to a person where one is known: say in 'owner' which of the two decides.`
      : `${what} But the row already refers to a person, and an outdated address would override that.`
    return { identity, confidence: guests ? 0.4 : 0.2, reason }
  }
  const unique = isUnique(column, table)
  if (identity === 'phone_number') return { identity, confidence: unique ? 0.7 : 0.5, reason: what }
  return { identity, confidence: unique ? 0.9 : table.people ? 0.8 : 0.7, reason: what }
}

/** Of several columns for the same data, the one with the shortest name. */
function mainColumn(column: Column, table: DraftedTable): Column {
  const { live, categories } = table
  const category = categories.get(column.name)
  const length = ({ name }: Column) => nameWords(name).length
  return live.columns
    .filter((each) => categories.get(each.name) === category && !isOthers(each, table))
    .reduce((main, each) => (length(each) < length(main) ? each : main))
}

function isOthers({ name }: Column, { live, people }: DraftedTable): boolean {
  return isContactOfAnother(name, live.name, people)
}

/** The key of a table of people, and other unique numbers and names that people may know. */
function keyIdentity(column: Column, { live, people, shared, categories }: DraftedTable): Found | undefined {
  if (!people || shared || !isUnique(column, { live })) return undefined
  const words = nameWords(column.name)
  const isKey = live.primaryKey.includes(column.name)
  const known = categories.get(column.name) === 'user.unique_id'
  if (!isKey && !known) return undefined
  const table = nameWords(live.name).join('_')
  const identity = words.length === 1 && isKey ? `${table}_${words[0]}` : words.join('_')
  const reason = `The column is unique, so a request may name a person by it as '${identity}'.`
  const to = live.foreignKeys.find(({ columns }) => columns.includes(column.name))?.references.collection
  if (to !== undefined) return { identity, confidence: 0.3, reason: `${reason} But it is the key of a row of '${to}'.` }
  return { identity, confidence: isKey ? 0.5 : 0.6, reason }
}

function isUnique({ name }: Column, { live }: Pick<DraftedTable, 'live'>): boolean {
  return [live.primaryKey, ...live.uniqueKeys].some((key) => key.length === 1 && key[0] === name)
}

/** Texts that people enter where a text is required and nothing is known. */
export const nothing = ['N/A', 'n/a', '-', '--', '0', 'unknown', 'Unknown', 'none', 'None', 'null', 'NULL']
const noAddress = ['noreply@example.com', 'no-reply@example.com', 'unknown@example.com', 'none@none.com']

/** Proposes texts that mean "none", in columns of contact data and in key columns without a foreign key. */
export function proposePlaceholders(table: DraftedTable): PlaceholdersProposal[] {
  const { live, categories, links } = table
  return live.columns.flatMap((column) => {
    if ((column.kind ?? 'string') !== 'string' || column.array || column.values) return []
    const category = categories.get(column.name) ?? ''
    const referencing = links.some(({ columns, confidence }) => confidence < 1 && columns.includes(column.name))
    const contact = category in propertyOf
    if (!contact && !referencing) return []
    return [
      {
        id: `${live.name}.${column.name}:placeholders`,
        kind: 'placeholders',
        collection: live.name,
        field: column.name,
        placeholders: category === 'user.contact.email' ? [...nothing, ...noAddress] : nothing,
        confidence: 0.9,
        reason:
          'Such a column often holds a text for "nothing known". All rows with that text would belong to one person.',
      },
    ]
  })
}
