import type { CatalogueCollection, Column } from '../../model/catalogue.js'
import type { ReferenceProposal } from '../../model/proposal.js'
import { appendTo } from '../value/append-to.js'
import { type BareLink, exact } from './drafted-schema.js'
import {
  holdsAlike,
  idSuffix,
  isDeclaredKey,
  isSameKind,
  keyColumn,
  keysOfOne,
  meantKey,
  numberSuffix,
} from './key-columns.js'
import { nameWords } from './name-words.js'
import { isAgentColumn, isPeopleTable, namesPersonKey, wordSet } from './ownership-names.js'
import { patternOf } from './propose-categories.js'
import { typeColumn, typeValue } from './type-columns.js'

/** Words at the end of a key's name. */
export const keySuffix = new Set([...idSuffix, ...numberSuffix, 'key', 'fk', 'ref'])
/** Words for the users of an application, whatever the name of their table. */
const userWords = new Set(['user', 'owner', 'author', 'creator', 'person', 'member', 'account', 'customer'])

/** Tables with the words of their names. */
export interface NamedTables {
  readonly all: readonly NamedTable[]
  readonly people: () => readonly NamedTable[]
  /** By the last word of their names, which carries the meaning. */
  readonly byLast: ReadonlyMap<string, readonly NamedTable[]>
  /** By the names of their keys, where these are names of one thing. */
  readonly byKey: ReadonlyMap<string, readonly NamedTable[]>
}

interface NamedTable {
  readonly target: CatalogueCollection
  readonly words: readonly string[]
}

/** The tables that a reference can name. */
export function namedTables(collections: readonly CatalogueCollection[]): NamedTables {
  const named = collections
    .filter(({ name }) => !name.includes('.'))
    .map((target) => ({ target, words: nameWords(target.name) }))
  const prefix = commonPrefix(named)
  const all = named.map(({ target, words }) => ({
    target,
    words: words.length > 1 && words[0] === prefix ? words.slice(1) : words,
  }))
  const byLast = new Map<string, NamedTable[]>()
  const byKey = new Map<string, NamedTable[]>()
  for (const table of all) {
    appendTo(byLast, table.words.at(-1) ?? '', table)
    for (const key of keysOfOne(table.target)) if (!isAnyName(key)) appendTo(byKey, key, table)
  }
  let people: readonly NamedTable[] | undefined
  return { all, byLast, byKey, people: () => (people ??= all.filter(({ target }) => isPeopleTable(target.name))) }
}

/** The prefix that an application gives nearly all its tables. Names of columns lack it. */
function commonPrefix(tables: readonly NamedTable[]): string | undefined {
  const count = new Map<string, number>()
  for (const { words } of tables) {
    const [first = ''] = words
    if (words.length > 1) count.set(first, (count.get(first) ?? 0) + 1)
  }
  const [most] = [...count].sort(([, one], [, other]) => other - one)
  return most && most[1] >= 3 && most[1] > tables.length / 2 ? most[0] : undefined
}

/**
 * The targets of columns that are named like keys and have no foreign key: at most one each. A pair such as
 * `owner_type` and `owner_id` can have several, since only its values say which one is meant.
 */
export function proposedLinks(
  collection: CatalogueCollection,
  tables: NamedTables,
  dataset: string,
  columns: readonly Column[] = collection.columns,
): (BareLink & { readonly reason: string })[] {
  const isReferring = (name: string) => collection.foreignKeys.some(({ columns: own }) => own.includes(name))
  return columns.flatMap((column) => {
    if (isReferring(column.name)) return []
    return targetsOf(collection, column, tables).map(({ target, key, confidence, reason, when }) => ({
      columns: [column.name],
      target: target.name,
      references: [{ dataset, field: `${target.name}.${key.name}`, ...(when && { when }) }],
      nullable: column.nullable,
      onDelete: undefined,
      confidence,
      reason,
    }))
  })
}

/**
 * Columns named like the key of a person, where no table has such a name: `patient_id` beside the only table of people,
 * `users`. Only a question: such a reference is no link of the drafted schema, and nobody owns a row because of it.
 */
