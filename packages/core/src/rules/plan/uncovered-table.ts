import type { CatalogueCollection, Holder, IncomingForeignKey } from '../../model/catalogue.js'
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
  /** The schema that its tables lie in, where the database has several. */
  readonly schema?: string
  /** The first dataset behind the connection. */
  readonly dataset: string
  readonly tables: readonly CatalogueCollection[]
  readonly described: ReadonlyMap<string, CollectionNode>
}

/** The name of a table, with its schema if that is another one. */
export function nameIn({ schema, collection }: { readonly schema?: string; readonly collection: string }): string {
  return schema === undefined ? collection : `${schema}.${collection}`
}

/** The tables that no dataset describes, and that refer to rows with an owner or inherit from their tables. */
export function uncoveredTables(
  { tables, described }: Database,
  databases: readonly Database[],
  isOwned: (address: string) => boolean,
): UncoveredTable[] {
  const others = databases.filter((each) => each.described !== described)
  const referencing = (table: string, foreignKey: string | undefined, node: CollectionNode | undefined) =>
    node && isOwned(node.address)
      ? [{ dataset: node.dataset.service_key, table, ...(foreignKey && { foreignKey }), into: node.address }]
      : []
  const here = tables.flatMap(({ name, foreignKeys, inheritsFrom = [] }) => [
    ...foreignKeys.flatMap(({ name: key, references }) =>
      references.schema === undefined ? referencing(name, key, described.get(references.collection)) : [],
    ),
    ...inheritsFrom.flatMap((parent) => referencing(name, undefined, described.get(parent))),
  ])
  const names = new Set(tables.map(({ name }) => name))
  const elsewhere = [...described.values()].flatMap((node) => [
    ...(node.live?.incomingForeignKeys ?? []).flatMap((incoming) => {
      const { name, schema, collection } = incoming
      if (schema !== undefined && isDescribedIn(others, node.live, incoming)) return []
      if (schema !== undefined) return referencing(nameIn(incoming), name, node)
      return names.has(collection) ? referencing(collection, name, node) : []
    }),
    // what a materialized view keeps is named among the copies
    ...(node.live?.heldIn ?? []).flatMap((holder) => {
      const isSettled = holder.as !== 'child' || described.has(nameIn(holder)) || isHeldIn(others, holder)
      return isSettled ? [] : referencing(nameIn(holder), undefined, node)
    }),
  ])
  const found = new Map([...here, ...elsewhere].map((each) => [JSON.stringify(each), each]))
  return [...found.values()]
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
function isDescribedIn(
  others: readonly Database[],
  target: CatalogueCollection | undefined,
  key: IncomingForeignKey,
): boolean {
  return others.some(({ described }) => {
    const live = described.get(key.collection)?.live
    return live !== undefined && target !== undefined && isFarKey(live, target, key)
  })
}

/** Whether a table behind another connection is what holds rows of a table here: its schema, its name and its kind say so. */
export function isHolder(
  holder: Holder,
  { schema }: Database,
  { name, inheritsFrom, view }: CatalogueCollection,
): boolean {
  if (schema !== holder.schema || name !== holder.collection) return false
  return holder.as === 'child' ? inheritsFrom !== undefined : view?.stored === true
}

/** Whether a dataset of another connection describes what holds rows of a table here. */
function isHeldIn(others: readonly Database[], holder: Holder): boolean {
  return others.some((database) => {
    const live = database.described.get(holder.collection)?.live
    return live !== undefined && isHolder(holder, database, live)
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
