import type { Catalogue } from '../model/catalogue.js'
import type { RowFilter } from '../model/row-filter.js'
import type { Value, ValueKind } from '../model/value.js'
import type { CallOptions, EraseOptions } from './call-options.js'
import type { ConnectorCapabilities, LackingCapability } from './connector-capabilities.js'
import type { Estimate, Estimated } from './estimate.js'

/** One column of key values: plain values, or packed numbers where every value is one. */
export type KeyColumn = ArrayLike<Value> & Iterable<Value>

/** One field through which a read enters; `path` leads through objects and arrays, `path[0]` is the column. */
export interface KeyField {
  readonly path: readonly string[]
  readonly kind?: ValueKind
  /** The case of ASCII letters does not count. A `read` MAY fold more letters, as `lower` of most servers does. */
  readonly caseInsensitive?: boolean
  /** The server also ignores spaces, tabs and line ends around the column's text. Keys have none. */
  readonly trimmed?: boolean
}

/** The columns of a live foreign key, or the columns of the key that it refers to, and that key. */
export interface SpelledKey {
  readonly columns: readonly string[]
  /** The columns of the key that the foreign key refers to, part by part. */
  readonly as: { readonly collection: string; readonly columns: readonly string[] }
}

/**
 * One alternative of a read: rows whose `fields`, taken together, hold one of the tuples. Tuple `i` is `values[0][i],
 * values[1][i], …`; every column of `values` has the same length.
 */
export interface KeyGroup {
  readonly fields: readonly KeyField[]
  readonly values: readonly KeyColumn[]
  /**
   * The values of the only field once more, when all are UUIDs: 16 bytes each, one after the other. A connector that
   * sends these need not look at `values`; those are only made when they are read.
   */
  readonly uuids?: Uint8Array | undefined
  /**
   * The values were read from these very columns and stand for everything those hold, lists and documents included;
   * null equals null. They are compared as `Erase.keys` are. Only sent to connectors that erase.
   */
  readonly exact?: true
  /**
   * The fields are columns of a `SpelledKey`, and the values are texts as `Read.spelled` gives them. The connector MUST
   * meet every row that refers to one of these keys, however the row spells it, and no other row. The same holds for
   * `erase`. In a `count`, columns with `comparesLoosely` are also spelled as themselves, without a foreign key.
   */
  readonly spelledAs?: SpelledKey['as']
  /** Equalities that must hold as well (`when` of a reference). */
  readonly when?: readonly { readonly path: readonly string[]; readonly equals: string | number | boolean }[]
}

/** Plain data, never a statement. An empty `anyOf` is not a read; callers do not send one. */
export interface Read {
  readonly collection: string
  /** Top-level columns, in the order in which each row gives their values. */
  readonly columns: readonly string[]
  readonly anyOf: readonly KeyGroup[]
  readonly filter?: RowFilter
  /**
   * Keys of foreign keys that are `loose`. After its columns a row MUST give, for each of them and part by part, the
   * exact text of the key that it refers to, as the row with that key spells it: one text for all values that the
   * server takes for that key. MUST give null where the row refers to nothing. Such a text MUST name the key when it
   * comes back in a group.
   */
  readonly spelled?: readonly SpelledKey[]
}

/**
 * Values in the order of `Read.columns`, then those of `Read.spelled`; `undefined` where a document lacks the member.
 */
export type Row = readonly (Value | undefined)[]

/** Rows named by their keys, and what happens to them. Plain data, never a statement. */
export interface Erase {
  readonly collection: string
  /** Columns whose values, together, name a row. */
  readonly key: readonly string[]
  /**
   * Row `i` is `keys[0][i], keys[1][i], …`, null and zero included. No two are the same, and they come sorted. A key
   * that cannot be sent as it was read MUST be refused with `unsupported` (`reason` `unbound_key`), in a read as well.
   */
  readonly keys: readonly (readonly Value[])[]
  /**
   * Set where `key` is not known to be unique: the number of rows that the keys name, equal rows counted as often as
   * they exist. Keys are then compared null-safe.
   */
  readonly rows?: number
  /** Only rows that still meet at least one of these groups are touched. */
  readonly anyOf: readonly KeyGroup[]
  readonly filter?: RowFilter
  /** The new value of each column, or `delete` to delete the rows. */
  readonly set: readonly Assignment[] | 'delete'
  /**
   * Set where other people's rows may have come to refer to these rows: the transaction that writes counts the
   * references.
   */
  readonly pointers?: readonly MostPointers[]
  /** Rows that decide who owns the rows of the batch. They are locked while the batch is written. */
  readonly unchanged?: readonly UnchangedRows[]
  /** Set where rows are deleted: the cascading foreign keys that the catalogue named. */
  readonly referencedBy?: string
}

