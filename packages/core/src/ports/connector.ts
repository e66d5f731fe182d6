import type { Catalogue } from '../model/catalogue.js'
import type { Value, ValueKind } from '../model/value.js'

/** One column of key values: plain values, or packed numbers where every value is one. */
export type KeyColumn = ArrayLike<Value> & Iterable<Value>

/** One field a read is entered by; `path` leads through objects and arrays, `path[0]` is the column. */
export interface KeyField {
  readonly path: readonly string[]
  readonly kind?: ValueKind
  /** Both sides are compared lower-cased, by the server. */
  readonly caseInsensitive?: boolean
  /** Beside that, what is compared of the column is without the spaces, tabs and line ends around it. Keys have none. */
  readonly trimmed?: boolean
}

/** Columns that point to a key over a live foreign key, or those of that key itself, and the key. */
export interface SpelledKey {
  readonly columns: readonly string[]
  /** What is pointed to, part by part. */
  readonly as: { readonly collection: string; readonly columns: readonly string[] }
}

/**
 * One alternative of a read: rows whose `fields` hold, all together, one of the tuples.
 * Tuple `i` is `values[0][i], values[1][i], …`; every column of `values` has the same length.
 */
export interface KeyGroup {
  readonly fields: readonly KeyField[]
  readonly values: readonly KeyColumn[]
  /**
   * The values of the only field once more, where all are UUIDs: 16 bytes each, one after the other. Whoever sends these
   * need not look at `values`, which are made only when somebody does.
   */
  readonly uuids?: Uint8Array | undefined
  /**
   * The values were read from these very columns and stand for all of what they hold, lists and documents included; null
   * equals null. They are compared as `Erase.keys` are. Only where the connector erases.
   */
  readonly whole?: true
  /**
   * The fields are columns of a `SpelledKey`, and the values texts as `Read.spelled` gives them. Rows that point to one of these
   * MUST be met, however they spell it, and no others, also by `erase`.
   */
  readonly spelledAs?: SpelledKey['as']
  /** Equalities that must hold as well (`when` of a reference). */
  readonly when?: readonly { readonly path: readonly string[]; readonly equals: string | number | boolean }[]
}

/** Plain data, never a statement. An empty `anyOf` is not a read: callers send none. */
export interface Read {
  readonly collection: string
  /** Top-level columns, in the order in which each row gives their values. */
  readonly columns: readonly string[]
  readonly anyOf: readonly KeyGroup[]
  /**
   * Keys of foreign keys that are `loose`. Behind its columns a row MUST give for each of them, part by part, the exact text of
   * the key that it points to as the row there holds it: one text for all that the server takes for that key. null where it
   * points to nothing. Such a text MUST name the key when it comes back in a group.
   */
  readonly spelled?: readonly SpelledKey[]
}

/** Values in the order of `Read.columns`, and those of `Read.spelled`; `undefined` where a document lacks the member. */
export type Row = readonly (Value | undefined)[]

/** Rows named by their whole keys, and what becomes of them. Plain data, never a statement. */
export interface Erase {
  readonly collection: string
  /** Columns whose values, together, name a row. */
  readonly key: readonly string[]
  /**
   * Row `i` is `keys[0][i], keys[1][i], …`, null and zero included; no two are the same, and they come sorted. One that
   * cannot be sent as it was read MUST be refused with `unsupported` (`reason` `unbound_key`), in a read as well.
   */
  readonly keys: readonly (readonly Value[])[]
  /**
   * Set where `key` is not known to be unique: how many rows the keys name, equal ones counted as often as they exist.
   * Keys are compared null-safe then.
   */
  readonly rows?: number
  /** What a row must still hold, at least one of these, to be touched. */
  readonly anyOf: readonly KeyGroup[]
  /** What each column becomes, or that the rows go. */
  readonly set: readonly Assignment[] | 'delete'
  /** Set where others may have come to point to the rows: who points to them is counted in the transaction that writes. */
  readonly pointers?: readonly MostPointers[]
  /** Rows that say whose those of the batch are: they are held while the batch is written. */
  readonly unchanged?: readonly UnchangedRows[]
  /** Set where rows go: what the catalogue said of the foreign keys that carry a deletion on. */
  readonly referencedBy?: string
}

/** Rows of a collection that hold what they held when they were read. Each entry carries at most as many tuples as a read. */
export interface UnchangedRows {
  readonly collection: string
  /** Always `whole`. */
  readonly group: KeyGroup
  /** How many rows hold one of the tuples, at the least. */
  readonly rows: number
}

/** Rows that point to those of a batch, and how many of them may. Each entry carries at most as many tuples as a read. */
export interface MostPointers {
  readonly count: CountEach
  /** By tuple of the group, in their order: how many rows may hold it. */
  readonly most: readonly number[]
}

/** What becomes of one column: the same in every row, or one value a row in the order of the keys. */
export type Assignment =
  | { readonly column: string; readonly to: Value }
  | {
      readonly column: string
      readonly toEach: readonly Value[]
      /**
       * For columns that hold objects or lists: what each row held when it was read. Only members that differ are written,
       * and only while the list they lie in, or the member itself, is still what it was.
       */
      readonly was?: readonly Value[]
    }

/** Tuples of which it is asked how many rows hold each. Plain data, never a statement. */
export interface CountEach {
  readonly collection: string
  readonly group: KeyGroup
  /**
   * Set where the fields are a live foreign key: the columns it points to, part by part. Tuples are values of these and
   * MUST be compared as the server compares them for that key, however loosely: never fewer rows than it would reach.
   * MUST reject with `unsupported` where that cannot be done.
   */
  readonly references?: { readonly collection: string; readonly columns: readonly string[] }
}

