import type { KeyGroup } from '@habeas/core'
import { compile } from './compile.js'
import { bindTuples, equalities, joined, targetsOf } from './condition.js'
import type { SqlColumn, SqlTable, Statement } from './dialect.js'
import { uncountableFailure } from './erase-failures.js'
import type { SqlErasingDialect } from './erasing-dialect.js'

/** A statement that gives, for tuples that some row holds, their position and the number of rows. */
export interface CompiledCountEach {
  readonly statement: Statement
  /** Where the tuple at a position of the statement stands in the group. */
  readonly positions: readonly number[]
}

/**
 * Undefined when no tuple can be held by any row: nothing is asked then. `to`: the columns that the fields, a foreign key,
 * point to; throws `unsupported` where the server cannot be asked what it leads to.
 */
export function compileCountEach<Column extends SqlColumn, Bound>(
  group: KeyGroup,
  table: SqlTable<Column>,
  dialect: SqlErasingDialect<Column, Bound>,
  to?: readonly Column[],
): CompiledCountEach | undefined {
  const { values, when = [] } = group
  const targets = targetsOf(group, table)
  const bound = to ? to.map((column) => ({ column, path: [], caseInsensitive: false })) : targets
  const { keys, positions } = bindTuples(bound, values, dialect)
  // a row holds what was read: that it cannot be asked for does not mean that nothing points there
  if (to && positions.length < (values[0]?.length ?? 0)) throw uncountableFailure(table.path.at(-1) as string)
  const conditions = equalities(when, table, dialect)
  if (positions.length === 0 || !conditions) return undefined
  const where = conditions.length === 0 ? undefined : joined(conditions, 'and')
  const columns = targets.map(({ column }) => column)
  const counted = to
    ? dialect.erasing.countReferencing(table, columns, to, keys, where)
    : dialect.erasing.countEach(table, targets, keys, where)
  if (!counted) throw uncountableFailure(table.path.at(-1) as string)
  return { statement: compile(counted, dialect), positions }
}
