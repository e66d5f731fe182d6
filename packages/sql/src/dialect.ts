import type { EmptyField, Value, ValueKind } from '@habeas/core'
import type { QueryCompiler, RawBuilder } from 'kysely'

/** A statement as a driver takes it: text with placeholders, and what stands for each of them. */
export interface Statement {
  readonly sql: string
  readonly parameters: readonly unknown[]
}

/** Turns what the driver gives for a value that is not null into the value; text, where the driver gives nothing else. */
export type ValueParser = (raw: string) => Value

/** A live column, as far as a statement over it must know it. Dialects add what they compare by. */
export interface SqlColumn {
  readonly name: string
  readonly kind?: ValueKind
  readonly array?: boolean
  /** True when the server computes the value, so that it cannot be written. */
  readonly generated?: boolean
  /** True when an index finds rows by the column. */
  readonly indexed?: boolean
  /** Longest text of a value in bytes, where the type bounds it. */
  readonly width?: number
}

/** A live table: its qualified name, outermost part first, and its columns by name. */
export interface SqlTable<Column extends SqlColumn = SqlColumn> {
  readonly path: readonly string[]
  readonly columns: ReadonlyMap<string, Column>
  /** Sets of columns that are never null and whose values no two rows of the table share. Default: none is known. */
  readonly rowKeys?: readonly (readonly string[])[]
  /** True when other tables inherit from it. Their rows are theirs: see `rowsOf`. */
  readonly inherited?: boolean
  /** True when its rows can be locked without being written. */
  readonly lockable?: boolean
  /** By name the tables that its columns point to, as far as a statement asks for that. */
  readonly pointedTo?: ReadonlyMap<string, SqlTable<Column>>
}

/** A key that foreign keys point to. */
export interface PointedKey<Column extends SqlColumn = SqlColumn> {
  readonly table: SqlTable<Column>
  readonly columns: readonly Column[]
}

/** One field of a group, bound to its live column. `path` leads on inside the column and is usually empty. */
export interface KeyTarget<Column extends SqlColumn = SqlColumn> {
  readonly column: Column
  readonly path: readonly string[]
  readonly kind?: ValueKind
  readonly caseInsensitive: boolean
  readonly trimmed?: boolean
  /**
   * What the column points to over a foreign key, or the column itself: keys are exact texts of that one, and compared as
   * the server compares them for the foreign key.
   */
  readonly as?: Column
}

/** A part of a statement that holds or does not hold of a row. */
export type Condition = RawBuilder<boolean>

/**
 * All in which the servers differ. `Bound` is a key as the dialect sends it.
 * Conditions may hold of more rows than asked for, never of fewer.
 */
export interface SqlDialect<Column extends SqlColumn = SqlColumn, Bound = unknown> {
  /** Most columns that a statement may give. Default: 1,000. */
  readonly mostColumns?: number
  /** A new compiler for each statement: it decides quotes and placeholders. */
  createCompiler(): QueryCompiler
  /** How a column is read where its plain form loses something. */
  select?(column: Column): RawBuilder<unknown>
  /** Makes values of what the driver gives; `type` is the server's number of the type, `column` is what was read. */
  parserOf?(type: number, column?: Column): ValueParser | undefined
  /** Turns values into keys of the target's live type; undefined where no row can hold the value. */
  binder(target: KeyTarget<Column>): (value: Value) => Bound | undefined
  /** MUST be such that the server can use an index of the column. Undefined: one that holds of no row. */
  oneOf(target: KeyTarget<Column>, keys: readonly Bound[]): Condition | undefined
  /**
   * The same for UUIDs of 16 bytes each, where the server takes them as they are. Undefined where it does not: then they
   * are bound one by one.
   */
  oneOfUuids?(target: KeyTarget<Column>, uuids: Uint8Array): Condition | undefined
  /**
   * That the targets hold one tuple together, to stand beside `oneOf` of each of them.
   * Undefined where `oneOf` has to do: the caller of a read compares again.
   */
  tuples(targets: readonly KeyTarget<Column>[], keys: readonly (readonly Bound[])[]): Condition | undefined
  /** The same exactly, where `tuples` may hold of more: for rows that are counted and never read. Default: `tuples`. */
  exactTuples?(targets: readonly KeyTarget<Column>[], keys: readonly (readonly Bound[])[]): Condition
  /** That the target holds nothing, as `CountRows.empty` says; true or false of every row, never null. */
  holdsNothing(target: KeyTarget<Column>, placeholders: NonNullable<EmptyField['placeholders']>): Condition
  /**
   * Exact texts, part by part, of the key that rows point to by their columns, or of the columns where these are the key. Absent
   * where no foreign key compares loosely.
   */
  spelled?(table: SqlTable<Column>, columns: readonly Column[], to: PointedKey<Column>): RawBuilder<unknown>[]
}
