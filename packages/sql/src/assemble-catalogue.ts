import type { Catalogue, CatalogueCollection, Column, ForeignKey, ViewOf } from '@habeas/core'

/** One part of a key or index. Rows with the same collection and key belong together, ordered by `position`. */
export interface KeyPartRow {
  readonly collection: string
  /** Name of the key, unique within its collection. */
  readonly key: string
  readonly use: 'primary' | 'unique' | 'index'
  readonly column: string
  readonly position: number
}

/** One part of a foreign key. `schema` is the one that holds the referenced table. */
export interface ForeignKeyPartRow {
  readonly collection: string
  readonly key: string
  readonly column: string
  readonly position: number
  readonly schema: string
  readonly referencedCollection: string
  readonly referencedColumn: string
  readonly onDelete: ForeignKey['onDelete']
  readonly onUpdate?: ForeignKey['onDelete']
  /** See `ForeignKey.loose`. One loose part makes the whole key loose. */
  readonly loose?: boolean
}

/** A view, or anything else that shows rows of other tables. `shows` names these tables; absent where they are not known. */
export interface ViewRow extends Pick<ViewOf, 'writable' | 'stored'> {
  readonly collection: string
  readonly shows?: readonly (readonly [schema: string, table: string])[]
}

/** The live schema as servers list it: flat rows in any order, but columns in the order of their table. */
export interface CatalogueRows {
  /** The schema that is described. */
  readonly schema: string
  readonly collections: readonly string[]
  readonly columns: readonly (Column & { readonly collection: string })[]
  readonly keyParts: readonly KeyPartRow[]
  readonly foreignKeyParts: readonly ForeignKeyPartRow[]
  readonly views?: readonly ViewRow[]
}

/** Assembles the rows into the catalogue that `describe` returns. */
export function assembleCatalogue(rows: CatalogueRows): Catalogue {
  const columns = grouped(rows.columns, ({ collection }) => collection)
  const keyParts = grouped(rows.keyParts, ({ collection }) => collection)
  const foreignKeyParts = grouped(rows.foreignKeyParts, ({ collection }) => collection)
  const views = new Map(rows.views?.map((view) => [view.collection, viewOf(view, rows.schema)]))
  return {
    collections: rows.collections.map((name) => ({
      name,
      columns: (columns.get(name) ?? []).map(({ collection: _, ...column }) => column),
      ...keysOf(keyParts.get(name) ?? []),
      foreignKeys: [...inOrder(foreignKeyParts.get(name) ?? []).values()].map((parts) =>
        foreignKey(parts, rows.schema),
      ),
      ...(views.has(name) && { view: views.get(name) as ViewOf }),
    })),
  }
}

function keysOf(rows: readonly KeyPartRow[]): Pick<CatalogueCollection, 'primaryKey' | 'uniqueKeys' | 'indexes'> {
  const keys = [...inOrder(rows).values()]
  const columnsOf = (parts: readonly KeyPartRow[]) => parts.map(({ column }) => column)
  const primary = keys.find(([first]) => first!.use === 'primary')
  return {
    primaryKey: primary ? columnsOf(primary) : [],
    uniqueKeys: keys.filter(([first]) => first!.use === 'unique').map(columnsOf),
    indexes: keys.map(columnsOf),
  }
}

function foreignKey(parts: readonly ForeignKeyPartRow[], describedSchema: string): ForeignKey {
  const { key, schema, referencedCollection, onDelete, onUpdate } = parts[0]!
  return {
    name: key,
    columns: parts.map(({ column }) => column),
    references: {
      ...(schema === describedSchema ? {} : { schema }),
      collection: referencedCollection,
      columns: parts.map(({ referencedColumn }) => referencedColumn),
    },
    onDelete,
    ...(onUpdate && { onUpdate }),
    ...(parts.some(({ loose }) => loose) && { loose: true }),
  }
}

function viewOf({ collection: _, shows, ...view }: ViewRow, describedSchema: string): ViewOf {
  if (!shows) return view
  const nameOf = ([schema, table]: readonly [string, string]) =>
    schema === describedSchema ? table : `${schema}.${table}`
  return { ...view, shows: shows.map(nameOf).sort() }
}

function inOrder<Part extends { readonly key: string; readonly position: number }>(
  rows: readonly Part[],
): Map<string, Part[]> {
  const keys = grouped(rows, ({ key }) => key)
  for (const parts of keys.values()) parts.sort((one, other) => one.position - other.position)
  return keys
}

/** Groups items by their key, in their order. */
export function grouped<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group) group.push(item)
    else groups.set(keyOf(item), [item])
  }
  return groups
}