export function guessedReferences(
  collection: CatalogueCollection,
  tables: NamedTables,
  dataset: string,
): ReferenceProposal[] {
  const [only, ...others] = tables.people()
  if (!only || others.length > 0 || only.target === collection) return []
  const linked = new Set(proposedLinks(collection, tables, dataset).flatMap(({ columns }) => columns))
  return collection.columns.flatMap((column): ReferenceProposal[] => {
    const { name } = column
    const key = keyColumn(only.target, { ...column, name: '' })
    const isOwnKey = collection.primaryKey.length === 1 && collection.primaryKey[0] === name
    const isReferring = collection.foreignKeys.some(({ columns }) => columns.includes(name))
    if (!key || linked.has(name) || isOwnKey || isReferring || name.includes('.')) return []
    const words = nameWords(name)
    if (!namesPersonKey(name) || !idSuffix.has(words.at(-1) as string) || isAgentColumn(name)) return []
    if (typeColumn(collection.columns, name) || !holdsAlike(column, key)) return []
    const target = only.target.name
    const reason = `The column is named like the key of a person, and '${target}' is the only table of people: check whether it leads there.`
    const references = { dataset, field: `${target}.${key.name}` }
    const id = `${collection.name}.${name}:reference`
    return [{ id, kind: 'reference', collection: collection.name, field: name, references, confidence: 0.3, reason }]
  })
}

/** The proposals for such columns. Where there are several, the id contains the target. */
export function proposeReferences(
  collection: string,
  links: readonly (BareLink & { readonly reason: string })[],
): ReferenceProposal[] {
  return links.map(({ columns, target, references, confidence, reason }) => ({
    id: `${linkPlace(collection, { columns, target }, links)}:reference`,
    kind: 'reference',
    collection,
    field: columns[0]!,
    references: references[0]!,
    confidence,
    reason,
  }))
}

/** `orders.customer_id`. Where the columns have several references the target follows: `log.owner_id>orders`. */
export function linkPlace(collection: string, { columns, target }: Ends, links: readonly Ends[]): string {
  const place = `${collection}.${columns.join('+')}`
  const alike = links.filter((link) => link.columns.join('\0') === columns.join('\0'))
  return alike.length > 1 ? `${place}>${target}` : place
}

type Ends = Pick<BareLink, 'columns' | 'target'>

interface Target {
  readonly target: CatalogueCollection
  readonly key: Column
  readonly confidence: number
  readonly reason: string
  readonly when?: Readonly<Record<string, string>>
}

function targetsOf(collection: CatalogueCollection, column: Column, tables: NamedTables): Target[] {
  const pointing = pointsTo(collection, column)
  if (pointing) return pointerTargets(pointing, column, tables)
  const words = keyWordsOf(column)
  if (words.length < 2 || !keySuffix.has(words.at(-1)!)) return sameNamedTargets(collection, column, tables)
  const base = words.slice(0, -1)
  const isKeyPart = collection.primaryKey.includes(column.name)
  const isNumber = numberSuffix.has(words.at(-1)!)
  // A key or number named after its own table refers to no other table, even if its name ends like one:
  // `email_address_id`.
  if ((isKeyPart || isNumber) && base.join('_') === nameWords(collection.name).join('_')) return []
  const isKey = isKeyPart && collection.primaryKey.length === 1
  const type = isKey ? undefined : typeColumn(collection.columns, column.name)
  // If there is a table of customers, `kunde_art` next to `kunde_id` is the sort of customer, not a type.
  const isNamed = () => tables.all.some((table) => table.words.join('_') === base.join('_'))
  if (type && (/type$/i.test(type.name) || !isNamed())) return pairTargets(type, column, tables)
  const isAnybody = base.length === 1 && idSuffix.has(words.at(-1)!) && userWords.has(base[0]!)
  const named = new Set([...(tables.byLast.get(base.at(-1)!) ?? []), ...(isAnybody ? tables.people() : [])])
  const candidates = [...named].flatMap(({ target, words: table }) => {
    const key = meantKey(target, column, words, table)
    if (!key || !holdsAlike(column, key)) return []
    const confidence = nearness(base, table) || (isAnybody && isPeopleTable(target.name) ? 0.5 : 0)
    // A key of the table itself refers only to a table with the same key. The number of a line counts within its bill.
    if ((isKey || (isKeyPart && isNumber)) && (target === collection || confidence < exact)) return []
    if (confidence === 0) return []
    const isSure = target !== collection && isDeclaredKey(target, key) && isSameKind(column, key)
    return [{ target, key, confidence: isSure ? confidence : Math.min(confidence, target === collection ? 0.5 : 0.7) }]
  })
  const best = Math.max(0, ...candidates.map(({ confidence }) => confidence))
  const nearest = candidates.filter(({ confidence }) => confidence === best)
  const [only] = nearest
  if (!only || nearest.length > 1) return []
  const reason = `The column is named like the key of '${only.target.name}', '${only.key.name}', and no foreign key says what it refers to.`
  return [{ ...only, reason }]
}

