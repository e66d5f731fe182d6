import type { RawBuilder } from 'kysely'
import type { Condition, KeyTarget, SqlColumn, SqlTable } from '../dialect.js'
import type { SqlErasing, SqlMember } from '../erasing-dialect.js'

export type Expression = RawBuilder<unknown>

/** In which form a key is compared: as a value of the column's own type, or as text. */
export type Form = 'own' | 'text'

/** The other side of a comparison, behind its `=`. */
export interface Operand {
  form(form: Form): Expression
  /** Returns texts that the server lower-cases, with `lower` unless another function is given. */
  lowered(lower?: (text: Expression) => Expression): Expression
}

/** Lists side by side as a table of their own, whose names occur nowhere else in the statement. */
export interface RowSource<List> {
  readonly lists: readonly List[]
  readonly from: Expression
  /** Returns the column of a list. */
  of(list: List): Expression
  /** Returns another name that is free. */
  name(of: string | number): Expression
}

/** The new value of a column, and the lists that it needs. */
export interface ListedAssignment<List> {
  readonly lists: readonly List[]
  to(source: RowSource<List>): Expression
}

/**
 * The shapes of one server, from which `setErasing` makes statements over whole batches. A `List` has one value for each
 * row of a batch, as it is sent.
 */
export interface SqlShapes<Column extends SqlColumn, Bound, List>
  extends Pick<
    SqlErasing<Column, Bound>,
    | 'keyBinder'
    | 'numbersBinder'
    | 'valueBinder'
    | 'rewritable'
    | 'onlyWhole'
    | 'unchangedFails'
    | 'everyRow'
    | 'documentTexts'
    | 'sameReferences'
  > {
  /** Returns lists side by side as rows of a table, for FROM. Each list is the column at its position. */
  rows(lists: readonly List[], name: Expression, columns: readonly Expression[]): Expression
  /** Returns a list of whole numbers. */
  numbers(numbers: readonly number[]): List
  /** Returns whether a column holds one scalar. */
  isScalar(column: Column): boolean
  /** Returns what a column that is no scalar holds, or holds at the path, as rows. Absent where keys are never inside. */
  elements?(target: KeyTarget<Column>): Expression
  /** Returns keys of a target as lists, in each form in which `equals` compares. */
  keys(target: KeyTarget<Column>, keys: readonly Bound[]): Partial<Record<Form, List>>
  /** Returns what a text of a list stands for, where the target is compared as the key that it refers to. */
  pointedTo?(as: Column, key: Expression): Expression
  /** Returns the condition that a value of the target, the column or an element of it, is the operand. MUST be exact. */
  equals(target: KeyTarget<Column>, value: Expression, operand: Operand): Condition
  /** Returns the condition that a row holds one of the keys. It MUST be exact, and let the server use an index. */
  holdsAny(target: KeyTarget<Column>, keys: readonly Bound[]): Condition
  /** Returns expressions that are equal for two rows or keys only where all columns are. Null equals null in them. */
  record(columns: readonly Column[], key?: (part: number) => Expression): Expression
  /** Returns the condition that the columns hold a key. Null equals null in it. Default: the records are equal. */
  holdsExactly?(columns: readonly Column[], key: (part: number) => Expression): Condition
  /** Returns keys for `record`, with nulls among them. */
  exactKeys(column: Column, values: readonly (Bound | null)[]): List
  /** Returns an order, which there has to be for every type. */
  order(column: Column): Expression
  /** Returns one new value for every row. */
  constant(column: Column, value: Bound): Expression
  /** Returns new values of the column, one for each row. `newValue` turns each into what it stands for. */
  newValues(column: Column, values: readonly (Bound | null)[]): List
  newValue(column: Column, value: Expression): Expression
  /** Returns the column with each member written, where the member, or the list around it, is still what it was. */
  members(column: Column, members: readonly SqlMember[], table: SqlTable<Column>): ListedAssignment<List>
  /** Returns an UPDATE. `from` is a table beside the one that is written. */
  update(table: Expression, from: Expression | undefined, set: Expression, where: Expression): Expression
  remove(table: Expression, from: Expression | undefined, where: Expression): Expression
  /** The end of a selection that locks the rows of the table until the transaction ends. Absent where rows cannot be locked. */
  readonly lock?: {
    /** Makes every write of a row that refers to them over a foreign key wait. */
    writing(table: SqlTable<Column>): Expression
    /** Keeps other transactions from changing them. */
    reading(table: SqlTable<Column>): Expression
    /** True where both stand behind the name of the table. Rows are then locked in no particular order. */
    readonly behindTable?: boolean
  }
  /** True where the keys of a write are always a table beside it: one parameter, and not one for each key. Rows are found by an index. */
  readonly joinsKeys?: true
  /** True where a condition is no value, so that none may stand in a CASE. */
  readonly conditionsAreNoValues?: boolean
  /** Gives one row with the number of rows that a selection gives, or fails where there are fewer than `rows`. */
  countedAtLeast(selection: Expression, rows: number): Expression
  /** Returns keys that a foreign key refers to, as a list of their type. */
  referencedKeys(to: Column, keys: readonly Bound[]): List
  /** Returns the condition that a value refers to the key, as the server compares them for a foreign key. */
  refersTo(column: Column, to: Column, value: Expression, key: Expression): Condition
  /** Returns whether that can be compared for columns of these types. */
  isComparable(column: Column, to: Column): boolean
  /** Returns the text that the type reads as exactly this value. */
  exactText(column: Column, value: Expression): Expression
}
