import type { CatalogueCollection } from '../../model/catalogue.js'
import { withMemberColumns } from '../draft/member-columns.js'
import { nameWords } from '../draft/name-words.js'
import { isLookupTable } from '../draft/ownership-names.js'
import { categoryOf } from '../draft/propose-categories.js'
import { typeColumn } from '../draft/type-columns.js'
import { historyTables } from '../plan/history-tables.js'
import { tablesNamingPeople } from '../plan/tables-naming-people.js'
import { type Database, showsKnownTables } from '../plan/uncovered-table.js'
import { directIdentifier } from './direct-identifiers.js'

/** A path that begins at a table that nobody has described. */
export interface NamedPath {
  readonly table: string
  /** The dataset in which it may be described. */
  readonly dataset: string
  readonly text: string
}

/** Undescribed tables whose names, or those of their columns, speak of people. */
export function namedPaths(database: Database, isOwned: (address: string) => boolean): NamedPath[] {
  const naming = tablesNamingPeople(database, isOwned).map(({ table, dataset, column, into }) => {
    const like = into === undefined ? 'looks like an e-mail address' : `is named like a key of ${into}`
    return { table, dataset, text: `${table}.${column} ${like}` }
  })
  const histories = historyTables(database, isOwned).map(({ table, dataset, of }) => {
    return { table, dataset, text: `${table} is named like a history of ${of}` }
  })
  return [
    ...naming,
    ...histories,
    ...pairedTables(database),
    ...identifyingTables(database, (table) => !isLookupTable(table)),
  ]
}

/**
 * Undescribed tables that refer to rows of any table: a log of changes with `table_name` and `record_id`. Where the types are
 * listed, they are among those named after people's keys.
 */
function pairedTables(database: Database): NamedPath[] {
  const { dataset, tables, described } = database
  const named = new Set([...described.keys(), ...tables.map(({ name }) => name)].map(wordsOf))
  return tables.flatMap((live): NamedPath[] => {
    if (showsKnownTables(database, live)) return []
    const own = live.primaryKey.length === 1 ? live.primaryKey : []
    const referring = new Set([...own, ...live.foreignKeys.flatMap(({ columns }) => columns)])
    for (const { name } of live.columns) {
      // the type of a row of one table is no type of tables
      if (referring.has(name) || named.has(nameWords(name).slice(0, -1).join('_'))) continue
      const type = typeColumn(live.columns, name)
      if (!type || type.values) continue
      const text = `${live.name}.${name} is a key of rows of any table, and '${type.name}' says of which`
      return [{ table: live.name, dataset, text }]
    }
    return []
  })
}

const wordsOf = (name: string) => nameWords(name).join('_')

/** Undescribed tables of such names with a column that identifies a person by itself. */
function identifyingTables(database: Database, isMeant: (table: string) => boolean): NamedPath[] {
  const { dataset, tables } = database
  return tables.flatMap((live): NamedPath[] => {
    if (!isMeant(live.name) || showsKnownTables(database, live)) return []
    for (const column of withMemberColumns(live).columns) {
      const category = directIdentifier(live.name, column)
      if (category !== undefined)
        return [{ table: live.name, dataset, text: `${live.name}.${column.name} looks like ${category}` }]
    }
    return []
  })
}

/**
 * Undescribed tables whose rows may be parts of people: those that rows of people refer to, and that hold data of a category
 * by the names of their columns, and others that are named like parts. What refers to an address need not be a person's.
 */
export function partsOfPeople(database: Database, isOwned: (address: string) => boolean): NamedPath[] {
  return [...referredTables(database, isOwned), ...identifyingTables(database, isLookupTable)]
}

function referredTables({ tables, described }: Database, isOwned: (address: string) => boolean): NamedPath[] {
  const byName = new Map(tables.map((table) => [table.name, table]))
  const people = [...described.values()].filter(
    ({ address, collection }) => isOwned(address) && !collection.service_meta.waived,
  )
  return people.flatMap(({ address, dataset, live }) =>
    (live?.foreignKeys ?? []).flatMap(({ columns, references }): NamedPath[] => {
      const table = references.schema === undefined ? byName.get(references.collection) : undefined
      const held = table && personalColumn(table)
      if (!held) return []
      const text = `${table.name} ← ${address}.${columns.join('+')}, and '${held.name}' looks like ${held.category}`
      return [{ table: table.name, dataset: dataset.service_key, text }]
    }),
  )
}

function personalColumn({ name: table, columns, view }: CatalogueCollection) {
  if (view) return undefined
  for (const column of columns) {
    const category = categoryOf(table, column)
    if (category !== undefined && category !== 'user.unique_id') return { name: column.name, category }
  }
  return undefined
}
