import type { CatalogueCollection, IncomingForeignKey } from '../../model/catalogue.js'
import type { CollectionNode } from './collection-node.js'

export interface UncoveredTable {
  /** The dataset that describes the table it refers to. */
  readonly dataset: string
  /** The name of the table, with its schema if that is another one. */
  readonly table: string
  /** Absent where the table inherits instead, or where only a name speaks of people. */
  readonly foreignKey?: string
  /** Address of the collection it refers to or inherits from. Absent for an e-mail address. */
  readonly into?: string
  /** The column or member whose name or sample speaks of people, in a table without such a foreign key. */
  readonly column?: string
}

/** The tables of one database that no dataset describes, and its described collections by name. */
export interface Database {
  /** The key of its connection. */
  readonly connection: string
  /** The first dataset behind the connection. */
  readonly dataset: string
  readonly tables: readonly CatalogueCollection[]
  readonly described: ReadonlyMap<string, CollectionNode>
}

/**
 * Whether a table has the foreign key into another schema of which only the table there is told. It may also be told to a view
 * of that table.
 */
export function isFarKey(
  { foreignKeys }: CatalogueCollection,
  target: CatalogueCollection,
  key: Pick<IncomingForeignKey, 'schema' | 'columns'>,
): boolean {
  const names = [target.name, ...(target.view?.shows ?? [])]
  // a view may show tables of the schema that the key lies in
  const isShown = (collection: string) => key.schema !== undefined && names.includes(`${key.schema}.${collection}`)
  return foreignKeys.some(
    ({ columns, references: { schema, collection } }) =>
      (schema === undefined ? isShown(collection) : names.includes(collection)) &&
      columns.join('\0') === key.columns.join('\0'),
  )
}

/** Whether a dataset of another connection describes the table of a foreign key that leads here. */
export function isDescribedIn(
  others: readonly Database[],
  target: CatalogueCollection | undefined,
  key: IncomingForeignKey,
): boolean {
  return others.some(({ described }) => {
    const live = described.get(key.collection)?.live
    return live !== undefined && target !== undefined && isFarKey(live, target, key)
  })
}

/**
 * Whether all rows of a view lie in tables of the catalogue. Nobody asks for the rows of others: those of a foreign server, and of
 * tables in other schemas.
 */
export function showsKnownTables({ tables, described }: Database, { view }: CatalogueCollection): boolean {
  const shown = view?.shows ?? []
  return shown.length > 0 && shown.every((name) => described.has(name) || tables.some((table) => table.name === name))
}
