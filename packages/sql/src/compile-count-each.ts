import type { KeyGroup } from '@habeas/core'
import { compile } from './compile.js'
import { bindTuples, equalities, joined, targetOf } from './condition.js'
import type { SqlColumn, SqlTable, Statement } from './dialect.js'
import type { SqlErasingDialect } from './erasing-dialect.js'

/** A statement that gives, for tuples that some row holds, their position and the number of rows. */
export interface CompiledCountEach {
  readonly statement: Statement
  /** Where the tuple at a position of the statement stands in the group. */
  readonly positions: readonly number[]
}

/** Undefined when no tuple can be held by any row: nothing is asked then. */
export function compileCountEach<Column extends SqlColumn, Bound>(
  { fields, values, when = [] }: KeyGroup,
  table: SqlTable<Column>,
  dialect: SqlErasingDialect<Column, Bound>,
): CompiledCountEach | undefined {
  const targets = fields.map((field) => targetOf(field, table))
  const { keys, positions } = bindTuples(targets, values, dialect)
  const conditions = equalities(when, table, dialect)
  if (positions.length === 0 || !conditions) return undefined
  const where = conditions.length === 0 ? undefined : joined(conditions, 'and')
  return { statement: compile(dialect.erasing.countEach(table, targets, keys, where), dialect), positions }
}
