import type { Erase, MemberChange, Value } from '@habeas/core'
import type { RawBuilder } from 'kysely'
import type { Condition, KeyTarget, SqlColumn, SqlDialect, SqlTable, Statement } from './dialect.js'

/** Rows named by bound keys: row `i` is `values[0][i], values[1][i], …`. */
export interface SqlKeys<Column extends SqlColumn = SqlColumn, Bound = unknown> {
  readonly columns: readonly Column[]
  readonly values: readonly (readonly (Bound | null)[])[]
  /** True when null equals null. Otherwise no part is null. */
  readonly nullSafe: boolean
}

/** What is written to one column: a constant, one value for each row, or members of what a row holds. */
export type SqlAssignment<Column extends SqlColumn = SqlColumn, Bound = unknown> =
  | { readonly column: Column; readonly to: Bound | null }
  | { readonly column: Column; readonly toEach: readonly (Bound | null)[] }
  | { readonly column: Column; readonly members: readonly SqlMember[] }

/** One place inside a column, the same in every row of the statement. An empty path stands for the whole column. */
export interface SqlMember {
  readonly path: readonly string[]
  /** The values that `path` must still lead to, row by row. Otherwise nothing is written. */
  readonly was: readonly Value[]
  readonly writes: readonly SqlMemberWrite[]
}

/** One member that is written. Its whole path goes through lists by position. `remove` takes the member away. */
export interface SqlMemberWrite {
  readonly path: readonly (string | number)[]
  readonly to: readonly Value[] | 'remove'
}

/** The rows that a statement touches: they hold one of the keys and meet `where`. */
export interface SqlTouch<Column extends SqlColumn = SqlColumn, Bound = unknown> {
  readonly table: SqlTable<Column>
  readonly keys: SqlKeys<Column, Bound>
  readonly where: Condition
}

/** How a server that compares documents in part only has them compared by their texts. */
export interface DocumentTexts<Column extends SqlColumn> {
  /** Returns the column as one of texts, those of its documents. Undefined where it holds no documents. */
  column(column: Column): Column | undefined
  /**
   * Returns the text of a document in which the changes were made, which the server compares as a document, or undefined where it
   * refuses it. Absent where statements write members, since the text of a document does not say all of it.
   */
  changed?(text: string, changes: readonly MemberChange[]): string | undefined
}

/** Everything in which servers differ when rows are erased. Unlike those of a read, conditions here MUST be exact. */
export interface SqlErasing<Column extends SqlColumn = SqlColumn, Bound = unknown> {
  /** Binds values of a key that was read, lists and documents whole. The binder gives undefined where no row can hold one. */
  keyBinder(column: Column): (value: Value) => Bound | undefined
  /**
   * Binds documents that were read, with those of their texts as numbers that may stand for one which a double would change.
   * Undefined where the column holds no documents. Absent: `keyBinder` refuses documents that leave this open.
   */
  numbersBinder?(column: Column): ((value: Value) => Bound | undefined) | undefined
  /** Binds new values. The binder gives undefined where the type of the column does not take one. */
  valueBinder(column: Column): (value: Value) => Bound | undefined
  /** Returns whether a list that was read can be written whole, because its elements stay the same when written back. */
  rewritable(column: Column, list: Value): boolean
  /** Returns whether a document that was read can only be replaced whole, because no member of it can be written. */
  onlyWhole?(column: Column, document: Value): boolean
  /** Returns the condition of rows that hold one of the keys, for reading them. */
  holding(keys: SqlKeys<Column, Bound>): Condition
  /** Returns the condition that the targets hold one tuple together, for targets of every kind. */
  tuples(targets: readonly KeyTarget<Column>[], keys: readonly (readonly Bound[])[]): Condition
  /** Writes the rows. It MUST leave null as it is in every column. */
  update(touch: SqlTouch<Column, Bound>, set: readonly SqlAssignment<Column, Bound>[]): RawBuilder<unknown>
  remove(touch: SqlTouch<Column, Bound>): RawBuilder<unknown>
  /**
   * Throws where the statements of a batch are longer than the server takes. It is asked behind each of them, so that no more are
   * made than are needed to know it, with the bytes of the last one and of all so far. Absent where their length is judged
   * elsewhere.
   */
  checkLength?(bytes: { readonly last: number; readonly all: number }, erase: Erase): void
  /**
   * Locks the rows that hold one of the keys, in the order of the keys, until the transaction ends. A transaction
   * that writes a row that refers to them over a foreign key MUST wait. Absent where rows cannot be locked: what is
   * counted before the batch is written is then counted again after it.
   */
  lock?(touch: Pick<SqlTouch<Column, Bound>, 'table' | 'keys'>): RawBuilder<unknown>
  /**
   * MUST fail where fewer than `rows` rows of a table meet the condition, with an error that the connector recognizes.
   * Otherwise no other transaction changes them before this one ends, where the table is `lockable`.
   */
  unchanged(table: SqlTable<Column>, where: Condition, rows: number): RawBuilder<unknown>
  /** True where the statement of `unchanged` fails by itself. Otherwise its one row is the number of rows it has locked. */
  readonly unchangedFails?: boolean
  /** After it, statements from which policies hide rows fail until the transaction ends. Absent where nothing is hidden. */
  readonly everyRow?: Statement
  /**
   * Returns a statement that fails where the foreign keys that carry a deletion on differ from those in the catalogue. It
   * runs when the rows are gone. Absent where the catalogue does not list them.
   */
  sameReferences?(referencedBy: string, table: SqlTable<Column>): Statement
  /** Set where no statement compares documents exactly: rows are then named by the texts of their documents as well. */
  readonly documentTexts?: DocumentTexts<Column>
  /** Gives one row with the number of rows that hold one of the keys. */
  holders(touch: Pick<SqlTouch<Column, Bound>, 'table' | 'keys'>): RawBuilder<unknown>
  /** Gives a row for each tuple that some row holds: its position, and how many rows hold it. */
  countEach(
    table: SqlTable<Column>,
    targets: readonly KeyTarget<Column>[],
    keys: readonly (readonly Bound[])[],
    where: Condition | undefined,
  ): RawBuilder<unknown>
  /**
   * Returns whether the server takes texts of the column for equal that read differently, such as `A1` and `a1`. Absent where
   * it never does.
   */
  isLoose?(column: Column): boolean
  /**
   * Returns a column of texts as one of numbers, by which its texts are compared with integers. Absent where the server does not
   * compare a text with a number.
   */
  asNumber?(column: Column): Column
  /**
   * Counts as `countEach` does, but the rows whose columns, a foreign key, refer to each tuple of `to`. The server decides
   * what is equal.
   * Undefined where no statement can do that.
   */
  countReferencing(
    table: SqlTable<Column>,
    columns: readonly Column[],
    to: readonly Column[],
    keys: readonly (readonly Bound[])[],
    where: Condition | undefined,
  ): RawBuilder<unknown> | undefined
}

/** A dialect of a server on which rows can be erased. */
export interface SqlErasingDialect<Column extends SqlColumn = SqlColumn, Bound = unknown>
  extends SqlDialect<Column, Bound> {
  readonly erasing: SqlErasing<Column, Bound>
}