/** Rows to be counted, never read. Plain data, never a statement. Each list of groups carries as many keys as a read may. */
export interface CountRows {
  readonly collection: string
  /** Rows that meet at least one group; an empty list: none. */
  readonly anyOf: readonly KeyGroup[]
  /** Rows that meet one of these are left out. A comparison with NULL meets nothing. */
  readonly noneOf?: readonly KeyGroup[]
  /**
   * Fields that must hold nothing: NULL, absent, text of blanks only (those of Unicode), or one of the placeholders. A list
   * holds nothing where none of its elements does.
   */
  readonly empty?: readonly EmptyField[]
}

/** A placeholder is compared in the live type of the field; with text, a number also as the number that it writes. */
export interface EmptyField {
  readonly path: readonly string[]
  readonly placeholders?: readonly (string | number | boolean)[]
}

export interface CallOptions {
  readonly signal?: AbortSignal
}

/** An open link to one database. Methods may be called at the same time, up to `concurrency` of them. */
export interface Connection {
  /** How many calls may usefully run at once (the size of its pool). */
  readonly concurrency: number
  /** MUST ask the server something trivial, and reject with `connection_failed` saying what to mend. */
  ping(options?: CallOptions): Promise<void>
  /** MUST list every table the connection's schema holds, described by a dataset or not. */
  describe(options?: CallOptions): Promise<Catalogue>
  /**
   * Rows that meet at least one group, each once, in batches.
   *
   * MUST stream from a cursor, holding one or two batches sized by bytes, not by rows.
   * MUST bind values in the live type of their column; MAY return more rows than asked (the caller compares again),
   * never fewer. MUST yield times as RFC 3339 text, decimals and integers beyond 2^53 as text, bytes as base64.
   * MUST reject with `connection_failed` (`reason` `statement_timeout`, `missing_collection`, `missing_column`, …).
   * MUST release the cursor when the consumer stops early or `signal` aborts.
   */
  read(read: Read, options?: CallOptions): AsyncIterable<readonly Row[]>
  /**
   * For each, in their order, how many rows it gives. MUST ask in one statement where the server can. Nobody compares
   * again: MUST compare exactly where the server can, which a `read` need not. MUST reject as `read` does, naming the
   * collection or the column that is missing.
   */
  count(counts: readonly CountRows[], options?: CallOptions): Promise<readonly number[]>
  /** For each tuple of the group, in their order, how many rows hold it. MUST be there where `erase` is. */
  countEach?(read: CountEach, options?: CallOptions): Promise<number[]>
  /**
   * Writes one batch: every row or, when it rejects, none. Absent where the connector only reads.
   *
   * MUST touch a row only if it holds one of the keys and meets one of the groups, compared exactly where the server
   * would compare loosely, but for what a foreign key points to (`spelledAs`). MUST leave null as it is, whatever a column
   * becomes. MUST touch nothing and reject with `unsupported` (`reason` `ambiguous_rows`) when more rows hold the keys than
   * there are keys, or another number than `rows`, whether or not they meet a group. MUST repeat a batch that the server
   * ended because of a deadlock. MUST reject with `connection_failed` (`reason` `refused`, with the `constraint` and the
   * `column` where the server names them) when a rule of the database refuses the new values, and MUST NOT repeat a value.
   * Rows that are no longer there are no failure.
   *
   * With `pointers` it MUST first lock the rows that hold the keys, in the order of the keys and so that a row which comes to
   * point to them over a foreign key waits; MUST then count each entry as `countEach` does, in the same transaction, with all
   * that others have committed by then; and MUST touch nothing and reject with `connection_failed` (`reason` `shared_since`,
   * `position` of the first such entry, and by how many `rows` its tuples are beyond what they may) when a tuple is held by
   * more rows than its `most`.
   *
   * With `unchanged` it MUST see, in the same transaction and before it locks anything else, that so many rows hold what they
   * held, and keep others from changing them until it ends, where the server lets it; otherwise it MUST touch nothing and reject
   * with `connection_failed` (`reason` `changed_since`).
   *
   * With `referencedBy` it MUST touch nothing and reject with `connection_failed` (`reason` `referenced_since`) when the catalogue
   * would say something else now, and MUST keep others from changing that before the batch has taken effect.
   *
   * With `rollBack` it does all that and takes it back.
   */
  erase?(erase: Erase, options?: { readonly rollBack?: boolean }): Promise<void>
  /** MUST end what is running and free every socket. MAY be called twice. */
  close(): Promise<void>
}

export interface ConnectorCapabilities {
  /** Most key tuples one read may carry. */
  readonly maxKeys: number
  /** The same where no index serves the keys, so that a table need not be scanned again and again. Default: `maxKeys`. */
  readonly maxKeysWithoutIndex?: number
  /** True when rows hold objects and arrays that keys may lie in. */
  readonly nestedFields: boolean
  /** Most rows one `erase` may name. Absent where the connector only reads. */
  readonly maxErased?: number
}

/** One kind of database. Write one with `defineConnector`. */
export interface Connector<Type extends string = string> {
  readonly type: Type
  readonly category: 'database' | 'saas'
  readonly capabilities: ConnectorCapabilities
  /** MUST reject unknown members and MUST NOT repeat a value in its message. */
  parseSecrets(input: unknown): unknown
  /** Opens lazily: MUST NOT fail because the server is away; the first call does. */
  connect(secrets: unknown): Promise<Connection>
}
