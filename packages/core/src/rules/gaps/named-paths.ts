import type { CatalogueCollection } from '../../model/catalogue.js'
import { categoryOf } from '../draft/propose-categories.js'
import { tablesNamingPeople } from '../plan/tables-naming-people.js'
import type { Database } from '../plan/uncovered-table.js'

/** A path that begins at a table that nobody has described. */
export interface NamedPath {
  readonly table: string
  /** The dataset in which it may be described. */
  readonly dataset: string
  readonly text: string
}

/** Undescribed tables whose columns speak of people. */
export function namedPaths(database: Database, isOwned: (address: string) => boolean): NamedPath[] {
  return tablesNamingPeople(database, isOwned).map(({ table, dataset, column, into }) => {
    const like = into === undefined ? 'looks like an e-mail address' : `is named like a key of ${into}`
    return { table, dataset, text: `${table}.${column} ${like}` }
  })
}

/** Undescribed tables that rows of people refer to, and that hold data of a category by the names of their columns. */
export function partsOfPeople({ tables, described }: Database, isOwned: (address: string) => boolean): NamedPath[] {
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
