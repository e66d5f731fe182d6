import type { EmptyField, Value, ValueKind } from '@habeas/core'
import type { QueryCompiler, RawBuilder } from 'kysely'

/** A statement as a driver takes it: text with placeholders, and a value for each of them. */
export interface Statement {
  readonly sql: string
  readonly parameters: readonly unknown[]
}

/** Turns what the driver gives for a value that is not null into that value. Some drivers give text only. */
export type ValueParser = (raw: string) => Value

/** What a statement needs to know of a live column. Dialects add what they compare by. */
export interface SqlColumn {
  readonly name: string
  readonly kind?: ValueKind
  readonly array?: boolean
  /** True when the server computes the value, so that it cannot be written. */
  readonly generated?: boolean
  /** True when the server holds texts of the column equal that read differently: by case, accents or width. */
  readonly comparesLoosely?: true
  /** True when an index finds rows by the column. */
  readonly indexed?: boolean
  /** Longest text of a value in bytes, where the type bounds it. */
  readonly width?: number
}

/** A live table. `path` is its qualified name, outermost part first. */
export interface SqlTable<Column extends SqlColumn = SqlColumn> {
  readonly path: readonly string[]
  readonly columns: ReadonlyMap<string, Column>
  /** Sets of columns that are never null and whose values no two rows of the table share. Default: none is known. */
  readonly rowKeys?: readonly (readonly string[])[]
  /** True when other tables inherit from it. Their rows do not count as its rows (see `rowsOf`). */
  readonly inherited?: boolean
  /** True when its rows can be locked without being written. */
  readonly lockable?: boolean
  /** True when its rows are written without a transaction: what a statement has written stays. `lockable` is then false. */
  readonly alone?: boolean
  /** The condition of rows that a `filter` of the port lets through. Every statement on the table carries it. */
  readonly within?: Condition
  /** The tables that its columns refer to, by name, where a statement needs them. */
  readonly pointedTo?: ReadonlyMap<string, SqlTable<Column>>
}

/** A key that foreign keys refer to. */
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
   * The column that a foreign key refers to, or the column itself. Keys are then exact texts of that column, and they are
   * compared as the server compares them for the foreign key.
   */
  readonly as?: Column
}

/** A part of a statement that is true or false for a row. */
export type Condition = RawBuilder<boolean>

/**
 * Everything in which servers differ. `Bound` is a key as the dialect sends it.
 * Conditions may be true for more rows than asked for, but never for fewer.
 */
export interface SqlDialect<Column extends SqlColumn = SqlColumn, Bound = unknown> {
  /** Most columns that a statement may give. Default: 1,000. */
  readonly mostColumns?: number
  /** Most parameters of a statement that counts, unless a single count needs more. Default: no limit. */
  readonly mostParameters?: number
  /** Creates a compiler for one statement. It decides on quotes and placeholders. */
  createCompiler(): QueryCompiler
  /** Returns how a column is read where its plain form loses something. */
  select?(column: Column): RawBuilder<unknown>
  /** Returns how values are made of what the driver gives. `type` is the server's number of the type. */
  parserOf?(type: number, column?: Column): ValueParser | undefined
  /** Returns what turns a value into a key of the target's live type; that gives undefined where no row can hold the value. */
  binder(target: KeyTarget<Column>): (value: Value) => Bound | undefined
  /** Returns the condition that a row holds a key. It MUST let the server use an index. Undefined means that no row does. */
  oneOf(target: KeyTarget<Column>, keys: readonly Bound[]): Condition | undefined
  /**
   * Returns the same for UUIDs of 16 bytes each, where the server takes them as they are. Where it is undefined, they are
   * bound one by one.
   */
  oneOfUuids?(target: KeyTarget<Column>, uuids: Uint8Array): Condition | undefined
  /**
   * Returns the condition that the targets hold one tuple together, which stands beside `oneOf` of each of them.
   * Undefined means that `oneOf` has to be enough: the caller of a read compares the rows again.
   */
  tuples(targets: readonly KeyTarget<Column>[], keys: readonly (readonly Bound[])[]): Condition | undefined
  /** The same condition, but exact where `tuples` is not. It is for rows that are counted and never read. Default: `tuples`. */
  exactTuples?(targets: readonly KeyTarget<Column>[], keys: readonly (readonly Bound[])[]): Condition
  /** Returns the condition that the target holds nothing, as `CountRows.empty` says. For no row may it be null. */
  holdsNothing(target: KeyTarget<Column>, placeholders: NonNullable<EmptyField['placeholders']>): Condition
  /**
   * Returns the exact texts, part by part, of the key that rows refer to by their columns, or of the columns where these are
   * the key. Absent where no foreign key compares loosely.
   */
  spelled?(table: SqlTable<Column>, columns: readonly Column[], to: PointedKey<Column>): RawBuilder<unknown>[]
}