/** The only table of which a key has the very name of a column: `badge_code` of `badges`. Names that any table may have say nothing. */
function sameNamedTargets(collection: CatalogueCollection, column: Column, { byKey }: NamedTables): Target[] {
  const [only, ...others] = byKey.get(column.name) ?? []
  if (!only || others.length > 0 || only.target === collection || isSingleKey(collection, column.name)) return []
  const key = only.target.columns.find(({ name }) => name === column.name)
  if (!key || !isSameKind(column, key) || column.array) return []
  const reason = `The column has the name of a key of '${only.target.name}', and no foreign key says what it refers to.`
  return [{ target: only.target, key, confidence: 0.7, reason }]
}

/** Names of keys that many tables have. */
const anyNames = wordSet(`id key code name no nr number num uuid guid type kind date day year month locale language lang
  currency country city state zip slug url path title label status value version position rank sort token hash ip term tag
  word text user_id`)

/** Whether a name is that of any key, or says by itself what it holds of a person: `code`, `email`. */
function isAnyName(name: string): boolean {
  return anyNames.has(nameWords(name).join('_')) || patternOf(name, undefined) !== undefined
}

const isSingleKey = ({ primaryKey }: CatalogueCollection, name: string) =>
  primaryKey.length === 1 && primaryKey[0] === name

/** In MongoDB's DBRef, the member beside an id that holds the name of its collection. */
function pointsTo({ columns }: CatalogueCollection, { name }: Column): Column | undefined {
  return name.endsWith('.$id') ? columns.find((column) => column.name === `${name.slice(0, -2)}ref`) : undefined
}

/** The collections of people to which a DBRef may lead, and the one that its object is named like. */
function pointerTargets(pointing: Column, column: Column, tables: NamedTables): Target[] {
  const named = keyWordsOf({ ...column, name: column.name.replace('$', '') }).slice(0, -1)
  return tables.all.flatMap(({ target, words }) => {
    const key = keyColumn(target, { ...column, name: '' })
    const confidence = words.join('_') === named.join('_') ? exact : isPeopleTable(target.name) ? 0.5 : 0
    if (confidence === 0 || !key || !holdsAlike(column, key)) return []
    const reason = `'${pointing.name}' holds the name of the collection that '${column.name}' refers to: check whether it can be '${target.name}'.`
    return [{ target, key, confidence, reason, when: { [pointing.name]: target.name } }]
  })
}

/**
 * The own name of a member says what it refers to. One that is only called `id` is the key of its object. `id_user` is
 * `user_id`.
 */
function keyWordsOf({ name }: Column): readonly string[] {
  const [own = name, around] = name.split('.').reverse()
  const [first = '', ...others] = nameWords(own)
  const isTurned = others.length > 0 && idSuffix.has(first) && !keySuffix.has(others.at(-1)!)
  const words = isTurned ? [...others, first] : [first, ...others]
  return around !== undefined && words.length === 1 && idSuffix.has(words[0]!) ? [...nameWords(around), 'id'] : words
}

/** The confidence in a name: it equals the name of the table, or one of the two ends with the other. */
function nearness(base: readonly string[], table: readonly string[]): number {
  const ends = (whole: readonly string[], end: readonly string[]) =>
    end.length > 0 && end.every((word, at) => whole[whole.length - end.length + at] === word)
  if (base.join('_') === table.join('_')) return exact
  if (isAgentColumn(base.join('_'))) return 0
  if (ends(base, table)) return 0.7
  return ends(table, base) ? 0.5 : 0
}

/**
 * Where the type lists its values, a value that is the name of a table decides. Otherwise any table of people may be
 * meant, under the name of its class.
 */
function pairTargets(type: Pick<Column, 'name' | 'values'>, column: Column, tables: NamedTables): Target[] {
  return (type.values ? tables.all : tables.people()).flatMap(({ target, words }) => {
    const key = keyColumn(target, { ...column, name: '' })
    if (!key || !holdsAlike(column, key)) return []
    const value = typeValue(type, target.name, words)
    if (value === undefined) return []
    const [confidence, reason] = type.values
      ? [0.85, `'${type.name}' can be '${value}', which is the name of a table.`]
      : [0.5, `'${type.name}' says which table '${column.name}' refers to: check how it writes '${target.name}'.`]
    return [{ target, key, confidence, reason, when: { [type.name]: value } }]
  })
}