/** Rows of a collection that hold the values that were read. Each entry carries at most as many tuples as a read. */
export interface UnchangedRows {
  readonly collection: string
  /** Always `exact`. */
  readonly group: KeyGroup
  readonly filter?: RowFilter
  /** The least number of rows that hold one of the tuples. */
  readonly rows: number
}

/**
 * Rows that refer to those of a batch, and how many of them there may be. Each entry carries at most as many tuples as
 * a read.
 */
export interface MostPointers {
  readonly count: CountEach
  /** How many rows may hold each tuple of the group, in their order. */
  readonly most: readonly number[]
}

/** The new value of one column: the same in every row, or one value per row in the order of the keys. */
export type Assignment =
  | { readonly column: string; readonly to: Value }
  | {
      readonly column: string
      readonly toEach: readonly Value[]
      /**
       * For columns that hold objects or lists: what each row held when it was read. Only members that differ are
       * written, and only while the member, or the list that contains it, still has its old value.
       */
      readonly was?: readonly Value[]
    }

/** Tuples whose rows are counted, tuple by tuple. Plain data, never a statement. */
export interface CountEach {
  readonly collection: string
  readonly group: KeyGroup
  readonly filter?: RowFilter
  /**
   * Set where the fields are a live foreign key: the columns it refers to, part by part. Tuples are values of these
   * columns. They MUST be compared as the server compares them for that key, however loosely: never fewer rows than the
   * key would reach. MUST reject with `unsupported` where that cannot be done.
   */
  readonly references?: { readonly collection: string; readonly columns: readonly string[] }
  /**
   * Set where texts refer to numbers without a foreign key: the kinds of the columns they refer to, part by part. Where the server
   * compares a text with a number by the number that the text is, so that `01` equals 1, it MUST NOT count fewer rows than that.
   */
  readonly keyKinds?: readonly (ValueKind | undefined)[]
}

/**
 * Rows to count, never to read. Plain data, never a statement. Each list of groups carries as many keys as a read may.
 */
export interface CountRows {
  readonly collection: string
  /** Rows that meet at least one group. An empty list counts none. */
  readonly anyOf: readonly KeyGroup[]
  readonly filter?: RowFilter
  /** Rows that meet one of these are left out. A comparison with NULL meets nothing. */
  readonly noneOf?: readonly KeyGroup[]
  /**
   * Fields that must be empty: NULL, absent, blank text (Unicode blanks included), or one of the placeholders. A list
   * is empty when all its elements are.
   */
  readonly empty?: readonly EmptyField[]
}

/**
 * A placeholder is compared in the live type of the field; text that writes a number is also compared as that number.
 */
export interface EmptyField {
  readonly path: readonly string[]
  readonly placeholders?: readonly (string | number | boolean)[]
}

