import type { Catalogue, Column, ForeignKey, Holder, IncomingForeignKey, Value } from '@habeas/core'
import { assembleCatalogue, type ForeignKeyPartRow, type KeyPartRow, type SqlTable, type ViewRow } from '@habeas/sql'
import { type CatalogueColumn, describedColumn, isLoose, type LiveColumn, liveColumn } from './live-column.js'

/** One row of the catalogue query, with its JSON parsed. */
export interface CatalogueRow {
  readonly name: string
  readonly columns: readonly CatalogueColumn[]
  readonly indexes: readonly Index[]
  readonly foreignKeys: readonly ForeignKeyRow[]
  /** Those that lie in another schema or in some partitions only, or that refer to a table behind this one. */
  readonly incomingForeignKeys: readonly ForeignKeyRow[]
  /** Other servers on which all or some of its rows lie. */
  readonly servers: readonly string[]
  /** False for views and foreign tables, whose columns may differ from those of the tables behind them. */
  readonly stores: boolean
  /** True when tables inherit from it that are not parts of it. */
  readonly inherited: boolean
  /** True when policies hide rows from the user of the connection. */
  readonly filtered: boolean
  /** True when the user of the connection may write to one of its columns. */
  readonly writable: boolean
  /** True when the server estimates that it has many rows. */
  readonly large: boolean
  /** The foreign keys that carry a deletion on; null where the table stores no rows itself. */
  readonly referencedBy: string | null
  /** Tables that it inherits from, without being a part of them. Those of other schemas have their schema in front. */
  readonly inheritsFrom: readonly string[]
  /** Tables of other schemas that inherit from it, and materialized views there that read it. */
  readonly heldIn: readonly Holder[]
  /** Present where the table stores no rows itself. */
  readonly view?: Omit<ViewRow, 'collection'>
}

interface Index {
  readonly name: string
  readonly primary: boolean
  readonly unique: boolean
  /** True when it covers every row and is ready for use. */
  readonly whole: boolean
  readonly method: string
  /** Null stands for an expression. */
  readonly columns: readonly (string | null)[]
  /** The column whose texts it finds in any case, and the one whose texts it finds with any outer blanks as well. */
  readonly anyCase: string | null
  readonly anyBlanks: string | null
}

interface ForeignKeyRow {
  readonly name: string
  readonly schema: string
  readonly collection: string
  readonly onDelete: string
  readonly onUpdate: string
  readonly columns: readonly (readonly [string, string])[]
}

const rules: Readonly<Record<string, ForeignKey['onDelete']>> = {
  a: 'no action',
  r: 'restrict',
  c: 'cascade',
  n: 'set null',
  d: 'set default',
}

function rulesOf({ onDelete, onUpdate }: Pick<ForeignKeyRow, 'onDelete' | 'onUpdate'>) {
  const updated = onUpdate === 'a' ? undefined : rules[onUpdate]
  return { onDelete: rules[onDelete] ?? 'no action', ...(updated && { onUpdate: updated }) } as const
}

/** Gives names to the columns of a row of the catalogue query. */
export function catalogueRow([
  ...[
    name,
    columns,
    indexes,
    foreignKeys,
    incoming,
    servers,
    stores,
    inherited,
    filtered,
    writable,
    view,
    large,
    referencedBy,
    inheritsFrom,
    heldIn,
  ]
]: readonly (Value | undefined)[]): CatalogueRow {
  return {
    name: name as string,
    columns: tuples(columns).map(
      ([name, type, typeSchema, typeName, labels, isArray, modifier, nullable, generated, collation, rewritten]) =>
        ({
          name,
          type,
          typeSchema,
          typeName,
          labels,
          isArray,
          modifier,
          nullable,
          generated,
          collation,
          rewritten,
        }) as never,
    ),
    indexes: tuples(indexes).map(
      ([name, primary, unique, whole, method, columns, anyBlanks, anyCase]) =>
        ({ name, primary, unique, whole, method, columns, anyBlanks, anyCase }) as never,
    ),
    foreignKeys: distinct(tuples(foreignKeys).map(foreignKeyRow)),
    incomingForeignKeys: distinct(tuples(incoming).map(foreignKeyRow)),
    servers: servers as readonly string[],
    stores: stores as boolean,
    inherited: inherited as boolean,
    filtered: filtered as boolean,
    writable: writable as boolean,
    large: large === true,
    referencedBy: referencedBy as string | null,
    inheritsFrom: inheritsFrom as readonly string[],
    heldIn: tuples(heldIn).map(([schema, collection, stored]) => holder(schema, collection, stored)),
    ...(view && { view: viewRow(view as never) }),
  }
}

