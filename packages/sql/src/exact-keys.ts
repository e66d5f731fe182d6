import type { Value } from '@habeas/core'
import type { SqlColumn, SqlTable } from './dialect.js'
import { unboundFailure } from './erase-failures.js'
import type { SqlErasing, SqlKeys } from './erasing-dialect.js'
import { mayHideNumbers } from './json-text.js'

/** A key of a table that was read from it and is sent back. */
export interface ExactKeys {
  readonly columns: readonly string[]
  /** By column, and then by row. */
  readonly values: readonly ArrayLike<Value>[]
  /** True when null may be among them and equals null. Default: true when null is among them. */
  readonly nullSafe?: boolean
}

/** The binders of a dialect for keys that were read. */
type KeyBinders<Column extends SqlColumn, Bound> = Pick<SqlErasing<Column, Bound>, 'keyBinder' | 'numbersBinder'>

/**
 * Binds the keys whose documents hold a text that may stand for a number which a double would change, with such texts as
 * numbers. `rows` are their positions. Undefined where there are none.
 */
export function numbersKeys<Column extends SqlColumn, Bound>(
  { columns, values, ...named }: ExactKeys,
  table: SqlTable<Column>,
  { keyBinder, numbersBinder }: KeyBinders<Column, Bound>,
): { readonly keys: SqlKeys<Column, Bound>; readonly rows: readonly number[] } | undefined {
  const documents = columns.flatMap((name, part) => (numbersBinder?.(table.columns.get(name)!) ? [values[part]!] : []))
  const isHiding = (row: number) => documents.some((column) => mayHideNumbers(column[row]!))
  const rows = Array.from(values[0] ?? [], (_, row) => row).filter(isHiding)
  if (rows.length === 0) return undefined
  const hiding = values.map((column) => rows.map((row) => column[row]!))
  const keys = boundKeys(
    { ...named, columns, values: hiding },
    table,
    (column: Column) => numbersBinder?.(column) ?? keyBinder(column),
  )
  return { keys, rows }
}

/** Binds keys. Throws `unsupported` where a column does not take what was read from it, so that the row would not be found. */
export function boundKeys<Column extends SqlColumn, Bound>(
  { columns: names, values, nullSafe = false }: ExactKeys,
  table: SqlTable<Column>,
  keyBinder: (column: Column) => (value: Value) => Bound | undefined,
): SqlKeys<Column, Bound> {
  let nulls = nullSafe
  const columns = names.map((name) => table.columns.get(name)!)
  const bound = columns.map((column, part) => {
    const bind = keyBinder(column)
    return Array.from(values[part]!, (value) => {
      const key = value === null ? null : bind(value)
      if (key === undefined) throw unboundFailure(table.path.at(-1)!, column.name)
      nulls ||= key === null
      return key
    })
  })
  return { columns, values: bound, nullSafe: nulls }
}
