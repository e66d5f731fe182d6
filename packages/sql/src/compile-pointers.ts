import type { CountEach, Erase, PrivacyError } from '@habeas/core'
import { compile } from './compile.js'
import { type CompiledCountEach, compileCountEach } from './compile-count-each.js'
import type { SqlColumn, SqlTable, Statement } from './dialect.js'
import { sharedSinceFailure } from './erase-failures.js'
import type { SqlErasingDialect } from './erasing-dialect.js'
import { boundKeys } from './exact-keys.js'

/** Where rows are counted that point somewhere. */
export interface ReferencingTable<Column extends SqlColumn> {
  readonly table: SqlTable<Column>
  /** The columns that a live foreign key points to. */
  readonly to?: readonly Column[]
}

/** What a batch has to ask before it writes, in the same transaction. */
export interface CompiledPointers {
  /** Locks the rows of the batch, to run first. */
  readonly lock: Statement
  /** To run then, each with all that is committed by that time. */
  readonly counts: readonly Statement[]
  /** What is wrong when the counts gave these rows, of a position and a number each; undefined when nothing is. */
  failureOf(counted: readonly (readonly CountedTuple[])[]): PrivacyError | undefined
}

type CountedTuple = readonly [position: unknown, rows: unknown]

/** Undefined where no row can point to those of the batch: nothing is locked or counted then. */
export function compilePointers<Column extends SqlColumn, Bound>(
  { collection, key, keys, rows, pointers = [] }: Erase,
  table: SqlTable<Column>,
  tableOf: (count: CountEach) => ReferencingTable<Column>,
  dialect: SqlErasingDialect<Column, Bound>,
): CompiledPointers | undefined {
  const { erasing } = dialect
  const entries = pointers.flatMap(({ count, most }, position): Entry[] => {
    const { table, to } = tableOf(count)
    const compiled = compileCountEach(count.group, table, dialect, to)
    return compiled ? [{ ...compiled, most, position }] : []
  })
  if (entries.length === 0) return undefined
  const held = boundKeys({ columns: key, values: keys, nullSafe: rows !== undefined }, table, erasing.keyBinder)
  return {
    lock: compile(erasing.lock({ table, keys: held }), dialect),
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
