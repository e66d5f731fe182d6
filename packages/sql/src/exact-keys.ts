import type { Value } from '@habeas/core'
import type { SqlColumn, SqlTable } from './dialect.js'
import { unboundFailure } from './erase-failures.js'
import type { SqlKeys } from './erasing-dialect.js'

/** A key of a table that was read from it and is sent back. */
export interface ExactKeys {
  readonly columns: readonly string[]
  /** By column, and then by row. */
  readonly values: readonly ArrayLike<Value>[]
  /** True when null may be among them and equals null. Default: true when null is among them. */
  readonly nullSafe?: boolean
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
