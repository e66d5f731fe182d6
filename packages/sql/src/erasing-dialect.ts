import type { Value } from '@habeas/core'
import type { RawBuilder } from 'kysely'
import type { Condition, KeyTarget, SqlColumn, SqlDialect, SqlTable, Statement } from './dialect.js'

/** Rows named by bound keys: row `i` is `values[0][i], values[1][i], …`. */
export interface SqlKeys<Column extends SqlColumn = SqlColumn, Bound = unknown> {
  readonly columns: readonly Column[]
  readonly values: readonly (readonly (Bound | null)[])[]
  /** Null equals null; otherwise no part is null. */
  readonly nullSafe: boolean
}

/** What becomes of one column: a constant, one value a row, or members of what a row holds. */
export type SqlAssignment<Column extends SqlColumn = SqlColumn, Bound = unknown> =
  | { readonly column: Column; readonly to: Bound | null }
  | { readonly column: Column; readonly toEach: readonly (Bound | null)[] }
  | { readonly column: Column; readonly members: readonly SqlMember[] }

/** One place inside a column, the same in every row of the statement. Empty paths stand for the whole column. */
export interface SqlMember {
  readonly path: readonly string[]
  /** What `path` must still lead to, row by row, for anything to be written. */
  readonly was: readonly Value[]
  readonly writes: readonly SqlMemberWrite[]
}

/** One member that is written, by its whole path, through lists by position; `remove` takes it away. */
export interface SqlMemberWrite {
  readonly path: readonly (string | number)[]
  readonly to: readonly Value[] | 'remove'
}

/** The rows a statement touches: they hold a key, and `where` holds of them. */
export interface SqlTouch<Column extends SqlColumn = SqlColumn, Bound = unknown> {
  readonly table: SqlTable<Column>
  readonly keys: SqlKeys<Column, Bound>
  readonly where: Condition
}

/** All in which servers differ when rows are erased. Unlike those of a read, conditions here MUST be exact. */
export interface SqlErasing<Column extends SqlColumn = SqlColumn, Bound = unknown> {
  /** Turns a value of a key that was read, lists and documents whole, into what is compared; undefined where no row can hold it. */
  keyBinder(column: Column): (value: Value) => Bound | undefined
  /** Turns a new value into what is written; undefined where the type of the column does not take it. */
  valueBinder(column: Column): (value: Value) => Bound | undefined
  /** Whether a list that was read so can be written whole: its elements, written back, are what they were. */
  rewritable(column: Column, list: Value): boolean
  /** The rows that hold one of the keys, to be read. */
  holding(keys: SqlKeys<Column, Bound>): Condition
  /** That the targets hold one tuple together, whatever they are. */
  tuples(targets: readonly KeyTarget<Column>[], keys: readonly (readonly Bound[])[]): Condition
  /** MUST leave null as it is in every column. */
  update(touch: SqlTouch<Column, Bound>, set: readonly SqlAssignment<Column, Bound>[]): RawBuilder<unknown>
  remove(touch: SqlTouch<Column, Bound>): RawBuilder<unknown>
  /**
   * Locks the rows that hold one of the keys, in the order of the keys, until the transaction ends: a row that comes to
   * point to them over a foreign key MUST wait.
   */
  lock(touch: Pick<SqlTouch<Column, Bound>, 'table' | 'keys'>): RawBuilder<unknown>
  /**
   * MUST fail, with something by which the connector knows it again, where fewer than so many rows of a table meet the
   * condition; otherwise no other transaction changes them before this one ends, where the table is `lockable`.
   */
  unchanged(table: SqlTable<Column>, where: Condition, rows: number): RawBuilder<unknown>
  /** True where the statement of `unchanged` fails by itself. Otherwise its one row is the number of rows it has locked. */
  readonly unchangedFails?: boolean
  /** From it on a statement fails from which policies hide rows, until the transaction ends. Absent where nothing is hidden. */
  readonly everyRow?: Statement
  /**
   * Fails where the foreign keys that carry a deletion on are others than the catalogue said. Runs when the rows are gone.
   * Absent where the catalogue does not tell.
   */
  sameReferences?(referencedBy: string, table: SqlTable<Column>): Statement
  /** One row with the number of rows that hold one of the keys. */
  holders(touch: Pick<SqlTouch<Column, Bound>, 'table' | 'keys'>): RawBuilder<unknown>
  /** A row for each tuple that some row holds: its position, and how many rows do. */
  countEach(
    table: SqlTable<Column>,
    targets: readonly KeyTarget<Column>[],
    keys: readonly (readonly Bound[])[],
    where: Condition | undefined,
  ): RawBuilder<unknown>
  /**
   * The same for rows whose columns, a foreign key, point to each tuple of `to`. Equal is what the server takes for it.
   * Undefined where that cannot be asked.
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
