import type { CountEach, KeyGroup } from '@habeas/core'
import { compile } from './compile.js'
import { bindTuples, equalities, joined, targetsOf } from './condition.js'
import type { KeyTarget, SqlColumn, SqlTable, Statement } from './dialect.js'
import { uncountableFailure } from './erase-failures.js'
import type { SqlErasingDialect } from './erasing-dialect.js'

/** A statement that gives the position and the number of rows of each tuple that some row holds. */
export interface CompiledCountEach {
  readonly statement: Statement
  /** Where the tuple at a position of the statement stands in the group. */
  readonly positions: readonly number[]
}

/**
 * Compiles a statement that counts rows for each tuple, or returns undefined when no row can hold any of them. Where the
 * fields are a foreign key, `to` has the columns that it refers to. Throws `unsupported` where such rows cannot be counted.
 * Texts are equal as the server compares them: an application that joins by them takes `a1` for a pointer to `A1`, and perhaps `01`
 * for one to the integer 1, where `keyKinds` says that the texts point to such.
 */
export function compileCountEach<Column extends SqlColumn, Bound>(
  group: KeyGroup,
  table: SqlTable<Column>,
  dialect: SqlErasingDialect<Column, Bound>,
  to?: readonly Column[],
  keyKinds: NonNullable<CountEach['keyKinds']> = [],
): CompiledCountEach | undefined {
  const { values, when = [] } = group
  const targets = targetsOf(group, table)
  const bound = to ? to.map((column) => ({ column, path: [], caseInsensitive: false })) : targets
  const { keys, positions } = bindTuples(bound, values, dialect)
  const asServer = (target: KeyTarget<Column>): KeyTarget<Column> =>
    isWhole(target) && dialect.erasing.isLoose?.(target.column) ? { ...target, as: target.column } : target
  // a row holds what was read, so rows may refer to it even if it cannot be sent back
  if (to && positions.length < (values[0]?.length ?? 0)) throw uncountableFailure(table.path.at(-1) as string)
  const equal = equalities(when, table, dialect, asServer)
  if (positions.length === 0 || !equal) return undefined
  const conditions = table.within ? [table.within, ...equal] : equal
  const where = conditions.length === 0 ? undefined : joined(conditions, 'and')
  const columns = targets.map(({ column }) => column)
  const isLoose = targets.some((target) => asServer(target) !== target)
  const { asNumber } = dialect.erasing
  const isNumber = ({ column }: KeyTarget<Column>, part: number) =>
    asNumber !== undefined && keyKinds[part] === 'integer' && column.kind === 'string' && !column.array
  const counted = targets.some(isNumber)
    ? dialect.erasing.countEach(
        table,
        targets.map((target, part) =>
          isNumber(target, part) ? { ...target, column: asNumber!(target.column) } : asServer(target),
        ),
        keys,
        where,
      )
    : to || (isLoose && targets.every(isWhole))
      ? dialect.erasing.countReferencing(table, columns, to ?? columns, keys, where)
      : dialect.erasing.countEach(table, targets, keys, where)
  if (!counted) throw uncountableFailure(table.path.at(-1) as string)
  return { statement: compile(counted, dialect), positions }
}

function isWhole({ path, caseInsensitive }: KeyTarget): boolean {
  return path.length === 0 && !caseInsensitive
}
