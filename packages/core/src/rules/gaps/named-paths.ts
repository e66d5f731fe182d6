import type { CatalogueCollection } from '../../model/catalogue.js'
import { withMemberColumns } from '../draft/member-columns.js'
import { isLookupTable } from '../draft/ownership-names.js'
import { categoryOf } from '../draft/propose-categories.js'
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
  return [...naming, ...histories, ...identifyingTables(database, (table) => !isLookupTable(table))]
}

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
