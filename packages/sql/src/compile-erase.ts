import type { Erase, PrivacyError } from '@habeas/core'
import { compile } from './compile.js'
import { conditionOf } from './condition.js'
import type { Condition, SqlColumn, SqlTable, Statement } from './dialect.js'
import { ambiguousFailure, refusedFailure, unkeyedFailure } from './erase-failures.js'
import { eraseShapes } from './erase-shapes.js'
import type { SqlErasingDialect, SqlKeys } from './erasing-dialect.js'
import { boundKeys, numbersKeys } from './exact-keys.js'

/** The statements of one batch. All of them must take effect, or none. */
export interface CompiledErase {
  /**
   * Counts the rows that hold the keys, and runs first. Absent where the table itself makes sure that keys are unique, and
   * where too many rows could be taken back.
   */
  readonly holders?: Statement
  readonly statements: readonly Statement[]
  /** Returns what is wrong with the numbers of rows that hold the keys, where they were counted, and that were touched. */
  failureOf(holders: number | undefined, touched: number): PrivacyError | undefined
}

/** Compiles a batch. Throws `connection_failed` (`refused`) where a live column cannot hold a value. */
export function compileErase<Column extends SqlColumn, Bound>(
  erase: Erase,
  table: SqlTable<Column>,
  dialect: SqlErasingDialect<Column, Bound>,
): CompiledErase {
  const { collection, set, rows: expected } = erase
  const names = [...new Set(erase.key.map((name) => table.columns.get(name)!.name))]
  checkWritable(erase, table)
  const { erasing } = dialect
  const named = { columns: erase.key, values: erase.keys, nullSafe: expected !== undefined }
  const keys = boundKeys(named, table, erasing.keyBinder)
  // a document is what was read in one of two forms, and a row has one of them
  const numbers = numbersKeys(named, table, erasing)
  const all = numbers ? joinedKeys(keys, numbers.keys) : keys
  const rows = Array.from(keys.values[0]!, (_, row) => row)
  const failureOf = (holders: number | undefined, touched: number) => {
    // a unique key may have been dropped since the table was described
    if (holders === undefined) return touched > rows.length ? ambiguousFailure(collection, names) : undefined
    const isOther = expected === undefined ? holders > rows.length : holders !== expected
    if (!isOther && touched <= holders) return undefined
    return expected === undefined ? ambiguousFailure(collection, names) : unkeyedFailure(collection)
  }
  const where = conditionOf(erase.anyOf, table, { ...dialect, tuples: erasing.tuples })
  const certain = expected === undefined && !keys.nullSafe && !table.alone && isUnique(erase.key, table)
  return {
    ...(certain ? {} : { holders: compile(erasing.holders({ table, keys: all }), dialect) }),
    statements: where ? written(where) : [],
    failureOf,
  }

  function written(where: Condition): Statement[] {
    if (set === 'delete') return [compile(erasing.remove({ table, keys: all, where }), dialect)]
    const updates: Statement[] = []
    let bytes = 0
    for (const form of [{ keys, rows }, ...(numbers ? [numbers] : [])]) {
      const positions = new Map(form.rows.map((row, position) => [row, position]))
      for (const shape of eraseShapes(erase, set, form.rows, table, dialect)) {
        const picked = shape.rows.map((row) => positions.get(row)!)
        const touch = { table, keys: shape.rows === form.rows ? form.keys : pickedKeys(form.keys, picked), where }
        const update = compile(erasing.update(touch, shape.set), dialect)
        updates.push(update)
        const last = Buffer.byteLength(update.sql)
        bytes += last
        erasing.checkLength?.({ last, all: bytes }, erase)
      }
    }
    return updates
  }
}

/** Returns the columns that a batch names, so that missing ones are refused by name before any statement runs. */
export function columnsOfErase({ key, set }: Pick<Erase, 'key' | 'set'>): string[] {
  return [...key, ...(set === 'delete' ? [] : set.map(({ column }) => column))]
}

function checkWritable({ collection, set }: Erase, table: SqlTable): void {
  if (set === 'delete') return
  const generated = set.map(({ column }) => table.columns.get(column)!).find((column) => column.generated)
  if (generated) throw refusedFailure(collection, { column: generated.name })
}

function pickedKeys<Column extends SqlColumn, Bound>(
  keys: SqlKeys<Column, Bound>,
  picked: readonly number[],
): SqlKeys<Column, Bound> {
  return { ...keys, values: keys.values.map((column) => picked.map((row) => column[row]!)) }
}

function joinedKeys<Column extends SqlColumn, Bound>(
  keys: SqlKeys<Column, Bound>,
  more: SqlKeys<Column, Bound>,
): SqlKeys<Column, Bound> {
  const values = keys.values.map((column, part) => [...column, ...more.values[part]!])
  return { ...keys, values, nullSafe: keys.nullSafe || more.nullSafe }
}

function isUnique(key: readonly string[], { rowKeys = [] }: SqlTable): boolean {
  return rowKeys.some((columns) => columns.every((column) => key.includes(column)))
}
