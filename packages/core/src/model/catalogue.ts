import type { WriteLimit } from './collection-result.js'
import type { KeptCopy } from './kept-copy.js'
import type { ValueKind } from './value.js'

export interface Column {
  readonly name: string
  /** The server's own name of the type. Only people read it. */
  readonly type: string
  /**
   * `object` where the connector returns values as objects or as lists of objects. Fields of other columns have no
   * members.
   */
  readonly kind?: ValueKind
  /** True when a value is a list of `kind`. */
  readonly array?: boolean
  /** With `array`: other rows of a sample hold an object in the place of the list. */
  readonly orObject?: true
  /** The members of objects, or of the objects in a list, as far as they are known. Drafting describes them. */
  readonly members?: readonly Column[]
  readonly nullable: boolean
  /** The texts that the type of the column allows, such as those of an enumeration. */
  readonly values?: readonly string[]
  /** What most of its texts are in a sample, whatever its name says. */
  readonly holds?: 'email'
  /** Longest text in characters. */
  readonly length?: number
  /** True when the server computes the value, so that it cannot be written. */
  readonly generated?: boolean
  /**
   * A change of its row may change it as well: the server computes it from other columns, or writes the time of the last
   * change or the version of the row.
   */
  readonly rewritten?: true
  /** The spellings that an index finds besides the exact one: other case of letters, or also other outer blanks. */
  readonly foldedIndex?: 'case' | 'case and blanks'
  /** The server holds texts of the column equal that read differently: by case, accents or width. */
  readonly comparesLoosely?: true
}

export interface ForeignKey {
  readonly name: string
  readonly columns: readonly string[]
  /**
   * The columns it refers to, in the names that `describe` uses. `schema` is present only outside the described one.
   */
  readonly references: { readonly schema?: string; readonly collection: string; readonly columns: readonly string[] }
  readonly onDelete: 'no action' | 'restrict' | 'cascade' | 'set null' | 'set default'
  /** What happens to its rows when the row they refer to changes. Default: no action. */
  readonly onUpdate?: ForeignKey['onDelete']
  /**
   * The server may hold values of the key equal that read differently: by case, accents, blanks or the scale of a
   * number, or because the types at both ends differ. Only `Read.spelled` says which row refers to which.
   */
  readonly loose?: true
}

/**
 * A foreign key that leads to rows of this collection and appears in no `foreignKeys` of the catalogue. It belongs to a
 * table outside the described schema or to some partitions of a table, or it refers to a table whose rows this
 * collection only shows.
 */
export interface IncomingForeignKey {
  readonly name: string
  /** The schema of the table that has it. Present only outside the described schema. */
  readonly schema?: string
  readonly collection: string
  /** Columns of that table, in the order of `references`. */
  readonly columns: readonly string[]
  /** Columns of the collection it refers to. */
  readonly references: readonly string[]
  readonly onDelete: ForeignKey['onDelete']
  readonly onUpdate?: ForeignKey['onDelete']
  /**
   * It refers to a table behind this collection, such as the table that a view shows. `references` are columns of that
   * table, so the rows meant here cannot be determined.
   */
  readonly behind?: true
}

/** What holds rows of a collection in another schema, where a search and an erasure of the collection do not reach them. */
export interface Holder {
  readonly schema: string
  readonly collection: string
  /** A child is a table that inherits, also over others. A materialized view may read the collection over other views. */
  readonly as: 'child' | 'materialized view'
}

/** How a collection shows rows that lie elsewhere. */
export interface ViewOf {
  /** Its rows can be changed and deleted. */
  readonly writable: boolean
  /**
   * The tables it reads, with other views resolved. Tables outside the described schema read `schema.table`. Absent for
   * a table of another server, whose rows are found nowhere else.
   */
  readonly shows?: readonly string[]
  /** It is a materialized view: it keeps its rows until it is refreshed. */
  readonly stored?: true
}

/** The column by which a server divides a table, so that a statement that limits it reads a part of the table only. */
export interface Partition {
  /** It may be one that `columns` does not list, such as the time at which a row came. */
  readonly column: string
  readonly kind: 'date' | 'timestamp' | 'integer'
  /** The server refuses statements that do not limit the column. */
  readonly required: boolean
}