function viewRow([writable, shows, stored]: readonly [boolean, ViewRow['shows'] | null, boolean]): Omit<
  ViewRow,
  'collection'
> {
  return { writable, ...(shows && { shows }), ...(stored && { stored }) }
}

function holder(schema?: Value, collection?: Value, stored?: Value): Holder {
  return { schema: schema as string, collection: collection as string, as: stored ? 'materialized view' : 'child' }
}

function foreignKeyRow([name, schema, collection, onDelete, onUpdate, columns]: readonly Value[]): ForeignKeyRow {
  return { name, schema, collection, onDelete, onUpdate, columns } as never
}

/** Returns each foreign key once. Where several partitions have the same one, the first is kept. */
function distinct(rows: readonly ForeignKeyRow[]): ForeignKeyRow[] {
  const found = new Map<string, ForeignKeyRow>()
  for (const row of rows) {
    const { name: _, ...rest } = row
    const what = JSON.stringify(rest)
    if (!found.has(what)) found.set(what, row)
  }
  return [...found.values()]
}

/** Returns a table under its qualified name, as statements need it. */
export function liveTable(schema: string, row: CatalogueRow): SqlTable<LiveColumn> {
  const { name, columns, indexes } = row
  const leading = (methods: readonly string[]) =>
    new Set(indexes.filter(({ whole, method }) => whole && methods.includes(method)).map(({ columns }) => columns[0]))
  const [indexed, inverted] = [leading(['btree', 'hash']), leading(['gin'])]
  const live = (column: CatalogueColumn) =>
    liveColumn(column, { indexed: indexed.has(column.name), inverted: inverted.has(column.name) })
  return {
    path: [schema, name],
    columns: new Map(columns.map((column) => [column.name, live(column)])),
    rowKeys: rowKeys(row),
    inherited: row.inherited,
    // a statement that locks rows sees only the rows that a policy lets the user write
    lockable: row.stores && row.writable && !row.filtered,
  }
}

function rowKeys({ columns, indexes }: CatalogueRow): string[][] {
  const required = new Set(columns.filter(({ nullable }) => !nullable).map(({ name }) => name))
  return indexes
    .filter(
      ({ unique, whole, columns }) => unique && whole && columns.every((name) => name !== null && required.has(name)),
    )
    .map(({ columns }) => columns as string[])
}

/** Turns the rows of the catalogue query into the catalogue of the port. */
export function catalogueOf(schema: string, rows: readonly CatalogueRow[]): Catalogue {
  const byName = new Map(rows.map((row) => [row.name, row]))
  const columnOf = (row: CatalogueRow | undefined, name: string) => row?.columns.find((column) => column.name === name)
  /** Returns whether a foreign key is loose. One that leads to another schema is not followed, so it does not matter. */
  const isLooseIn = (row: CatalogueRow, { schema: other, collection, columns }: ForeignKeyRow) =>
    other === schema &&
    columns.some(([name, to]) => {
      const [column, key] = [columnOf(row, name), columnOf(byName.get(collection), to)]
      return !column || !key || isLoose(liveColumn(column), liveColumn(key))
    })
  const { collections } = assembleCatalogue({
    schema,
    collections: rows.map(({ name }) => name),
    columns: rows.flatMap(({ name, columns, indexes }) =>
      columns.map((column) => ({ collection: name, ...describedColumn(column), ...foldedIndex(column, indexes) })),
    ),
    keyParts: rows.flatMap(keyParts),
    foreignKeyParts: rows.flatMap((row) => foreignKeyParts(row, (key) => isLooseIn(row, key))),
    views: rows.flatMap(({ name, view }) => (view ? [{ collection: name, ...view }] : [])),
  })
  return {
    collections: collections.map((collection) => {
      const row = byName.get(collection.name)!
      const keys = incomingForeignKeys(row, schema)
      return {
        ...collection,
        ...(keys.length > 0 && { incomingForeignKeys: keys }),
        ...(row.filtered && { hidesRows: true as const }),
        ...(row.large && { large: true as const }),
        ...(row.inheritsFrom.length > 0 && { inheritsFrom: row.inheritsFrom }),
        ...(row.heldIn.length > 0 && { heldIn: row.heldIn }),
        ...(row.referencedBy !== null && { referencedBy: row.referencedBy }),
      }
    }),
  }
}

