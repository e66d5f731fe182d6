import {
  type Catalogue,
  type CatalogueCollection,
  type Column,
  isTypedText,
  type Value,
  type ValueKind,
} from '@habeas/core'

/** A row as it would lie in the database; tests may change it in place. */
export interface MemoryRow {
  [column: string]: Value
}

/** A column of a live table. `type` defaults to the kind, `nullable` to true unless the primary key holds it. */
export type MemoryColumn = Pick<Column, 'name'> & Partial<Column>

/** A rule of a table that every written row has to meet, like a CHECK of a server. */
export interface MemoryCheck {
  readonly name: string
  /** Should be true for a row with a null that leaves the answer open: servers accept such a row. */
  readonly holds: (row: MemoryRow) => boolean
}

/**
 * A table, or a document collection when `schemaless`; members that are left out are empty. `onUpdate` of foreign keys
 * is described but not carried out: changing a referenced key is refused.
 */
export interface MemoryCollection extends Partial<Omit<CatalogueCollection, 'name' | 'columns'>> {
  /** Default: the columns of the rows, each with the kind that all its values share. */
  readonly columns?: readonly MemoryColumn[]
  /** Rules of `erase` that the catalogue does not show. */
  readonly checks?: readonly MemoryCheck[]
  rows: MemoryRow[]
}

/** Live tables by name. */
export interface MemoryDatabase {
  [collection: string]: MemoryCollection
}

const kindOf = (value: Value): ValueKind => {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return typeof value as 'string' | 'boolean'
    case 'bigint':
      return 'integer'
    case 'number':
      return Number.isInteger(value) ? 'integer' : 'float'
    default:
      return isTypedText(value) ? value.type : 'object'
  }
}

const inferColumn = (name: string, rows: readonly MemoryRow[]): MemoryColumn => {
  const values = rows.map((row) => row[name] ?? null).filter((value) => value !== null)
  const array = values.length > 0 && values.every((value) => Array.isArray(value))
  const kinds = new Set((array ? values.flat() : values).map((value) => kindOf(value as Value)))
  if (kinds.has('float')) kinds.delete('integer')
  const [kind] = kinds
  return { name, ...(kinds.size === 1 && kind !== undefined && { kind }), ...(array && { array }) }
}

const columnsOf = ({ columns, rows }: MemoryCollection): readonly MemoryColumn[] =>
  columns ?? [...new Set(rows.flatMap((row) => Object.keys(row)))].map((name) => inferColumn(name, rows))

/** The live columns, with defaults for members that are left out. */
export const liveColumns = (collection: MemoryCollection): Column[] =>
  columnsOf(collection).map((column) => ({
    type: column.kind ?? 'unknown',
    nullable: !collection.primaryKey?.includes(column.name),
    ...column,
  }))

/** The cascading foreign keys that lead to a collection. */
export const referencedBy = (database: MemoryDatabase, to: string): string =>
  Object.entries(database)
    .flatMap(([name, { foreignKeys = [] }]) =>
      foreignKeys.flatMap(({ columns, references, onDelete }) =>
        references.collection === to && /cascade|set/.test(onDelete) ? [`${name}.${columns} ${onDelete}`] : [],
      ),
    )
    .sort()
    .join()

const describeCollection = (database: MemoryDatabase, name: string): CatalogueCollection => {
  const { rows: _, checks: __, columns: ___, ...rest } = database[name]!
  const { primaryKey = [], uniqueKeys = [], foreignKeys = [], indexes = [] } = rest
  const keys = [primaryKey, ...uniqueKeys].filter((key) => key.length > 0)
  return {
    ...(rest.schemaless ? {} : { referencedBy: referencedBy(database, name) }),
    ...rest,
    ...{ name, primaryKey, uniqueKeys, foreignKeys },
    columns: liveColumns(database[name]!),
    indexes: [...keys, ...indexes],
  }
}

/** The live schema of a database in memory. */
export const describeDatabase = (database: MemoryDatabase): Catalogue => ({
  collections: Object.keys(database).map((name) => describeCollection(database, name)),
})

/** Whether a read may name this column: any column of a document store, else the columns of the table. */
export const hasColumn = (collection: MemoryCollection, name: string): boolean =>
  collection.schemaless === true || columnsOf(collection).some((column) => column.name === name)