/** One live table or document collection. Key parts are in the server's order. */
export interface CatalogueCollection {
  readonly name: string
  readonly columns: readonly Column[]
  /** True when rows may hold more columns than `columns` lists (document stores). */
  readonly schemaless?: boolean
  /** How many documents `columns` and their members were drawn from, besides what a schema names. */
  readonly sampled?: number
  readonly primaryKey: readonly string[]
  /** Unconditional unique keys except the primary key. */
  readonly uniqueKeys: readonly (readonly string[])[]
  /**
   * Paths that may be null in one row only: those of unique indexes that take null for a value like any other. In other
   * unique keys null equals nothing.
   */
  readonly nullOnce?: readonly (readonly string[])[]
  /**
   * Whether the server enforces these keys. Where it does not, they say what is meant to be unique, and nothing is.
   * Default: what the capability `enforcedKeys` of the connector says.
   */
  readonly keysEnforced?: boolean
  readonly foreignKeys: readonly ForeignKey[]
  /**
   * Foreign keys that refer to this collection and are in no `foreignKeys` of the catalogue: those of tables in other
   * schemas, those that refer to a table behind this collection, such as the one a view shows, and those that only some
   * partitions have.
   */
  readonly incomingForeignKeys?: readonly IncomingForeignKey[]
  /**
   * The foreign keys by which a deletion cascades to rows that refer to this collection, in a text of the connector.
   * `Erase.referencedBy` hands it back.
   */
  readonly referencedBy?: string
  /**
   * Set where the user of the connection may not be told of every foreign key that refers to this collection: what to grant, as a
   * sentence.
   */
  readonly referencesUnknown?: string
  /** It shows rows that lie elsewhere: a view, or a table of another server. */
  readonly view?: ViewOf
  /**
   * Why none of its rows can be changed or deleted, although they lie here: a sentence with its point, or several. An erasure
   * that is to write here ends before it writes anything.
   */
  readonly unwritable?: string
  /**
   * What this table alone lacks to protect writes, such as one whose engine has no transactions. An `erase` of its rows then does
   * as for a connector without that capability.
   */
  readonly writeLimits?: readonly WriteLimit[]
  /**
   * Tables that it inherits from and whose rows do not include its own. Those outside the described schema read
   * `schema.table`.
   */
  readonly inheritsFrom?: readonly string[]
  /** Tables of other schemas that inherit from it, and materialized views there that read it. Each is named once. */
  readonly heldIn?: readonly Holder[]
  /** The server may hide rows from the user of the connection, or mask values. These are neither found nor erased. */
  readonly hidesRows?: true
  /** The user may not ask which policies there are, so `hidesRows` is only assumed. */
  readonly policiesUnknown?: true
  /** The table whose rows it was made from, as they were at a time: a snapshot, or a clone. Changes there do not reach it. */
  readonly copyOf?: string
  /**
   * What else keeps rows of it as they were: clones of it, streams of its changes, a history that the server writes and never
   * ends, continuous aggregates, compressed parts of the table itself, triggers that may copy old values, and columns that lead to
   * large objects. Names of other schemas have them in front.
   */
  readonly keptIn?: readonly KeptCopy[]
  /**
   * For how many days after a row is changed or deleted the server keeps its old values, in a history that can be queried
   * and in backups of its own together. Absent where it keeps none.
   */
  readonly keepsHistoryDays?: number
  /** Set where the connector honours a `filter` over this column in every call. */
  readonly partition?: Partition
  /** It has too many rows for a search that looks at each: some 10,000, by the server's own estimate. */
  readonly large?: true
  /**
   * The columns by which its rows can be looked up: a search that is handed values of none of them is refused. Absent: rows can be
   * searched by every column.
   */
  readonly lookups?: readonly string[]
  /** Columns of each index, leading column first, primary and unique keys included. */
  readonly indexes: readonly (readonly string[])[]
}

export interface Catalogue {
  readonly collections: readonly CatalogueCollection[]
  /** What the user of the connection may not be told of: copies that `keptIn` would name. */
  readonly unasked?: readonly ('clone' | 'stream')[]
  /** The schema that the collections lie in, where the database has several. */
  readonly schema?: string
  /** Its other schemas that have tables or views. This connection reads nothing there. */
  readonly otherSchemas?: readonly string[]
}

/** The keys of a live table that no two rows share: those that its server enforces. */
export function enforcedKeys(live: CatalogueCollection | undefined): readonly (readonly string[])[] {
  if (!live || live.keysEnforced === false) return []
  return [live.primaryKey, ...live.uniqueKeys].filter((key) => key.length > 0)
}

/** Whether a second row that becomes NULL at the path would be refused. */
export function isNullOnce(live: CatalogueCollection | undefined, path: readonly string[]): boolean {
  return live?.nullOnce?.some((each) => each.join('\0') === path.join('\0')) ?? false
}
