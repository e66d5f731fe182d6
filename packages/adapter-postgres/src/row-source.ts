import type { SqlTable } from '@habeas/sql'
import { sql } from 'kysely'
import { type Expression, parameter } from './comparison.js'
import type { KeyArray } from './key-array.js'
import type { LiveColumn } from './live-column.js'

/** Lists side by side as a table of their own, whose names nothing in the statement can be mistaken for. */
export interface RowSource {
  readonly lists: readonly KeyArray[]
  readonly from: Expression
  /** The column of the list. */
  of(list: KeyArray): Expression
  /** Another name that is free. */
  name(of: string | number): Expression
}

export function rowSource({ path, columns }: SqlTable<LiveColumn>, lists: readonly KeyArray[]): RowSource {
  let prefix = 'batch'
  const isTaken = (name: string) => name.startsWith(prefix)
  while ([...path, ...columns.keys()].some(isTaken)) prefix += '_'
  const distinct = [...new Set(lists)]
  const names = distinct.map((_, index) => sql.id(`${prefix}_${index}`))
  return {
    lists: distinct,
    from: sql`unnest(${sql.join(distinct.map(parameter))}) as ${sql.id(prefix)}(${sql.join(names)})`,
    of: (list) => names[distinct.indexOf(list)]!,
    name: (of) => sql.id(`${prefix}_of_${of}`),
  }
}
