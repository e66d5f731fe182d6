import type { RawBuilder } from 'kysely'
import type { Condition, KeyTarget, SqlColumn, SqlTable } from '../dialect.js'
import type { SqlErasing, SqlMember } from '../erasing-dialect.js'

export type Expression = RawBuilder<unknown>

/** In which form a key is compared: as a value of the column's own type, or as text. */
export type Form = 'own' | 'text'

/** The other side of a comparison, behind its `=`. */
export interface Operand {
  form(form: Form): Expression
  /** Texts, lower-cased by the server. */
  lowered(): Expression
}

/** Lists side by side as a table of their own, whose names nothing in the statement can be mistaken for. */
export interface RowSource<List> {
  readonly lists: readonly List[]
  readonly from: Expression
  /** The column of the list. */
  of(list: List): Expression
  /** Another name that is free. */
  name(of: string | number): Expression
}

/** What a column becomes, and the lists that travel for it. */
export interface ListedAssignment<List> {
  readonly lists: readonly List[]
  to(source: RowSource<List>): Expression
}

/**
 * The shapes of one server, from which `setErasing` makes statements over whole batches. A `List` is one value for each row
 * of a batch, as it travels.
 */
export interface SqlShapes<Column extends SqlColumn, Bound, List>
  extends Pick<
    SqlErasing<Column, Bound>,
    'keyBinder' | 'valueBinder' | 'rewritable' | 'unchangedFails' | 'everyRow' | 'sameReferences'
  > {
  /** Lists side by side as rows of a table, for FROM: each gives the column at its place. */
  rows(lists: readonly List[], name: Expression, columns: readonly Expression[]): Expression
  /** Whole numbers. */
  numbers(numbers: readonly number[]): List
  /** Whether a column holds one scalar. */
  isScalar(column: Column): boolean
  /** What a column that is no scalar holds, or what the path leads to inside it, as rows. Absent where keys are never inside. */
  elements?(target: KeyTarget<Column>): Expression
  /** Keys of a target as lists, in each form in which `equals` compares. */
  keys(target: KeyTarget<Column>, keys: readonly Bound[]): Partial<Record<Form, List>>
  /** What a text of a list stands for, where the target is compared as what it points to. */
  pointedTo?(as: Column, key: Expression): Expression
  /** That one value of the target, be it the column itself or an element of it, is the operand. MUST be exact. */
  equals(target: KeyTarget<Column>, value: Expression, operand: Operand): Condition
  /** That a row holds one of the keys, such that an index of the column serves. MUST be exact. */
  holdsAny(target: KeyTarget<Column>, keys: readonly Bound[]): Condition
  /** One or more expressions by which rows, or keys, are equal only where all columns are, null being equal to null. */
  record(columns: readonly Column[], key?: (part: number) => Expression): Expression
  /** Keys for `record`, null among them. */
  exactKeys(column: Column, values: readonly (Bound | null)[]): List
  /** An order that every type has. */
  order(column: Column): Expression
  /** One new value for every row. */
  constant(column: Column, value: Bound): Expression
  /** New values of the column, one a row; `newValue` makes them what they stand for. */
  newValues(column: Column, values: readonly (Bound | null)[]): List
  newValue(column: Column, value: Expression): Expression
  /** The column with its members written where each, or the list around it, still is what it was. */
  members(column: Column, members: readonly SqlMember[], table: SqlTable<Column>): ListedAssignment<List>
  /** `from` is a table beside the one that is written. */
  update(table: Expression, from: Expression | undefined, set: Expression, where: Expression): Expression
  remove(table: Expression, from: Expression | undefined, where: Expression): Expression
  /** What a selection ends with that locks the rows of the table until the transaction ends. */
  readonly lock: {
    /** Such that a row which comes to point to them over a foreign key waits. */
    writing(table: SqlTable<Column>): Expression
    /** Such that no other transaction changes them. */
    reading(table: SqlTable<Column>): Expression
  }
  /** One row with the number of rows that a selection gives, or a failure where there are fewer. */
  countedAtLeast(selection: Expression, rows: number): Expression
  /** Keys that a foreign key points to, as a list of their type. */
  referencedKeys(to: Column, keys: readonly Bound[]): List
  /** That a value points to the key, as the server compares them for a foreign key. */
  refersTo(column: Column, to: Column, value: Expression, key: Expression): Condition
  /** Whether that can be asked of columns of these types. */
  isComparable(column: Column, to: Column): boolean
  /** The text that the type reads as this very value. */
  exactText(column: Column, value: Expression): Expression
}
