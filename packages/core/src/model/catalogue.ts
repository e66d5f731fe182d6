import type { ValueKind } from './value.js'

export interface Column {
  readonly name: string
  /** The server's own name of the type, shown to people only. */
  readonly type: string
  /** `object` where values are handed over as objects, or as lists of them: fields have members in no other column. */
  readonly kind?: ValueKind
  /** True when a value is a list of `kind`. */
  readonly array?: boolean
  readonly nullable: boolean
  /** The only texts it may hold, where the type of the column lists them: those of an enumeration. */
  readonly values?: readonly string[]
  /** Longest text in characters. */
  readonly length?: number
  /** True when the server computes the value, so that it cannot be written. */
  readonly generated?: boolean
  /** What an index serves that finds other spellings: the case of letters does not count, or neither that nor outer blanks. */
  readonly foldedIndex?: 'case' | 'case and blanks'
}

export interface ForeignKey {
  readonly name: string
  readonly columns: readonly string[]
  /** Where it points, in the names `describe` uses; `schema` only when outside the described one. */
  readonly references: { readonly schema?: string; readonly collection: string; readonly columns: readonly string[] }
  readonly onDelete: 'no action' | 'restrict' | 'cascade' | 'set null' | 'set default'
  /** What becomes of its rows when what they point to changes. Default: no action. */
  readonly onUpdate?: ForeignKey['onDelete']
  /**
   * Its server may take values for the same key that read differently: by case, accents or blanks, by the scale of a number, or
   * because the types at its ends differ. What points where is told by `Read.spelled` alone.
   */
  readonly loose?: true
}

/**
 * A foreign key that reaches rows here though no `foreignKeys` of the catalogue says so: of a table outside the described
 * schema, of some partitions of a table, or to a table whose rows this one only shows.
 */
export interface IncomingForeignKey {
  readonly name: string
  /** Where the table lies that has it; only when outside the described schema. */
  readonly schema?: string
  readonly collection: string
  /** Columns of that table, part by part of `references`. */
  readonly columns: readonly string[]
  /** Columns of the collection it points to. */
  readonly references: readonly string[]
  readonly onDelete: ForeignKey['onDelete']
  readonly onUpdate?: ForeignKey['onDelete']
  /**
   * It points to a table behind this one, as those of a view do: `references` are columns there, so that nobody can tell
   * which rows here are meant.
   */
  readonly behind?: true
}

/** How a collection shows rows that lie elsewhere. */
export interface ViewOf {
  /** Its rows can be changed and deleted. */
  readonly writable: boolean
  /**
   * The tables it reads, other views resolved, those outside the described schema as `schema.table`. Absent for a table of
   * another server, whose rows are found nowhere else.
   */
  readonly shows?: readonly string[]
  /** It keeps what it has shown until somebody refreshes it: a materialized view. */
  readonly stored?: true
}

/** One live table or document collection. Key parts are in the server's order. */
export interface CatalogueCollection {
  readonly name: string
  readonly columns: readonly Column[]
  /** True when rows may hold more than `columns` lists (document stores). */
  readonly schemaless?: boolean
  readonly primaryKey: readonly string[]
  /** Unconditional unique keys other than the primary one. */
  readonly uniqueKeys: readonly (readonly string[])[]
  readonly foreignKeys: readonly ForeignKey[]
  /**
   * Foreign keys of tables in other schemas that point here, those that point to what is read through this one, such as
   * the table that a view shows, and those that only some partitions have. All others stand at the tables that have them.
   */
  readonly incomingForeignKeys?: readonly IncomingForeignKey[]
  /**
   * The foreign keys by which a deletion is carried on to rows that point here, in the connector's own words: what
   * `Erase.referencedBy` hands back.
   */
  readonly referencedBy?: string
  /** It shows rows that lie elsewhere: a view, or a table of another server. */
  readonly view?: ViewOf
  /** Tables of the described schema that it inherits from, and whose rows do not include its own. */
  readonly inheritsFrom?: readonly string[]
  /** The server may hide rows from the user of the connection: these are neither found nor erased. */
  readonly hidesRows?: true
  /** It has more rows than a search should look at one by one: some 10,000, as far as the server knows without counting. */
  readonly large?: true
  /** Columns of each index, leading column first, primary and unique keys included. */
  readonly indexes: readonly (readonly string[])[]
}

export interface Catalogue {
  readonly collections: readonly CatalogueCollection[]
}