function foldedIndex(column: CatalogueColumn, indexes: readonly Index[]): Pick<Column, 'foldedIndex'> {
  const isServed = (by: (index: Index) => string | null | undefined) =>
    indexes.some((index) => index.whole && index.method === 'btree' && by(index) === column.name)
  if (isServed(({ anyBlanks }) => anyBlanks)) return { foldedIndex: 'case and blanks' }
  const folds = liveColumn(column).folds && isServed(({ columns }) => columns[0])
  return folds || isServed(({ anyCase }) => anyCase) ? { foldedIndex: 'case' } : {}
}

function incomingForeignKeys(row: CatalogueRow, described: string): IncomingForeignKey[] {
  const own = new Set(row.stores ? row.columns.map(({ name }) => name) : [])
  return [
    ...row.incomingForeignKeys.map(({ name, schema, collection, columns, ...key }) => ({
      name,
      ...(schema !== described && { schema }),
      collection,
      columns: columns.map(([column]) => column),
      references: columns.map(([, referenced]) => referenced),
      ...rulesOf(key),
      ...(!columns.every(([, referenced]) => own.has(referenced)) && { behind: true as const }),
    })),
    // only the other server knows which foreign keys refer to its table, so the server itself stands for them
    ...row.servers.map((server): IncomingForeignKey => {
      return { name: server, collection: server, columns: [], references: [], onDelete: 'cascade', behind: true }
    }),
  ]
}

function keyParts({ name, columns, indexes }: CatalogueRow): KeyPartRow[] {
  const arrays = new Set(columns.filter(({ isArray }) => isArray).map((column) => column.name))
  return indexes.flatMap((index) => {
    const parts = leadingColumns(index.columns)
    if (!index.whole || parts.length === 0) return []
    if (!index.unique && !findsKeys(index.method, arrays.has(parts[0]!))) return []
    const unique = index.unique && parts.length === index.columns.length
    const use = index.primary ? 'primary' : unique ? 'unique' : 'index'
    return parts.map((column, position) => ({ collection: name, key: index.name, use, column, position }))
  })
}

/** Returns the columns before the first expression of an index. Those after it are not used. */
function leadingColumns(columns: readonly (string | null)[]): string[] {
  const end = columns.indexOf(null)
  return (end < 0 ? columns : columns.slice(0, end)) as string[]
}

/** Returns whether an index finds rows by a key. Inverted indexes find elements of an array, block ranges no single key. */
function findsKeys(method: string, array: boolean): boolean {
  return array ? method === 'gin' : method === 'btree' || method === 'hash'
}

function foreignKeyParts(
  { name, foreignKeys }: CatalogueRow,
  isLooseKey: (key: ForeignKeyRow) => boolean,
): ForeignKeyPartRow[] {
  return foreignKeys.flatMap((key) =>
    key.columns.map(([column, referencedColumn], position) => ({
      collection: name,
      key: key.name,
      column,
      position,
      schema: key.schema,
      referencedCollection: key.collection,
      referencedColumn,
      ...rulesOf(key),
      loose: isLooseKey(key),
    })),
  )
}

function tuples(value: Value | undefined): readonly (readonly Value[])[] {
  return value as readonly (readonly Value[])[]
}
