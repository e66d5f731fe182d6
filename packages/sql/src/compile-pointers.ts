import type { CountEach, Erase, PrivacyError } from '@habeas/core'
import { compile } from './compile.js'
import { type CompiledCountEach, compileCountEach } from './compile-count-each.js'
import type { SqlColumn, SqlTable, Statement } from './dialect.js'
import { sharedSinceFailure } from './erase-failures.js'
import type { SqlErasingDialect } from './erasing-dialect.js'
import { boundKeys } from './exact-keys.js'

/** A table whose rows are counted because they refer to rows of a batch. */
export interface ReferencingTable<Column extends SqlColumn> {
  readonly table: SqlTable<Column>
  /** The columns that a live foreign key refers to. */
  readonly to?: readonly Column[]
}

/** The statements that a batch has to run before it writes, in the same transaction. */
export interface CompiledPointers {
  /** Locks the rows of the batch, and runs first. Absent where rows cannot be locked. */
  readonly lock?: Statement
  /** They run after the lock. Each sees everything that is committed by then. */
  readonly counts: readonly Statement[]
  /** Returns what is wrong when the counts gave these rows, or undefined when nothing is wrong. */
  failureOf(counted: readonly (readonly CountedTuple[])[]): PrivacyError | undefined
}

type CountedTuple = readonly [position: unknown, rows: unknown]

/** Compiles the lock and the counts of a batch, or returns undefined where no row can refer to its rows. */
export function compilePointers<Column extends SqlColumn, Bound>(
  { collection, key, keys, rows, pointers = [] }: Erase,
  table: SqlTable<Column>,
  tableOf: (count: CountEach) => ReferencingTable<Column>,
  dialect: SqlErasingDialect<Column, Bound>,
): CompiledPointers | undefined {
  const { erasing } = dialect
  const entries = pointers.flatMap(({ count, most }, position): Entry[] => {
    const { table, to } = tableOf(count)
    const compiled = compileCountEach(count.group, table, dialect, to, count.keyKinds)
    return compiled ? [{ ...compiled, most, position }] : []
  })
  if (entries.length === 0) return undefined
  const held = boundKeys({ columns: key, values: keys, nullSafe: rows !== undefined }, table, erasing.keyBinder)
  return {
    ...(erasing.lock && { lock: compile(erasing.lock({ table, keys: held }), dialect) }),
    counts: entries.map(({ statement }) => statement),
    failureOf(counted) {
      for (const [at, { most, positions, position }] of entries.entries()) {
        let more = 0
        for (const [tuple, rows] of counted[at]!) more += Math.max(0, Number(rows) - most[positions[Number(tuple)]!]!)
        if (more > 0) return sharedSinceFailure(collection, position, more)
      }
      return undefined
    },
  }
}

interface Entry extends CompiledCountEach {
  readonly most: readonly number[]
  readonly position: number
}
