import type { Catalogue, ForeignKey, IncomingForeignKey, Value } from '@habeas/core'
import { assembleCatalogue, type ForeignKeyPartRow, type KeyPartRow, type SqlTable } from '@habeas/sql'
import { type CatalogueColumn, describedColumn, type LiveColumn, liveColumn } from './live-column.js'

/** One row of the catalogue query, its JSON parsed. */
export interface CatalogueRow {
  readonly name: string
  readonly columns: readonly CatalogueColumn[]
  readonly indexes: readonly Index[]
  readonly foreignKeys: readonly ForeignKeyRow[]
  readonly incomingForeignKeys: readonly ForeignKeyRow[]
  /** True when other tables inherit from it: no key of its own reaches their rows. */
  readonly inherited: boolean
}

interface Index {
  readonly name: string
  readonly primary: boolean
  readonly unique: boolean
  /** Covers every row and is ready for use. */
  readonly whole: boolean
  readonly method: string
  /** null stands for an expression. */
  readonly columns: readonly (string | null)[]
}

interface ForeignKeyRow {
  readonly name: string
  readonly schema: string
  readonly collection: string
  readonly onDelete: string
  readonly columns: readonly (readonly [string, string])[]
}

const deleteRules: Readonly<Record<string, ForeignKey['onDelete']>> = {
  a: 'no action',
  r: 'restrict',
  c: 'cascade',
  n: 'set null',
  d: 'set default',
}

/** Gives the positions of the query's JSON their names. */
export function catalogueRow([name, columns, indexes, foreignKeys, incoming, inherited]: readonly (
  | Value
  | undefined
)[]): CatalogueRow {
  return {
    name: name as string,
    columns: tuples(columns).map(
      ([name, type, typeSchema, typeName, labels, isArray, modifier, nullable, generated, deterministic]) =>
        ({ name, type, typeSchema, typeName, labels, isArray, modifier, nullable, generated, deterministic }) as never,
    ),
    indexes: tuples(indexes).map(
      ([name, primary, unique, whole, method, columns]) => ({ name, primary, unique, whole, method, columns }) as never,
    ),
    foreignKeys: tuples(foreignKeys).map(foreignKeyRow),
    incomingForeignKeys: tuples(incoming).map(foreignKeyRow),
    inherited: inherited as boolean,
  }
}

function foreignKeyRow([name, schema, collection, onDelete, columns]: readonly Value[]): ForeignKeyRow {
  return { name, schema, collection, onDelete, columns } as never
}

/** A table under its qualified name, as statements over it need it. */
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
  }
}

function rowKeys({ columns, indexes, inherited }: CatalogueRow): string[][] {
  if (inherited) return []
  const required = new Set(columns.filter(({ nullable }) => !nullable).map(({ name }) => name))
  return indexes
    .filter(
      ({ unique, whole, columns }) => unique && whole && columns.every((name) => name !== null && required.has(name)),
    )
    .map(({ columns }) => columns as string[])
}

/** The rows of the catalogue query as the port describes them. */
export function catalogueOf(schema: string, rows: readonly CatalogueRow[]): Catalogue {
  const { collections } = assembleCatalogue({
    schema,
    collections: rows.map(({ name }) => name),
    columns: rows.flatMap(({ name, columns }) =>
      columns.map((column) => ({ collection: name, ...describedColumn(column) })),
    ),
    keyParts: rows.flatMap(keyParts),
    foreignKeyParts: rows.flatMap(foreignKeyParts),
  })
  const incoming = new Map(rows.map(({ name, incomingForeignKeys }) => [name, incomingForeignKeys]))
  return {
    collections: collections.map((collection) => {
      const keys = incoming.get(collection.name) ?? []
      return keys.length === 0 ? collection : { ...collection, incomingForeignKeys: keys.map(incomingForeignKey) }
    }),
  }
}

function incomingForeignKey({ name, schema, collection, onDelete, columns }: ForeignKeyRow): IncomingForeignKey {
  return {
    name,
    schema,
    collection,
    columns: columns.map(([column]) => column),
    references: columns.map(([, referenced]) => referenced),
    onDelete: deleteRules[onDelete] ?? 'no action',
  }
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

/** Behind an expression an index is of no use to us. */
function leadingColumns(columns: readonly (string | null)[]): string[] {
  const end = columns.indexOf(null)
  return (end < 0 ? columns : columns.slice(0, end)) as string[]
}

/** Inverted indexes find the elements of an array, block ranges find no single key. */
function findsKeys(method: string, array: boolean): boolean {
  return array ? method === 'gin' : method === 'btree' || method === 'hash'
}

function foreignKeyParts({ name, foreignKeys }: CatalogueRow): ForeignKeyPartRow[] {
  return foreignKeys.flatMap((key) =>
    key.columns.map(([column, referencedColumn], position) => ({
      collection: name,
      key: key.name,
      column,
      position,
      schema: key.schema,
      referencedCollection: key.collection,
      referencedColumn,
      onDelete: deleteRules[key.onDelete] ?? 'no action',
    })),
  )
}

function tuples(value: Value | undefined): readonly (readonly Value[])[] {
  return value as readonly (readonly Value[])[]
}
