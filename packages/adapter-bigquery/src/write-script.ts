import type { CountEach, Erase, UnchangedRows } from '@habeas/core'
import {
  compileCountEach,
  compileErase,
  compileUnchanged,
  type ReferencingTable,
  type SqlTable,
  type Statement,
} from '@habeas/sql'
import type { BatchList } from './batch-list.js'
import { bigqueryDialect } from './dialect.js'
import type { LiveColumn } from './live-column.js'
import { type NamedParameter, type Parameter, parameterNames } from './query-parameters.js'
import { rowsParameter } from './shapes.js'

type Table = SqlTable<LiveColumn>

/** The live tables that a batch names. */
export interface BatchTables {
  readonly own: Table
  readonly unchanged: ReadonlyMap<UnchangedRows, Table>
  readonly pointers: ReadonlyMap<CountEach, ReferencingTable<LiveColumn>>
}

/** A batch as one job. */
export interface WriteScript {
  readonly query: string
  readonly parameters: readonly NamedParameter[]
}

/**
 * One job for one batch: a transaction that first makes sure of what the batch rests on. A statement that fails ends the
 * job, and the service then rolls the transaction back. What is to be found wrong is raised as `habeas:<word>`.
 * There are no row locks: what others may have written meanwhile is counted once more after COMMIT.
 */
export function writeScript(erase: Erase, tables: BatchTables, rollBack: boolean): WriteScript {
  const names = parameterNames()
  const dialect = bigqueryDialect(names)
  const { holders, statements } = compileErase(erase, tables.own, dialect)
  const unchanged = compileUnchanged(erase, (rows) => tables.unchanged.get(rows)!, dialect)
  const held = (erase.unchanged ?? []).map(({ collection, rows }, at) => ({
    collection,
    isFewer: `(${unchanged[at]!.sql}) < ${rows}`,
  }))
  const pointers = (erase.pointers ?? []).flatMap(({ count, most }, position) => {
    const { table, to } = tables.pointers.get(count)!
    const compiled = compileCountEach(count.group, table, dialect, to)
    if (!compiled) return []
    const allowed = names.nameOf(allowedParameter(compiled.positions.map((at) => most[at]!)))
    return { position, rows: beyond(compiled.statement, allowed) }
  })
  const rows = erase.keys[0]!.length
  const wrong = erase.rows === undefined ? `> ${rows}` : `<> ${erase.rows}`
  const touched = raised(`@@row_count > ${erase.rows ?? rows}`, 'ambiguous_rows')
  const lines = [
    'begin transaction',
    ...held.map(({ isFewer }) => raised(isFewer, 'changed_since')),
    ...pointers.map(({ position, rows }) => raisedWith(rows, `shared_since:${position}:`)),
    ...(holders ? [raised(`(${holders.sql}) ${wrong}`, 'ambiguous_rows')] : []),
    ...statements.flatMap(({ sql }) => [sql, touched]),
    rollBack ? 'rollback transaction' : 'commit transaction',
    ...(rollBack || statements.length === 0 ? [] : afterwards()),
  ]
  return { query: lines.map((line) => `${line};`).join('\n'), parameters: names.all() }

  /** Rows of the written table itself have just been changed by the batch. */
  function afterwards(): string[] {
    return [
      ...held
        .filter(({ collection }) => collection !== erase.collection)
        .map(({ isFewer }) => raised(isFewer, 'changed_meanwhile')),
      ...pointers.map(({ rows }) => raisedWith(rows, 'changed_meanwhile:')),
    ]
  }
}

/** How many rows hold tuples beyond what each may have. */
function beyond({ sql }: Statement, allowed: string): string {
  const more = 'sum(greatest(c.habeas_rows - m.f1, 0)) as more'
  return `select ${more} from (${sql}) as c, unnest(@${allowed}) as m where c.habeas_position = m.f0`
}

/** The most rows of each tuple, beside its position. */
function allowedParameter(most: readonly number[]): Parameter {
  const numbers = (values: readonly number[]): BatchList => ({
    type: { type: 'INT64' },
    values: values.map((value) => ({ value: String(value) })),
  })
  return rowsParameter([numbers([...most.keys()]), numbers(most)])
}

/** Raises a word and the number of rows, where that is not 0. */
function raisedWith(rows: string, word: string): string {
  return `select if(more > 0, error(concat('habeas:${word}', cast(more as string))), 0) from (${rows})`
}

function raised(condition: string, word: string): string {
  return `select if(${condition}, error('habeas:${word}'), 0)`
}