/** An open link to one database. Methods may be called at the same time, up to `concurrency` of them. */
export interface Connection {
  /** How many calls may usefully run at once (the size of its pool). */
  readonly concurrency: number
  /**
   * What this database cannot do although its connector can, such as a MongoDB server that stands alone. MUST be known
   * once `describe` has resolved. Absent: nothing. Where it names `fencing`, `endWrites` does nothing.
   */
  lacks?(): readonly LackingCapability[]
  /** MUST ask the server something trivial, and reject with `connection_failed` saying what to fix. */
  ping(options?: CallOptions): Promise<void>
  /** MUST list every table of the connection's schema, whether a dataset describes it or not. */
  describe(options?: CallOptions): Promise<Catalogue>
  /**
   * Reads the rows that meet at least one group, each once, in batches.
   * MUST stream from a cursor, holding one or two batches sized by bytes, not by rows. MUST bind values in the live
   * type of their column; MAY return more rows than asked (the caller compares again), never fewer. MUST yield times as
   * RFC 3339 text, decimals and integers beyond 2^53 as text, bytes as base64. MUST reject with `connection_failed`
   * (`reason` `statement_timeout`, `missing_collection`, `missing_column`, …). MUST release the cursor when the
   * consumer stops early or `signal` aborts.
   */
  read(read: Read, options?: CallOptions): AsyncIterable<readonly Row[]>
  /**
   * Counts the rows of each question, in their order. MUST ask in one statement where the server can. MUST compare
   * exactly where the server can, although a `read` need not: the caller does not compare again. MUST reject as `read`
   * does, naming the collection or the column that is missing.
   */
  count(counts: readonly CountRows[], options?: CallOptions): Promise<readonly number[]>
  /**
   * Counts the rows that hold each tuple of the group, in their order. MUST exist where `erase` does. The count says
   * whether a row may be somebody else's as well: it MAY take texts for equal as the server does, however loosely, and MUST
   * NOT count fewer rows than hold the tuple exactly.
   */
  countEach?(read: CountEach, options?: CallOptions): Promise<number[]>
  /**
   * Says what a statement is billed that names these columns, whatever its keys. It MUST NOT be billed itself. MAY exist
   * with the capability `billedReads`.
   */
  estimate?(estimated: Estimated, options?: CallOptions): Promise<Estimate>
  /**
   * Writes one batch: every row or, when it rejects, none. Absent where the connector only reads.
   * MUST touch a row only if it holds one of the keys and meets one of the groups. MUST compare exactly where the
   * server would compare loosely, except what a foreign key refers to (`spelledAs`). MUST leave null as it is, whatever
   * the new value of the column. MUST touch nothing and reject with `unsupported` (`reason` `ambiguous_rows`) when more
   * rows hold the keys than there are keys, or another number than `rows`, whether or not they meet a group. MUST
   * repeat a batch that the server ended because of a deadlock. MAY touch nothing and reject with `unsupported` (`reason`
   * `batch_too_large`) where the server does not take so many rows or values at once: the caller then writes the batch in
   * halves, each for itself. MUST reject with `connection_failed` (`reason`
   * `refused`, with the `constraint` and the `column` where the server names them) when a rule of the database refuses
   * the new values, and MUST NOT repeat a value. Rows that no longer exist are no failure.
   * With `pointers` it MUST first lock the rows that hold the keys, in the order of the keys, so that a row that comes
   * to refer to them over a foreign key waits. It MUST then count each entry as `countEach` does, in the same
   * transaction, with everything that others have committed by then. When more rows hold a tuple than its `most`
   * allows, it MUST touch nothing and reject with `connection_failed` (`reason` `shared_since`, `position` of the first
   * such entry, and in `rows` the number of rows beyond what its tuples may have).
   * With `unchanged` it MUST make sure, in the same transaction and before it locks anything else, that at
   * least `rows` rows of each entry hold the values that were read, and MUST keep others from changing them until it
   * ends, where the server allows that. Otherwise it MUST touch nothing and reject with `connection_failed` (`reason`
   * `changed_since`).
   * With `referencedBy` it MUST touch nothing and reject with `connection_failed` (`reason` `referenced_since`) when
   * the catalogue now names other foreign keys, and MUST keep others from changing them before the batch has taken
   * effect.
   * With `fence` it MUST call `confirm` when everything is written and before it sends COMMIT, and MUST write nothing and
   * reject with the same error when `confirm` rejects. A connector with the capability `fencing` MUST first take the lock
   * of the fence, and hold it until the transaction has ended.
   * It MUST wait for locks of others no longer than a setting allows, and reject with `connection_failed` (`reason`
   * `lock_timeout`).
   * With `rollBack` it does all that and rolls it back.
   */
  erase?(erase: Erase, options?: EraseOptions): Promise<void>
  /**
   * Ends the writes of other workers under the lock of a fence. It waits for them a moment, then ends their sessions. When it
   * resolves, none of them can take effect any more. MUST reject with `connection_failed` (`reason` `lock_timeout`) when
   * one may not be ended. MUST exist where the capability `fencing` is given.
   */
  endWrites?(lock: string, options?: CallOptions): Promise<void>
  /** MUST end running calls and free every socket. MAY be called twice. */
  close(): Promise<void>
}

/** One kind of database. Write one with `defineConnector`. */
export interface Connector<Type extends string = string> {
  readonly type: Type
  readonly category: 'database' | 'saas'
  readonly capabilities: ConnectorCapabilities
  /** Its name, for people. Default: that of the listed kind, or the type. */
  readonly name?: string
  /** JSON Schema of what `parseSecrets` takes. Default: that of the listed kind. */
  readonly secretsSchema?: Readonly<Record<string, unknown>>
  /** Other names under which members of the secrets are accepted, each with the name under which it is kept. */
  readonly secretAliases?: Readonly<Record<string, string>>
  /** MUST reject unknown members and MUST NOT repeat a value in its message. */
  parseSecrets(input: unknown): unknown
  /** Opens lazily. It MUST NOT fail because the server cannot be reached. The first call fails then. */
  connect(secrets: unknown): Promise<Connection>
}
